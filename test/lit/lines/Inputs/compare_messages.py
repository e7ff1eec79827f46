# Compiles a source once for each of its mistakes, by streamap-cc and by its host compiler, and compares the messages.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys
from pathlib import Path

tool, host, source, *options = sys.argv[1:]
MESSAGE = re.compile(r"^(?:[^\s:]+:\d+(?::\d+)?: .*|.*: In function .*)$", re.M)
OPTIONS = [*options, "-Wall", "-Wextra", "-Wsign-compare", "-Wno-unknown-pragmas", "-c", source, "-o", "out.o"]


def messages(command, mistake):
    done = subprocess.run([*command, *OPTIONS, f"-DMISTAKE={mistake}"], capture_output=True, text=True,
                          env={**os.environ, "STREAMAP_HOST_CC": host, "STREAMAP_HOST_CXX": host})
    return done.returncode, MESSAGE.findall(done.stderr)


last = max(int(number) for number in re.findall(r"MISTAKE == (\d+)", Path(source).read_text()))
different = 0
for mistake in range(last + 1):
    ours, theirs = messages([tool], mistake), messages([host], mistake)
    if not theirs[1]:
        sys.exit(f"mistake {mistake}: {host} says nothing, so nothing is compared")
    if ours != theirs:
        different += 1
        print(f"mistake {mistake}: streamap-cc says {ours}\n{host} says {theirs}")
sys.exit(1 if different else 0)
