#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every form that a definition may take: compiled without a warning behind gcc and clang, same answer as the plain compiler on ranks.

All sources of this folder make one program for each host compiler; it prints a line a form. A comment `std: gnu++17` at the top of a
source names another language standard. Prints the table of forms.
"""
import concurrent.futures
import shlex
import shutil
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
import build  # noqa: E402
import launch  # noqa: E402

SECONDS = 120
STANDARDS = {".c": "gnu11", ".cpp": "gnu++20"}
# Plain compilers do not know the pragmas; behind streamap-cc none may be left over.
WARNINGS = ["-Wall", "-Wextra", "-Werror"]


class Host:
    """A pair of host compilers, and what they make of the forms."""

    def __init__(self, name, cc, cxx, options):
        self.name, self.options = name, options
        self.folder = options.folder / name
        self.plain = {".c": [cc], ".cpp": [cxx]}
        self.streamap = {".c": launch.from_anywhere(options.streamap_cc), ".cpp": launch.from_anywhere(options.streamap_cxx)}
        self.environment = {"STREAMAP_HOST_CC": cc, "STREAMAP_HOST_CXX": cxx}

    def compile(self, source, compilers, kind):
        """Returns what is wrong, or None."""
        head = source.read_text().split("*/", 1)[0]
        standard = head.partition("std: ")[2].split()[0] if "std: " in head else STANDARDS[source.suffix]
        output = self.folder / f"{source.name}.{kind}.o"
        output.unlink(missing_ok=True)
        command = [*compilers[source.suffix], f"-std={standard}", "-O2", "-g", *WARNINGS, f"-I{build.INCLUDE}", "-c", source.name,
                   "-o", str(output), *(["-Wno-unknown-pragmas"] if kind == "plain" else [])]
        done = launch.run(command, SECONDS, source.parent, self.environment)
        if done.code != 0 or done.out or done.err:
            return f"{self.name}: {shlex.join(command)}\n{done.out}{done.err}"
        return None

    def build(self, sources):
        """Compiles both programs; returns a list of what is wrong."""
        self.folder.mkdir(parents=True, exist_ok=True)
        jobs = [(s, c, k) for s in sources for c, k in ((self.plain, "plain"), (self.streamap, "forms"))]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            wrong = [error for error in pool.map(lambda job: self.compile(*job), jobs) if error]
        for compilers, kind in ((self.plain, "plain"), (self.streamap, "forms")):
            objects = [o for o in (self.folder / f"{s.name}.{kind}.o" for s in sources) if o.exists()]
            command = [*compilers[".cpp"], *map(str, objects), "-o", str(self.folder / kind), "-lm"]
            done = launch.run(command, SECONDS, environment=self.environment)
            if done.code != 0 or done.err:
                wrong.append(f"{self.name}: {shlex.join(command)}\n{done.out}{done.err}")
        return wrong

    def run(self, ranks):
        """(lines of the plain program, lines on ranks, what is wrong)."""
        plain = launch.run([str(self.folder / "plain")], SECONDS)
        ours = launch.run(launch.on_ranks(ranks, [str(self.folder / "forms")]), SECONDS)
        messages = launch.own_messages(ours.err).splitlines()
        wrong = [f"{self.name}: exit code {d.code}\n{d.out[-500:]}{d.err}" for d in (plain, ours) if d.code != 0]
        # One form asks for a GPU, and that is said once.
        wrong += [f"{self.name}: a message that nobody expects: {m}" for m in messages if "GPU" not in m]
        return lines_of(plain.out), lines_of(ours.out), wrong


def lines_of(text):
    """{form: (what it is, what it came to)}"""
    result = {}
    for line in text.splitlines():
        head, _, value = line.partition("):")
        name, _, what = head.partition(" (")
        result[name] = what, value
    return result


def hosts(options):
    names = {"gcc": (["gcc-12", "gcc"], ["g++-12", "g++"]), "clang": (["clang-19", "clang"], ["clang++-19", "clang++"])}
    for name, (cc, cxx) in names.items():
        if options.hosts and name not in options.hosts:
            continue
        found = [next(filter(None, map(shutil.which, choices)), None) for choices in (cc, cxx)]
        if all(found):
            yield Host(name, *found, options)
        else:
            print(f"SKIP {name}: there is no {cc[0]} and {cxx[0]} here")


def main():
    parser = build.parser(__doc__)
    build.add_options(parser)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--at-least", type=int, default=0, help="so many forms have to be there")
    parser.add_argument("--hosts", nargs="*", default=[], help="gcc, clang; all when none is named")
    parser.add_argument("sources", nargs="*", help="parts of source names; all when none is named")
    options = parser.parse_args()
    if launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    build.prepare_folder(options)
    sources = [HERE / "main.c"] + [s for s in sorted([*HERE.glob("c/*.c"), *HERE.glob("cxx/*.cpp")])
                                   if not options.sources or any(part in str(s) for part in options.sources)]
    begin, wrong, table = time.monotonic(), [], {}
    tried = list(hosts(options))
    for host in tried:
        wrong += host.build(sources)
        plain, ours, errors = host.run(options.ranks)
        wrong += errors
        for name in sorted({*plain, *ours}):
            right = name in plain and name in ours and plain[name] == ours[name]
            table.setdefault(name, {"what": plain.get(name, ours.get(name))[0]})[host.name] = right
            if not right:
                wrong.append(f"{host.name}: {name}: printed {ours.get(name)}, not {plain.get(name)}")
    for name, row in table.items():
        verdicts = "  ".join(f"{host.name} {'same' if row.get(host.name) else 'WRONG'}" for host in tried)
        print(f"{name:28} {verdicts}   {row['what']}")
    if len(table) < options.at_least:
        wrong.append(f"only {len(table)} forms")
    for error in wrong:
        print(f"FAIL {error}")
    print(f"{len(table)} forms by {len(tried)} host compilers on {options.ranks} ranks, {len(wrong)} wrong ({time.monotonic() - begin:.0f} s)")
    return 1 if wrong else 0 if tried else 77


if __name__ == "__main__":
    sys.exit(main())
