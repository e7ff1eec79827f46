# Whether streamap-cc may stand where a compiler stood.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each command line of the table by the host compiler and by streamap-cc in front of it, in the same folder under the same name, and
compares the exit code, the two streams and every file that is there afterwards, byte for byte."""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import cases

LIMIT = 60  # seconds a command line
OBJECTS = {b"\x7fELF", b"!<ar", b"BC\xc0\xde", b"gpch", b"CPCH"}


def fill(folder):
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in cases.FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        os.utime(path, (1_000_000_000, 1_000_000_000))


def contents(folder):
    """Every file by its name: its bytes and whether it may be executed."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), os.access(path, os.X_OK))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def outcome(compiler, line, folder, environment):
    fill(folder)
    command = line.replace("{cc}", shlex.join(compiler))
    # A pipe, not a terminal, and no words of the user's language.
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, timeout=LIMIT, check=False)
    return done.returncode, done.stdout, done.stderr, contents(folder)


def without_temporaries(text):
    """Names of temporary files differ from run to run: gcc tells them in messages of the linker."""
    return re.sub(rb"/tmp/[\w./-]+", b"/tmp/*", text)


def differences(kind, theirs, ours):
    """What differs, in words, or nothing."""
    if theirs[0] != ours[0]:
        yield f"exit code {theirs[0]}, then {ours[0]}"
    for index, stream in ((1, "standard output"), (2, "standard error")):
        one, two = (without_temporaries(result[index]) for result in (theirs, ours))
        if one != two:
            yield f"{stream}: {one.decode(errors='replace')!r}\n   then {two.decode(errors='replace')!r}"
    for name in sorted(theirs[3].keys() | ours[3].keys()):
        if name not in ours[3]:
            yield f"'{name}' is missing"
        elif name not in theirs[3]:
            yield f"'{name}' is there beside"
        elif theirs[3][name][1] != ours[3][name][1]:
            yield f"'{name}' may be executed by one only"
        elif theirs[3][name][0] != ours[3][name][0] and not (kind == "names" and machine_code(name, theirs[3][name][0])):
            yield f"'{name}' has other bytes"


def machine_code(name, data):
    # Counters of coverage carry a time stamp.
    return data[:4] in OBJECTS or name.endswith((".gcno", ".gcda"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", required=True, help="the compiler that streamap-cc stands for")
    parser.add_argument("--streamap-cc", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--only", help="cases whose name contains this")
    options = parser.parse_args()
    if not shutil.which(options.host):
        print(f"SKIP: {options.host} is not installed")
        return 77
    environment = {**os.environ, "LC_ALL": "C", "STREAMAP_HOST_CC": options.host, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    folder = options.folder.resolve() / "w"
    wrong = run = 0
    for name, (kind, line) in cases.CASES.items():
        if options.only and options.only not in name:
            continue
        run += 1
        theirs = outcome([options.host], line, folder, environment)
        ours = outcome([options.streamap_cc], line, folder, environment)
        found = list(differences(kind, theirs, ours))
        wrong += bool(found)
        print(f"{'FAIL' if found else 'same'}  {name}", *found, sep="\n     ", flush=True)
    print(f"{run} command lines, {wrong} wrong")
    return 1 if wrong or run == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
