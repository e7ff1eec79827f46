# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of small programs, each behind a line `//--- name`. A comment below a line says what is reported there, and in which column:

    void f(void) { g = 1; }
    //             ^SM1408

`^SM1408 ^SM1409` are two; `// ^1:SM1408` names the column, for those that a comment's own two characters would hide. A program without
such comments has to compile without a word. Where every number is a warning, there has to be an object file.
"""

import os
import re

import lit.formats
import lit.Test
from compiling import Finding, compile_source, judge_findings, judge_right

CASE = re.compile(r"^//--- (.+)$", re.M)
MARKS = re.compile(r"^\s*//\s*\^")
MARK = re.compile(r"\^(?:(\d+):)?SM(\d+)")


def findings_of(source):
    """What the comments of a program say."""
    expected, line = [], 0
    for number, text in enumerate(source.split("\n"), 1):
        if not MARKS.match(text):
            line = number
            continue
        for mark in MARK.finditer(text):
            expected.append(Finding(line, int(mark[1] or mark.start() + 1), int(mark[2])))
    return expected


def warnings_of(source_root):
    """The numbers that are warnings, from the table of diagnostics."""
    with open(os.path.join(source_root, "tool", "directive", "Diagnostics.def")) as file:
        return {int(number) for number in re.findall(r"^DIAG\((\d+), Warning,", file.read(), re.M)}


class MarkedPrograms(lit.formats.base.TestFormat):
    def getTestsInDirectory(self, suite, path, lit_config, config):
        warnings = warnings_of(config.source_root)
        for name in sorted(os.listdir(suite.getSourcePath(path))):
            if not name.endswith(".programs"):
                continue
            with open(os.path.join(suite.getSourcePath(path), name)) as file:
                parts = CASE.split(file.read())
            for title, source in zip(parts[1::2], parts[2::2]):
                test = lit.Test.Test(suite, path + (f"{name[: -len('.programs')]}: {title}",), config)
                test.source, test.warnings = source.lstrip("\n"), warnings
                yield test

    def execute(self, test, lit_config):
        expected = findings_of(test.source)
        compiled = compile_source(test, test.source)
        if not expected:
            return judge_right(test.source, compiled)
        return judge_findings(test.source, expected, compiled, all(finding.number in test.warnings for finding in expected))
