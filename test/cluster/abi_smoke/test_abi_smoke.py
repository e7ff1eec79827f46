#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C ABI on 1 to 4 ranks and without mpirun, by a program with hand-written descriptors: right answers, and ends that end.

By hand: test_abi_smoke.py --repeat 50 PROGRAM
"""
import argparse
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "harness"))
import launch  # noqa: E402

SECONDS = 60

# Arguments, exit code, what must stand in the one message (None: no message).
CASES = [(["none"], 0, None), (["all"], 0, None), (["outstanding"], 0, None), (["large", "40000000"], 0, None),
         (["library", "LIBRARY"], 0, None), (["crash", "1"], 1, r"crash failed on rank \d: signal SIGSEGV at address 0x10"),
         (["crash", "3"], 1, r"crash failed on rank \d: it called exit\(3\)"), (["mpi"], 1, r"calls MPI_Init"),
         (["locale"], 0, None)]


def judge(done, code, message):
    own = launch.own_messages(done.err).strip()
    if done.timed_out:
        return f"no end after {SECONDS} s"
    if done.code != code:
        return f"exit code {done.code}, not {code}: {own}"
    if message is None:
        return f"a message: {own}" if own else None
    if not re.search(message, own):
        return f"nothing like '{message}' in: {own}"
    return None if own.count("streamap: error") == 1 else f"more than one message: {own}"


def check_counters(program, folder):
    """Data that main has not changed is not sent again, and a chain on a worker does not come home in between."""
    path = folder / "counters.json"
    done = launch.run(launch.on_ranks(2, [program, "unchanged"]), SECONDS,
                      environment={"STREAMAP_COUNTERS": str(path), "STREAMAP_HEAD_SLOTS": "0"})
    problem = judge(done, 0, None)
    if problem:
        return problem
    total = json.loads(path.read_text())["total"]
    if total["tasks"] != 10:
        return f"{total['tasks']} tasks counted, not 10"
    array = 8 * 100000
    if not array <= total["from_home_bytes"] < 2 * array or total["unchanged_bytes"] < 8 * array:
        return f"sent again although unchanged: {total}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("library", nargs="?", default="")
    parser.add_argument("--folder", type=Path, default=Path("."))
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    failures = runs = 0
    for _ in range(options.repeat):
        for arguments, code, message in CASES:
            command = [options.program, *(options.library if a == "LIBRARY" else a for a in arguments)]
            if "LIBRARY" in arguments and not options.library:
                continue
            for ranks in range(5):
                for head_slots in ("0", "auto") if ranks > 1 else ("auto",):
                    start = launch.on_ranks(ranks, command, crashes=arguments[0] == "crash")
                    done = launch.run(start, SECONDS, environment={"STREAMAP_HEAD_SLOTS": head_slots})
                    problem = judge(done, code, message)
                    runs += 1
                    if problem:
                        failures += 1
                        print(f"FAIL {' '.join(arguments)} on {ranks or 'no'} ranks, head slots {head_slots}: {problem}")
    problem = check_counters(options.program, options.folder)
    if problem:
        failures += 1
        print(f"FAIL counters: {problem}")
    print(f"{runs + 1 - failures} of {runs + 1} right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
