#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assignment in a live cluster of emulated devices whose speed is modelled: the time of the best static placement, tasks that leave a
device that has become slow, shares, the choice between processor and device, and a file that says why."""
import argparse
import json
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "harness"))
import launch  # noqa: E402

SECONDS = 60
# A kernel of 800 iterations takes 80 ms on the one and 20 ms on the other.
ITERATIONS, SLOW, FAST = 800, "speed=0.00001", "speed=0.00004"
SLOW_MS, FAST_MS = 80, 20
NEAR = 1.15  # of the best static placement
TRIES = 3  # a machine that others use, too, is slow at times


class Test:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.failures = self.checks = 0

    def check(self, right, text):
        self.checks += 1
        self.failures += not right
        print(("ok   " if right else "FAIL ") + text)

    def run(self, ranks, devices, arguments, **settings):
        """Milliseconds, and where the tasks ran: (rank, device, begin, end)."""
        trace = self.folder / "trace.json"
        environment = {"STREAMAP_DEVICES": devices, "STREAMAP_TRACE": str(trace), "STREAMAP_SLOTS": "2", "STREAMAP_HISTORY": "none",
                       **{"STREAMAP_" + key.upper(): str(value) for key, value in settings.items()}}
        done = launch.run(launch.on_ranks(ranks, [self.program, *map(str, arguments)]), SECONDS, environment=environment)
        if done.code != 0:
            raise SystemExit(f"{arguments} on {devices}: exit code {done.code}\n{done.out}{done.err}")
        events = [e for e in json.loads(trace.read_text())["traceEvents"] if e.get("cat") == "task"]
        runs = [(e["pid"], e["args"]["device"], e["ts"], e["ts"] + e["dur"]) for e in events]
        return float(done.out), runs


def best_static(times, count):
    """The makespan of the best placement of equal tasks, when it is known how long each processor takes."""
    free = [0.0] * len(times)
    for _ in range(count):
        next_one = min(range(len(times)), key=lambda k: free[k] + times[k])
        free[next_one] += times[next_one]
    return max(free)


def most_at_a_time(runs):
    edges = sorted([(begin, 1) for _, _, begin, _ in runs] + [(end, -1) for _, _, _, end in runs])
    now = most = 0
    for _, step in edges:
        now += step
        most = max(most, now)
    return most


def two_speeds(test):
    history = test.folder / "run-times"
    history.unlink(missing_ok=True)
    devices = f"emulated:1,{SLOW},name=slow;emulated:1,{FAST},name=fast"
    count = 100
    best = best_static([SLOW_MS, FAST_MS] * 2, count)
    cold, _ = test.run(2, devices, [count, "G", 100, ITERATIONS], history=history)
    test.check(history.read_text().startswith("streamap-estimates 1\n"), "run times are kept")
    warm, shares = min((test.run(2, devices, [count, "G", 100, ITERATIONS], history=history) for _ in range(TRIES)), key=lambda r: r[0])
    where = Counter((rank, device) for rank, device, _, _ in shares)
    test.check(warm <= NEAR * best, f"{count} tasks on two slow and two fast devices: {warm:.0f} ms; best static placement {best:.0f} ms; {dict(where)}")
    test.check(cold <= 1.6 * best, f"the same when nothing is known: {cold:.0f} ms")


def moves_away(test):
    """Two devices that say they are alike, of which one is four times slower: as if others used it."""
    devices = f"emulated:1,{FAST},name=same;emulated:1,{SLOW},name=same"
    _, runs = test.run(0, devices, [60, "G", 100, ITERATIONS])
    where = Counter(device for _, device, _, _ in runs)
    test.check(where["gpu0"] > 2 * where["gpu1"], f"tasks leave a device that is slower than its like: {dict(where)}")


def shares(test):
    def together(share, memory="64MiB"):
        """How many kernels of 100 ms run at a time."""
        _, runs = test.run(0, f"emulated:1,memory={memory}", [8, "G", share, 1, 0, 100])
        return most_at_a_time(runs)

    for share, number in ((25, 4), (33, 3), (50, 2), (60, 1), (100, 1)):
        found = together(share)
        test.check(found == number, f"tasks of {share} %: {found} at a time")


def either(test):
    """A kernel of 20 ms, or 100 ms on a core: two cores and a device."""
    history = test.folder / "run-times-either"
    history.unlink(missing_ok=True)
    count = 60
    best = best_static([20, 100, 100], count)
    for _ in range(2):
        took, runs = min((test.run(0, f"emulated:1,{FAST}", [count, "A", 100, ITERATIONS, 100], history=history) for _ in range(TRIES)),
                         key=lambda r: r[0])
    where = Counter(device for _, device, _, _ in runs)
    test.check(took <= NEAR * best, f"{count} tasks of either kind: {took:.0f} ms; best static placement {best:.0f} ms; {dict(where)}")


def says_why(test):
    why = test.folder / "why.jsonl"
    test.run(2, f"emulated:1,{SLOW},name=slow;emulated:1,{FAST},name=fast", [10, "G", 100, ITERATIONS], explain=why)
    lines = [json.loads(line) for line in why.read_text().splitlines()]
    test.check(len(lines) == 10, f"{len(lines)} placements are explained")
    test.check(all(line["reason"] and line["offers"] and len(line["offers"]) + len(line["rejected"]) == 6 for line in lines),
               "each with all six processors, chosen from or rejected")
    test.check(all(any("asks for a device" in r["why"] for r in line["rejected"]) for line in lines), "cores are rejected with the reason")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--folder", type=Path, default=Path("."))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    test = Test(options.program, options.folder)
    for part in (two_speeds, moves_away, shares, either, says_why):
        part(test)
    print(f"{test.checks - test.failures} of {test.checks} right")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
