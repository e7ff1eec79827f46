#!/usr/bin/env python3
# Builds the samples with the plain compiler and with streamap-cc, runs both, and shows their answers and who ran what.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import collections
import json
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test" / "harness"))
import launch  # noqa: E402

# Sample, its arguments, and how far a number in its answer may be from the serial one (floating-point sums: see docs/language.md).
SAMPLES = [("pi", [], 1e-12), ("cholesky", [], 0.0), ("heat", ["-n", "200", "-e", "50", "-o", "frames", "start.png"], 0.0),
           ("quantize", ["-k", "12", "-s", "frames/scene.png", "-o", "frames/quantized.png"], 0.0), ("nbody", [], 0.0)]


def run(command, folder, environment=None):
    """Runs a command and returns its output and seconds. A failure ends the demo."""
    done = launch.run(command, 300, folder, environment)
    if done.code != 0:
        sys.exit(f"{shlex.join(command)}: exit code {done.code}\n{done.out}{done.err}")
    sys.stderr.write(done.err)
    return done.out.strip(), done.seconds


NUMBER = re.compile(r"[-+]?\d+\.\d+(?:[eE][-+]?\d+)?")


def same_answer(serial, distributed, tolerance):
    """Equal but for decimal numbers, which may differ by the tolerance."""
    if tolerance == 0.0:
        return serial == distributed
    numbers = zip(NUMBER.findall(serial), NUMBER.findall(distributed))
    return NUMBER.sub("#", serial) == NUMBER.sub("#", distributed) and all(abs(float(a) - float(b)) <= tolerance for a, b in numbers)


def tasks_by_rank(trace):
    """From a Chrome trace: {rank: Counter of task names}, {rank: name of the process}."""
    events = json.loads(trace.read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    tasks, names = collections.defaultdict(collections.Counter), {}
    for event in events:
        if event.get("ph") == "X":
            tasks[event["pid"]][event["name"]] += 1
        elif event.get("ph") == "M" and event.get("name") == "process_name":
            names[event["pid"]] = event["args"]["name"]
    return tasks, names


def show(sample, arguments, tolerance, ranks, folder):
    serial, serial_seconds = run([f"./{sample}-serial", *arguments], folder)
    trace = folder / "trace.json"
    distributed, seconds = run(launch.on_ranks(ranks, [f"./{sample}", *arguments]), folder, {"STREAMAP_TRACE": str(trace)})
    same = same_answer(serial, distributed, tolerance)
    verdict = "same answer" + (f", within {tolerance:g}" if serial != distributed else ", bit for bit")

    print(f"\n--- {sample}")
    print(f"cc, serial             {serial_seconds:6.2f} s   " + serial.replace("\n", "\n" + " " * 34))
    print(f"streamap-cc, {ranks} ranks   {seconds:6.2f} s   " + distributed.replace("\n", "\n" + " " * 34))
    print("                                  " + (verdict if same else "DIFFERENT ANSWERS"))
    tasks, names = tasks_by_rank(trace)
    for rank in range(ranks):
        ran = ", ".join(f"{count} x {name}" for name, count in sorted(tasks[rank].items())) or "nothing"
        print(f"  {names.get(rank, f'rank {rank}')}: {ran}")
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="build folder, with bin/streamap-cc")
    parser.add_argument("--ranks", type=int, default=3)
    options = parser.parse_args()
    compiler = (options.build / "bin" / "streamap-cc").resolve()
    home = options.build.resolve() / "demo"

    right = True
    for sample, arguments, tolerance in SAMPLES:
        folder = home / sample
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(ROOT / "samples" / sample, folder)
        (folder / "frames").mkdir()
        run(["make", f"STREAMAP_CC={compiler}", f"STREAMAP_CXX={compiler.with_name('streamap-c++')}"], folder)
        right = show(sample, arguments, tolerance, options.ranks, folder) and right

    picture = home / "heat" / "trace.svg"
    run([sys.executable, str(ROOT / "docs/pictures/draw_trace.py"), "trace.json", "-o", str(picture)], home / "heat")
    relative = os.path.relpath(home / "heat")
    print("\nThe inputs are small, and the times hold the start of mpirun: this shows answers, not speed.")
    print(f"The plate is in {relative}/frames, who ran when in {relative}/trace.svg (and trace.json, for https://ui.perfetto.dev).")
    print(f"The picture in few colours is {os.path.relpath(home / 'quantize')}/frames/quantized.png.")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
