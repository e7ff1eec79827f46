#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plays the random programs of a range of seeds on so many ranks, and says which seed it was when one ends the process.

By hand:  run_random.py --binary build/bin/random_programs --ranks 3 --seeds 1-20000
"""
import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "harness"))
import launch  # noqa: E402


def last_seed(text):
    seeds = re.findall(r"^seed (\d+)$", text, re.MULTILINE)
    return seeds[-1] if seeds else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--ranks", type=int, required=True, help="0: without mpirun")
    parser.add_argument("--seeds", default="1-500", help="FIRST-LAST (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=None, help="time limit; by default a tenth of a second a seed, and 60")
    launch.add_env_option(parser)
    options = parser.parse_args()
    if options.ranks and launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    first, _, last = options.seeds.partition("-")
    seconds = options.seconds or 60 + 0.1 * (int(last or first) - int(first) + 1)

    def play(*words):
        return launch.run(launch.on_ranks(options.ranks, [str(options.binary.resolve()), *words, "--seeds", options.seeds]), seconds,
                          environment=dict(options.env))

    done = play()
    print(done.out, end="")
    if done.code == 0 and re.search(r"^\d+ random programs, 0 differ", done.out, re.MULTILINE):
        notices = len(done.err.splitlines())
        print(f"{done.seconds:.0f} s on {options.ranks or 'no'} ranks, {notices} lines of notices")
        return 0
    print(f"exit code {done.code}{', time limit' if done.timed_out else ''}\n{done.err[-4000:]}")
    if "differs" not in done.out and "no end after" not in done.err:
        again = play("--trace")
        print(f"once more: exit code {again.code}, the last seed that began is {last_seed(again.err)}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
