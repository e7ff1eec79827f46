#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inline tasks and templates of a header that three files and a shared library have: one descriptor an instantiation, and the plain
compiler's answer on ranks; by gcc and by clang, with and without optimisation, with and without -flto, and mixed."""
import collections
import concurrent.futures
import shutil
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "harness"))
import build  # noqa: E402
import launch  # noqa: E402

SECONDS = 60
STANDARD = ["-std=gnu++20", "-Wall", "-Wextra", "-Werror", f"-I{build.INCLUDE}"]
HOSTS = {"gcc": ["g++-12", "g++"], "clang": ["clang++-19", "clang++"]}
PARTS = ["main", "first", "second", "library"]
# What the program uses, whoever has it: shift and its call in shift_in_one; scale of int, double and float; four combs.
TASKS = {"shift": 2, "scale": 3, "run": 3}


class Wrong(Exception):
    pass


def must(command, folder, environment=None):
    done = launch.run(command, SECONDS, folder, environment)
    if done.code != 0 or done.err:
        raise Wrong(f"{' '.join(map(str, command))}: exit code {done.code}\n{done.out}{done.err}")
    return done.out


class Variant:
    """How the parts are compiled: (host, options) of each."""

    def __init__(self, name, parts, link):
        self.name, self.parts, self.link = name, parts, link

    def check(self, options, expected, log):
        folder = options.folder / self.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

        def by(host):
            return {"STREAMAP_HOST_CXX": options.hosts[host]}

        for part, (host, flags) in zip(PARTS, self.parts):
            pic = ["-fPIC"] if part == "library" else []
            must([*options.streamap_cxx, *STANDARD, *flags, *pic, "-c", str(HERE / f"{part}.cpp"), "-o", f"{part}.o"], folder, by(host))
        host, flags = self.link
        must([*options.streamap_cxx, *flags, "-shared", "library.o", "-o", "liblibrary.so"], folder, by(host))
        must([*options.streamap_cxx, *flags, "main.o", "first.o", "second.o", "-L.", "-llibrary", "-Wl,-rpath,$ORIGIN", "-o", "program"],
             folder, by(host))
        for ranks in (0, 2):
            environment = {"LD_PRELOAD": str(log)} if ranks == 0 else None
            done = launch.run(launch.on_ranks(ranks, ["./program"]), SECONDS, folder, environment)
            lines = launch.own_messages(done.err).splitlines()
            if done.code != 0 or done.out != expected:
                raise Wrong(f"{self.name} on {ranks} ranks: exit code {done.code}, printed\n{done.out}not\n{expected}{done.err}")
            if ranks == 0:
                self.check_tasks(lines)
            elif lines:
                raise Wrong(f"{self.name}: messages that nobody expects\n{done.err}")

    def check_tasks(self, lines):
        found = collections.Counter()
        for line in lines:
            word, file, name = (line + "  ").split(" ", 2)
            if word != "registered":
                raise Wrong(f"{self.name}: a message that nobody expects: {line}")
            if not file.endswith("tasks.h"):
                continue  # the runtime has a task of its own
            found[name.strip().split("<")[0].split("::")[-1].split("(")[0]] += 1
        if found != TASKS:
            raise Wrong(f"{self.name}: tasks {dict(found)}, not {TASKS}\n" + "\n".join(lines))


def variants(hosts):
    for host in hosts:
        for level in ("-O0", "-O2"):
            yield Variant(f"{host}{level}", [(host, [level])] * 4, (host, []))
            linker = ["-fuse-ld=lld"] if host == "clang" else []
            if host == "clang" and not (shutil.which("ld.lld") or shutil.which("ld.lld-19")):
                print("SKIP clang -flto: there is no lld here")
                continue
            yield Variant(f"{host}{level}-flto", [(host, [level, "-flto"])] * 4, (host, [level, "-flto", *linker]))
    if "gcc" in hosts:
        yield Variant("mixed-levels", [("gcc", [level]) for level in ("-O2", "-O0", "-O2", "-O0")], ("gcc", []))
    if len(hosts) == 2:
        yield Variant("mixed-hosts", [(host, ["-O1"]) for host in ("gcc", "clang", "gcc", "clang")], ("gcc", []))


def main():
    parser = build.parser(__doc__)
    build.add_options(parser)
    parser.add_argument("names", nargs="*", help="parts of variants' names; all when none is given")
    options = parser.parse_args()
    if launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    build.prepare_folder(options)
    options.streamap_cxx = launch.from_anywhere(options.streamap_cxx)
    options.hosts = {name: next(filter(None, map(shutil.which, choices)), None) for name, choices in HOSTS.items()}
    for name, path in list(options.hosts.items()):
        if not path:
            print(f"SKIP {name}: there is no {HOSTS[name][0]} here")
            del options.hosts[name]
    if not options.hosts:
        return 77
    begin, wrong = time.monotonic(), 0
    log = options.folder / "liblog.so"
    sources = [str(HERE / f"{part}.cpp") for part in PARTS]
    must([*options.cc, "-shared", "-fPIC", f"-I{build.INCLUDE}", str(HERE / "log_registrations.c"), "-o", str(log)], options.folder)
    must([next(iter(options.hosts.values())), *STANDARD, "-Wno-unknown-pragmas", "-O2", *sources, "-o", "plain"], options.folder)
    expected = must(["./plain"], options.folder)
    chosen = [v for v in variants(options.hosts) if not options.names or any(name in v.name for name in options.names)]

    def try_variant(variant):
        try:
            variant.check(options, expected, log)
        except Wrong as error:
            return str(error)
        return None

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for variant, error in zip(chosen, pool.map(try_variant, chosen)):
            wrong += error is not None
            print(f"FAIL {error}" if error else f"ok   {variant.name}", flush=True)
    print(f"{len(chosen)} ways to share tasks, {sum(TASKS.values())} instantiations, {wrong} wrong ({time.monotonic() - begin:.0f} s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
