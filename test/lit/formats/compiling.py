# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the test formats of this folder share: compile one source with streamap-cc, and see what it says where."""

import os
import re
import subprocess
from dataclasses import dataclass, field

import lit.Test

DIAGNOSTIC = re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+):(?P<column>\d+): (?:fatal )?(?P<level>error|warning): .*?(?:\[SM(?P<number>\d+)\])?$", re.M)


@dataclass(order=True)
class Finding:
    """A diagnostic: its place in the source, counted from 1, and its number (0: not one of ours)."""

    line: int
    column: int
    number: int = 0

    def __str__(self):
        return f"{self.line}:{self.column} {f'SM{self.number}' if self.number else 'without a number'}"


@dataclass
class Compilation:
    code: int
    text: str
    has_output: bool
    findings: list = field(default_factory=list)
    has_error: bool = False


def compile_source(test, source, options=(), case=None):
    """Writes \\p source to a file of the test's own and compiles it to an object. None if it takes too long. A folder's configuration may
    name the file (`case`: its suffix is the language), as \\p case does, and options of its own (`case_options`)."""
    folder = os.path.join(test.suite.getExecPath(test.path_in_suite[:-1]), "Output", re.sub(r"[^\w.-]+", "_", test.path_in_suite[-1]))
    os.makedirs(folder, exist_ok=True)
    case = case or getattr(test.config, "case", "case.c")
    name, output = os.path.join(folder, case), os.path.join(folder, "case.o")
    with open(name, "w") as file:
        file.write(source)
    if os.path.exists(output):
        os.remove(output)
    command = [test.config.streamap_cc, "-c", case, "-o", "case.o", *getattr(test.config, "case_options", []), *options]
    try:
        done = subprocess.run(
            command, cwd=folder, env=test.config.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
        )
    except subprocess.TimeoutExpired:
        return None
    result = Compilation(done.returncode, done.stdout + done.stderr, os.path.exists(output))
    for match in DIAGNOSTIC.finditer(result.text):
        result.findings.append(Finding(int(match["line"]), int(match["column"]), int(match["number"] or 0)))
        result.has_error |= match["level"] == "error"
    return result


def judge_right(source, compiled):
    """The verdict on a source that has nothing wrong."""
    if compiled is None:
        return lit.Test.TIMEOUT, source
    if compiled.code != 0 or not compiled.has_output or compiled.findings:
        return lit.Test.FAIL, f"{source}\nexit code {compiled.code}, object file: {compiled.has_output}\n{compiled.text}"
    return lit.Test.PASS, ""


def judge_findings(source, expected, compiled, warnings_only=False):
    """The verdict on a source with something wrong: exactly \\p expected, and an object file only if these are warnings."""
    if compiled is None:
        return lit.Test.TIMEOUT, source
    problems = []
    if sorted(expected) != sorted(compiled.findings):
        problems.append("expected " + ", ".join(map(str, expected)) + "; found " + (", ".join(map(str, compiled.findings)) or "nothing"))
    if (compiled.code == 0) != warnings_only:
        problems.append(f"exit code {compiled.code}")
    if compiled.has_output != warnings_only:
        problems.append("there is an object file" if compiled.has_output else "there is no object file")
    if problems:
        return lit.Test.FAIL, "\n".join(problems) + f"\n{source}\n{compiled.text}"
    return lit.Test.PASS, ""
