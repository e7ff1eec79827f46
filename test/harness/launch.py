# How tests start programs: the one place that knows mpirun's command line.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starting programs on ranks, with a time limit that takes the whole process group along."""

import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

# A rank is told to run with its threads anywhere: Open MPI's own binding puts all threads of a rank on one core for -np <= 2.
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]

# For programs built with a sanitizer. Open MPI 4.1 keeps what its plug-ins allocated and unloads them, so its leaks have no name by
# which they could be suppressed: ours are looked for in the runs without mpirun. Its own races are in the list of suppressions.
SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=0", "TSAN_OPTIONS": f"suppressions={Path(__file__).resolve().parent / 'tsan.supp'}"}

# For programs that are meant to crash: the runtime leaves signals to whoever has a handler, and the sanitizers have.
LEAVE_SIGNALS = ":handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:handle_abort=0"

# By which all limits are multiplied: a sanitizer's programs are slower (CMake sets it in one place, cmake/Sanitize.cmake).
PATIENCE = float(os.environ.get("TEST_PATIENCE", 1))

# A test's programs must not learn from an earlier test's.
os.environ.setdefault("STREAMAP_HISTORY", "none")
os.environ.setdefault("STREAMAP_LINKS", "none")


def on_ranks(ranks, command, options=(), crashes=False):
    """The command line for so many ranks; 0 means without mpirun. Command and options are lists of words. Crashes: a task is to end by a
    signal, and the runtime to tell it."""
    settings = dict(SANITIZERS) if ranks else {}
    if crashes:
        settings = {name: settings.get(name, "") + LEAVE_SIGNALS for name in SANITIZERS}
    environment = ["env", *(f"{name}={value}" for name, value in settings.items())] if settings else []
    mpirun = [*MPIRUN, *options, "-np", str(ranks)] if ranks else []
    return [*environment, *mpirun, *command]


def from_anywhere(command):
    """A command whose program is found from any folder. (Not resolved: streamap-c++ is a link, and goes by its own name.)"""
    return [os.path.abspath(command[0]) if "/" in command[0] else command[0], *command[1:]]


def missing():
    """Why nothing can be started on ranks here, or None."""
    return None if shutil.which("mpirun") else "there is no mpirun"


def add_env_option(parser):
    """--env NAME=VALUE, repeatable: options.env is a list of pairs."""
    parser.add_argument("--env", type=lambda text: tuple(text.split("=", 1)), action="append", default=[], metavar="NAME=VALUE",
                        help="an environment variable for the program; may be repeated")


@dataclass
class Outcome:
    code: int  # exit code; negative: the signal that ended it
    out: str
    err: str
    seconds: float
    timed_out: bool = False


def run(command, seconds, folder=None, environment=None, stdin=None):
    """Runs a command in a process group of its own and ends all of the group when the time, times PATIENCE, is up."""
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, **(environment or {})}, text=True, errors="replace",
                               stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    timed_out = False
    try:
        out, err = process.communicate(stdin, timeout=seconds * PATIENCE)
    except subprocess.TimeoutExpired:
        timed_out = True
        out, err = end_group(process)
    except BaseException:
        end_group(process)
        raise
    return Outcome(process.returncode, out, err, time.monotonic() - begin, timed_out)


def end_group(process):
    """TERM first, so that mpirun ends its ranks (they are in other groups), then KILL."""
    for number, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        try:
            return process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            continue
    return "", ""


# What mpirun itself adds to standard error when a rank ends with an error; it is no message of the program.
_MPIRUN_BLOCK = re.compile(r"^-{60,}\n(?:.*\n)*?-{60,}\n?", re.MULTILINE)
_MPIRUN_LINE = re.compile(r"^(?:\[\S+:\d+\] \d+ more process|\[\S+:\d+\] Set MCA parameter).*\n?", re.MULTILINE)


def own_messages(text):
    """Standard error without mpirun's own words."""
    return _MPIRUN_LINE.sub("", _MPIRUN_BLOCK.sub("", text))


def one_each(messages):
    """Messages, without the hints that may stand below one."""
    return [line for line in messages.splitlines() if not line.startswith("streamap: hint: ")]
