# Starts compiles that take long and ends them by signals: while the front end works, and while the host compiler does.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

folder, compiler = Path(sys.argv[1]), sys.argv[2]
source, output, private = folder / "long.c", folder / "long.o", folder / "tmp"
source.write_text("#pragma streamap resource 1:C inout(x[0:1])\nvoid set(int *x) { *x = 1; }\n" + "".join(
    f"int f{i}(int a) {{ int s = 0; for (int k = 0; k < a; ++k) s += k * {i} ^ a; return s; }}\n" for i in range(4000)))


def heed_all():
    """The tool goes on ignoring what its caller ignores, and lit ignores interrupts."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def wait_until(condition, process):
    limit = time.monotonic() + 60
    while not condition() and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.005)


moments = {
    "translating": lambda: any(private.iterdir()),
    "compiling": lambda: any(private.glob("streamap-*/*.streamap.c")),
}
bad = 0
for name, reached in moments.items():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = subprocess.Popen([compiler, "-O2", "-c", source, "-o", output], stderr=subprocess.DEVNULL, preexec_fn=heed_all)
        wait_until(reached, process)
        process.send_signal(number)
        status = process.wait(timeout=60)
        left = [str(path) for path in private.iterdir()] + ([str(output)] if output.exists() else [])
        if status != -number or left:
            print(f"{name}, {number.name}: status {status}, left behind: {left}")
            bad += 1
sys.exit(1 if bad else 0)
