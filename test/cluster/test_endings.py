#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ends of a program: with tasks outstanding, without any task, and by a failing task. Each many times, since it is about races.

Every run must end by itself, with the right exit code, with what plain C would have printed, and with at most one message.
By hand: test_endings.py --repeat 200 ...
"""
import collections
import concurrent.futures
import re
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
import build  # noqa: E402
import launch  # noqa: E402

SECONDS = 40  # a run; it takes one or two
ROUND = 20  # runs between two lines of output
SOURCE = HERE / "endings.c"
FAIL_LINE = 1 + next(k for k, line in enumerate(SOURCE.read_text().splitlines(), 1) if line.startswith("void fail(")) - 2

# Arguments; what goes wrong inside a task, or None.
CASES = [(["exit", "5"], None), (["exit"], None), (["return"], None), (["return", "9"], None), (["nothing"], None), (["nothing", "7"], None),
         (["segfault"], "SIGSEGV"), (["abort"], "SIGABRT"), (["exit-in-task"], r"exit\(3\)"), (["zero-division"], "SIGFPE")]


def judge(case, done, reference):
    """What is wrong with a run, or None."""
    arguments, failure = case
    messages = launch.own_messages(done.err).strip()
    if done.timed_out:
        return f"no end after {SECONDS} s"
    if failure is None:
        if done.code != reference.code:
            return f"exit code {done.code}, not {reference.code}"
        if done.out != reference.out:
            return f"printed\n{done.out}instead of\n{reference.out}"
        return f"messages: {messages}" if messages else None
    if done.code == 0:
        return "exit code 0 although a task failed"
    if "main goes on" in done.out:
        return "main went on behind a failed task"
    if len(launch.one_each(messages)) != 1:
        return f"{len(launch.one_each(messages))} messages, not one"
    for what in (rf"endings\.c:{FAIL_LINE}\b", r"\bfail\b", r"rank \d", failure):
        if not re.search(what, messages):
            return f"nothing like '{what}' in the message: {messages}"
    return None


def repeated(options, name, once, begin):
    """What was wrong, a text each, with the runs of one case. Says every ROUND runs how far it is: 200 repeats take a quarter of an hour."""
    errors = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for count, error in enumerate(pool.map(once, range(options.repeat)), 1):
            if error:
                errors.append(error)
            if count % ROUND == 0 or count == options.repeat:
                print(f"{name}: {count} of {options.repeat} runs, {len(errors)} wrong ({time.monotonic() - begin:.0f} s)", flush=True)
    return errors


def main():
    parser = build.parser(__doc__)
    build.add_options(parser)
    parser.add_argument("--repeat", type=int, default=20, help="runs a case (default %(default)s)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("cases", nargs="*", help="first arguments of the cases to run")
    options = parser.parse_args()
    if launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    build.prepare_folder(options)
    reference, binary = build.compile_both(options, SOURCE, may_warn=True)  # of the exit() in a task
    cases = [case for case in CASES if not options.cases or case[0][0] in options.cases]
    begin, wrong = time.monotonic(), 0
    for case in cases:
        expected = launch.run([str(reference), *case[0]], SECONDS)

        def once(number):
            ranks = (0, 1, 2, 3)[number % 4]
            done = launch.run(launch.on_ranks(ranks, [str(binary), *case[0]], crashes=case[1] is not None), SECONDS)
            error = judge(case, done, expected)
            return error and f"on {ranks} ranks: {error}\n--- standard output\n{done.out}--- standard error\n{done.err}"

        errors = repeated(options, " ".join(case[0]), once, begin)
        wrong += len(errors)
        for error, count in collections.Counter(errors).most_common(3):
            print(f"FAIL {' '.join(case[0])}, {count} of {options.repeat}: {error}", flush=True)
    print(f"{len(cases)} ways to end, {options.repeat} runs each: {wrong} wrong ({time.monotonic() - begin:.0f} s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
