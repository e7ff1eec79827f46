#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A million tasks on 1,000 nodes with 8 GPUs each: under 60 s and 4 GiB. What assigning a task costs from 10 to 10,000 nodes: printed, and
no worse than the logarithm of the nodes."""
import json
import math
import resource
import subprocess
import sys

SIM = sys.argv[1]
MOST_SECONDS, MOST_BYTES = 60, 4 << 30


def check_million():
    run = subprocess.run(
        [SIM, "--nodes", "1000", "--cores", "8", "--gpus", "8", "--max-tasks", "100000", "--json", "--generate",
         "random:tasks=1000000,width=20000,reach=32"], capture_output=True, text=True, timeout=500, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)  # of one thread: what passes on a machine that has nothing else to do
    seconds, most = used.ru_utime + used.ru_stime, used.ru_maxrss * 1024
    report = json.loads(run.stdout)
    eft = report["policies"][0]
    print(f"{report['tasks']} tasks on {report['cluster']}: {seconds:.1f} s, {most / 2**30:.2f} GiB, "
          f"{eft['assign_us_per_task']:.1f} us of assignment a task, {eft['over_bound']:.3f} of the bound")
    return report["tasks"] == 1_000_000 and "stopped" not in eft and seconds < MOST_SECONDS and most < MOST_BYTES


def check_curve():
    out = subprocess.run([SIM, "--curve"], capture_output=True, text=True, timeout=500, check=True).stdout
    print(out, end="")
    points = [(int(line.split()[0]), float(line.split()[1])) for line in out.splitlines()[2:]]
    (few, base), (many, last) = points[0], points[-1]
    # A constant part is there in every placement, so a cost that grows as log(nodes) stays below this.
    limit = base * math.log(many) / math.log(few)
    print(f"from {few} to {many} nodes: {last / base:.2f} times; log(nodes) grows {math.log(many) / math.log(few):.2f} times")
    return few == 10 and many == 10_000 and last <= limit


results = [check_million(), check_curve()]
sys.exit(0 if all(results) else 1)
