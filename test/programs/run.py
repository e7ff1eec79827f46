#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles each C and C++ program of a folder with the plain compiler and with streamap-cc, and compares what they print.

Comments at the top of a program say what is expected beside equal output (each on a line of its own):
  tolerance: T           decimal numbers may differ from cc's by T, relatively; among rank counts they must be equal
  expect-stderr: REGEX   a message that must come
  expect-stderr-lines: N how many lines of messages there are (without expect-stderr: none)
  expect-exit: failure   the exit code is not 0
  env: NAME=VALUE        an environment variable
  std: gnu++17           another language standard than the usual one
A program that cannot do its work on this machine prints "SKIP" and why.
"""
import concurrent.futures
import re
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
import build  # noqa: E402
import launch  # noqa: E402

SECONDS = 60  # a program, on any number of ranks
KEYS = ("tolerance", "expect-stderr", "expect-stderr-lines", "expect-exit", "env", "std")


class Program:
    def __init__(self, source, folder):
        self.name = source.stem
        self.source = source
        self.reference = folder / f"{self.name}.cc"
        self.binary = folder / self.name
        self.expected = folder / f"{self.name}.expected"
        self.distributed = folder / f"{self.name}.distributed"  # what the first distributed run printed, where a tolerance is given
        self.wants = {}
        for line in source.read_text().split("*/", 1)[0].splitlines():
            key, colon, value = line.strip(" *").partition(": ")
            if colon and key in KEYS:
                self.wants[key] = value
        name, _, value = self.wants.get("env", "").partition("=")
        self.environment = {name: value} if name else {}

    def build(self, options):
        """Compiles both, and runs the reference. Returns what is wrong, or None."""
        if self.source.suffix == ".cpp":
            compile_one, plain, ours = build.compile_cxx, options.cxx, options.streamap_cxx
        else:
            compile_one, plain, ours = build.compile_c, options.cc, options.streamap_cc
        standard = [f"-std={self.wants['std']}"] if "std" in self.wants else []
        for compiler, output in ((plain, self.reference), (ours, self.binary)):
            output.unlink(missing_ok=True)
            error = compile_one(compiler, [self.source], output, [*build.STRICT, *standard])
            if error:
                return error
        done = launch.run([str(self.reference)], SECONDS, environment=self.environment)
        if done.code != 0:
            return f"built by the plain compiler it ends with {done.code}\n{done.out}{done.err}"
        self.expected.write_text(done.out)
        self.distributed.unlink(missing_ok=True)
        return None

    def judge(self, done):
        """What is wrong with a run, or None."""
        if done.timed_out:
            return f"still running after {SECONDS} s\n{done.out}{done.err}"
        messages = launch.own_messages(done.err)
        if (done.code != 0) != (self.wants.get("expect-exit") == "failure"):
            return f"exit code {done.code}\n{done.out}{done.err}"
        expected = self.expected.read_text()
        if not same(expected, done.out, float(self.wants.get("tolerance", 0))):
            return "another answer than cc\n" + difference(expected, done.out) + messages
        if "tolerance" in self.wants:
            if self.distributed.exists() and self.distributed.read_text() != done.out:
                return "another answer than on other ranks\n" + difference(self.distributed.read_text(), done.out)
            self.distributed.write_text(done.out)
        pattern = self.wants.get("expect-stderr")
        if pattern and not re.search(pattern, messages):
            return f"no message like '{pattern}'\n{messages}"
        lines = self.wants.get("expect-stderr-lines")
        if lines and len(messages.splitlines()) != int(lines):
            return f"{len(messages.splitlines())} lines of messages, not {lines}\n{messages}"
        if not pattern and not lines and messages.strip():
            return f"messages that nobody expects\n{messages}"
        return None


NUMBER = re.compile(r"[-+]?\d+\.\d+(?:e[-+]?\d+)?")


def same(expected, got, tolerance):
    if tolerance == 0:
        return expected == got
    pairs = zip(NUMBER.findall(expected), NUMBER.findall(got))
    return NUMBER.sub("#", expected) == NUMBER.sub("#", got) and all(
        abs(float(a) - float(b)) <= tolerance * max(abs(float(a)), abs(float(b))) for a, b in pairs)


def difference(expected, got, most=8):
    """The first lines that differ, both ways."""
    lines = []
    a, b = expected.splitlines(), got.splitlines()
    for k in range(max(len(a), len(b))):
        left, right = a[k] if k < len(a) else "(nothing)", b[k] if k < len(b) else "(nothing)"
        if left != right:
            lines.append(f"  line {k + 1}: {left}\n      not: {right}\n")
    return "".join(lines[:most]) + (f"  and {len(lines) - most} more\n" if len(lines) > most else "")


def each(programs, jobs, action):
    """Does action(program) for all, so many at a time; yields (program, result) in order."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from zip(programs, pool.map(action, programs))


def build_all(programs, options):
    wrong = 0
    for program, error in each(programs, options.jobs, lambda p: p.build(options)):
        if error:
            wrong += 1
            print(f"FAIL {program.name}: {error}", flush=True)
    return wrong


def run_all(programs, ranks, options):
    begin, wrong, skipped = time.monotonic(), 0, 0

    def start(program):
        if not program.binary.exists() or not program.expected.exists():
            return "it was not built"
        done = launch.run(launch.on_ranks(ranks, [str(program.binary)]), SECONDS, options.folder,
                          {**program.environment, **dict(options.env)})
        return done.out.strip() if done.out.startswith("SKIP") else program.judge(done)

    for program, error in each(programs, options.jobs, start):
        if error and error.startswith("SKIP"):
            skipped += 1
            print(f"SKIP {program.name}: {error[4:].strip()}", flush=True)
        elif error:
            wrong += 1
            print(f"FAIL {program.name}: {error}", flush=True)
    how = "without mpirun" if ranks == 0 else f"on {ranks} rank{'s' if ranks > 1 else ''}"
    how += "".join(f", {name}={value}" for name, value in options.env)
    print(f"{len(programs)} programs {how}: {len(programs) - wrong - skipped} as with cc, {wrong} wrong, {skipped} skipped "
          f"({time.monotonic() - begin:.0f} s)")
    return wrong


def main():
    parser = build.parser(__doc__)
    build.add_options(parser)
    parser.add_argument("--sources", type=Path, default=HERE, help="the folder of the programs (default: this script's)")
    parser.add_argument("--ranks", type=int, action="append", default=[], help="0: without mpirun; may be repeated")
    launch.add_env_option(parser)
    parser.add_argument("--build", action="store_true", help="compile first; without --ranks: only compile")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*", help="programs; all when none is named")
    options = parser.parse_args()
    build.prepare_folder(options)
    sources = sorted([*options.sources.glob("*.c"), *options.sources.glob("*.cpp")])
    programs = [Program(s, options.folder) for s in sources if not options.names or s.stem in options.names]
    if not programs:
        sys.exit("no such program")
    if any(options.ranks) and launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    wrong = build_all(programs, options) if options.build else 0
    for ranks in options.ranks:
        wrong += run_all(programs, ranks, options)
    if options.build and not options.ranks:
        print(f"{len(programs)} programs compiled twice, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
