#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which bytes travel, by the runtime's own counters: those that must, and no others.

The head runs no tasks here (STREAMAP_HEAD_SLOTS=0), so every section has to leave home, and should do so once.
"""
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
import build  # noqa: E402
import launch  # noqa: E402

SECONDS = 60
MIB = 1 << 20
BLOCK = 64 << 10  # what is hashed, and sent again, as one
SMALL = 4096  # scalars and partial sums of a few steps


class Traffic:
    """Compiles a program, runs it on ranks, and keeps what it counted."""

    def __init__(self, options):
        self.options, self.binaries = options, {}

    def run(self, name, *arguments, ranks=3, environment=None):
        """Runs it, checks its answer against cc's, and returns the sum of the ranks' counters."""
        if name not in self.binaries:
            self.binaries[name] = build.compile_both(self.options, HERE / f"{name}.c")
        reference, binary = self.binaries[name]
        counters = self.options.folder / f"{name}-{ranks}.counters.json"
        counters.unlink(missing_ok=True)
        expected = launch.run([str(reference), *arguments], SECONDS)
        done = launch.run(launch.on_ranks(ranks, [str(binary), *arguments]), SECONDS, environment={
            "STREAMAP_HEAD_SLOTS": "0", "STREAMAP_COUNTERS": str(counters), **(environment or {})})
        if done.code != 0 or done.out != expected.out:
            raise AssertionError(f"{name}: exit code {done.code}\n{done.out}instead of\n{expected.out}{done.err}")
        return add_up(json.loads(counters.read_text()))


def add_up(counters):
    """The ranks' counters, summed by name; and how many ranks ran tasks."""
    ranks = counters["ranks"]
    names = [name for name in ranks[0] if name.endswith("bytes") or name == "tasks"]
    total = {name: sum(rank[name] for rank in ranks) for name in names}
    total["busy_ranks"] = sum(rank["tasks"] > 0 for rank in ranks)
    return total


def check(what, value, least, most):
    """One line a claim; a wrong one is counted."""
    right = least <= value <= most
    print(f"{'ok  ' if right else 'FAIL'} {what}: {value}" + ("" if right else f", expected {least} to {most}"), flush=True)
    return 0 if right else 1


def chain(traffic):
    """Between tasks nothing passes through the head: each array's bytes leave home at most once, and come home once."""
    size = 400000
    counted = traffic.run("chain", "24", environment={"STREAMAP_POLICY": "round-robin"})
    return (check("chain: ranks that ran tasks", counted["busy_ranks"], 2, 2)
            + check("chain: bytes out of home", counted["from_home_bytes"], size, 2 * size)
            + check("chain: bytes into home", counted["into_home_bytes"], 2 * size, 2 * size)
            + check("chain: bytes between workers", counted["between_workers_bytes"], 20 * size, 24 * size))


def one_number(traffic):
    """wait on(most) moves one number a step; the field moves out once and home once."""
    counted = traffic.run("one_number", "12")
    return (check("one_number: bytes out of home", counted["from_home_bytes"], 4 * MIB, 4 * MIB + SMALL)
            + check("one_number: bytes into home", counted["into_home_bytes"], 4 * MIB, 4 * MIB + SMALL))


def unchanged(traffic):
    """What main left alone between waits is not sent again; where it changed one number, a block is."""
    rounds = 6
    counted = traffic.run("unchanged", str(rounds))
    wrong = check("unchanged: bytes out of home", counted["from_home_bytes"], 4 * MIB, 2 * 4 * MIB + rounds * SMALL)
    counted = traffic.run("unchanged", str(rounds), "touch")
    return wrong + check("one number changed: bytes out of home", counted["from_home_bytes"], 4 * MIB + (rounds - 1) * 4,
                         2 * 4 * MIB + (rounds - 1) * 2 * (BLOCK + SMALL))


def main():
    parser = build.parser(__doc__)
    build.add_options(parser)
    options = parser.parse_args()
    if launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    build.prepare_folder(options)
    traffic = Traffic(options)
    wrong = sum(part(traffic) for part in (chain, one_number, unchanged))
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
