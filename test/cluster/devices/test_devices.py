#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""G tasks on emulated devices, on 1 to 3 ranks and without mpirun: the right answer, and every G task on a device whenever there is one."""
import argparse
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "harness"))
import launch  # noqa: E402

SECONDS = 60
STEPS = 40
NOTICE = r"relax asks for a GPU, and none can be used.*: its C version runs instead"

# The setting, and whether there are devices.
DEVICES = [("emulated:1", True), ("emulated:2,memory=1MiB", True), ("emulated:1,memory=400KiB,guard=off", True),
           ("emulated:1,per=node", True), ("host:1", True), ("none", False), ("auto", None)]


def run(program, ranks, setting, arguments, folder):
    trace, counters = folder / "trace.json", folder / "counters.json"
    done = launch.run(launch.on_ranks(ranks, [program, *arguments]), SECONDS,
                      environment={"STREAMAP_DEVICES": setting, "STREAMAP_TRACE": str(trace), "STREAMAP_COUNTERS": str(counters)})
    return done, trace, counters


def judge(done, trace, counters, has_devices, gpu_tasks):
    own = launch.own_messages(done.err).strip()
    if done.timed_out:
        return f"no end after {SECONDS} s"
    if done.code != 0:
        return f"exit code {done.code}: {own} {done.err}"
    if has_devices is None:  # whatever this machine has
        return None
    on_devices = [e for e in json.loads(trace.read_text())["traceEvents"] if e.get("cat") == "task" and e["args"]["resource"] == "G"]
    total = json.loads(counters.read_text())["total"]["device_tasks"]
    wanted = STEPS * gpu_tasks if has_devices else 0
    if len(on_devices) != wanted or total != wanted:
        return f"{len(on_devices)} G tasks in the trace and {total} in the counters, not {wanted}"
    if has_devices or gpu_tasks == 0:
        return f"a message: {own}" if own else None
    return None if len(re.findall(NOTICE, own)) == 1 and own.count("\n") == 0 else f"not one notice: {own}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--folder", type=Path, default=Path("."))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    failures = runs = 0
    for setting, has_devices in DEVICES:
        for ranks in (0, 2, 3) if setting.startswith("emulated") else (0, 2):
            for gpu, cpu in ((3, 0), (2, 2)):
                done, trace, counters = run(options.program, ranks, setting, [str(gpu), str(cpu)], options.folder)
                problem = judge(done, trace, counters, has_devices, gpu)
                runs += 1
                if problem:
                    failures += 1
                    print(f"FAIL {gpu}:G, {cpu}:C on {ranks or 'no'} ranks with {setting}: {problem}")
    # A device that breaks: what only it had is lost, so the program may end, but with one message and at once.
    done, _, _ = run(options.program, 2, "emulated:1,fault=30", ["2", "2"], options.folder)
    own = launch.own_messages(done.err)
    runs += 1
    if done.timed_out or (done.code != 0 and own.count("streamap: error") != 1):
        failures += 1
        print(f"FAIL a device that breaks: exit code {done.code}: {own}")
    # A wrong value stops the program before main.
    done, _, _ = run(options.program, 0, "emulated:1,memroy=1GiB", ["1", "1"], options.folder)
    runs += 1
    if done.code == 0 or "did you mean 'memory'?" not in done.err:
        failures += 1
        print(f"FAIL a wrong option: exit code {done.code}: {done.err}")
    print(f"{runs - failures} of {runs} right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
