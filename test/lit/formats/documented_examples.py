# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of docs/diagnostics.md: below a heading `### SM1020`, each block marked `wrong` has to give exactly that number, and each
marked `right` to compile without a word. A block marked `directive` is one directive, compiled in the program of the directive tables;
a `console` block is a command, run beside an annotated saxpy.c. Those marked `unrun` need what a test cannot arrange.
"""

import os
import re
import shutil
import subprocess

import lit.formats
import lit.Test
from compiling import compile_source, judge_right
from directive_table import PRAGMA, source_of
from marked_programs import warnings_of

HEADING = re.compile(r"^### SM(\d+)$")
FENCE = re.compile(r"^```(\w+) (wrong|right)( directive)?$")
SAXPY = """#pragma streamap resource 2:C split(i) in(x[i]) inout(y[i])
void saxpy(int n, float a, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
int main(void)
{
    return 0;
}
"""


def blocks_of(text):
    """Number, kind, whether it is a directive, language and text of each example."""
    number, block = 0, None
    for line in text.split("\n"):
        if block is not None and line == "```":
            yield (*block[:-1], "\n".join(block[-1]) + "\n")
            block = None
        elif block is not None:
            block[-1].append(line)
        elif heading := HEADING.match(line):
            number = int(heading[1])
        elif fence := FENCE.match(line):
            block = (number, fence[2], bool(fence[3]), fence[1], [])


class DocumentedExamples(lit.formats.base.TestFormat):
    def getTestsInDirectory(self, suite, path, lit_config, config):
        with open(os.path.join(config.source_root, "docs", "diagnostics.md")) as file:
            page = file.read()
        warnings = warnings_of(config.source_root)
        for count, (number, kind, is_directive, language, text) in enumerate(blocks_of(page)):
            test = lit.Test.Test(suite, path + (f"SM{number} {kind} {count}",), config)
            test.number, test.is_wrong, test.is_warning = number, kind == "wrong", number in warnings
            test.command = text.removeprefix("$ ").strip() if language == "console" else None
            test.language = language
            test.source = source_of(text.strip().removeprefix(PRAGMA.strip()).removeprefix(" "))[0] if is_directive else text
            yield test

    def execute(self, test, lit_config):
        if test.command:
            return self.run_command(test)
        options = ["-std=c++20"] if test.language == "cpp" else []
        compiled = compile_source(test, test.source, options, f"case.{test.language}")
        if not test.is_wrong:
            return judge_right(test.source, compiled)
        if compiled is None:
            return lit.Test.TIMEOUT, test.source
        return self.judge_wrong(test, test.source, compiled.code, compiled.text)

    def judge_wrong(self, test, source, code, text):
        numbers = {int(number) for number in re.findall(r"\[SM(\d+)\]", text)}
        unnumbered = re.findall(r"^.*: (?:fatal )?error: (?!.*\[SM\d+\]$).*$", text, re.M)
        if numbers == {test.number} and not unnumbered and (code == 0) == test.is_warning:
            return lit.Test.PASS, ""
        return lit.Test.FAIL, f"{source}\nexpected SM{test.number}; exit code {code}\n{text}"

    def run_command(self, test):
        folder = os.path.join(test.suite.getExecPath(test.path_in_suite[:-1]), "Output", test.path_in_suite[-1].replace(" ", "_"))
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        with open(os.path.join(folder, "saxpy.c"), "w") as file:
            file.write(SAXPY)
        environment = dict(test.config.environment)
        environment["PATH"] = os.path.dirname(test.config.streamap_cc) + os.pathsep + environment["PATH"]
        try:
            done = subprocess.run(
                test.command, shell=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
            )
        except subprocess.TimeoutExpired:
            return lit.Test.TIMEOUT, test.command
        text = done.stdout + done.stderr
        if test.is_wrong:
            return self.judge_wrong(test, test.command, done.returncode, text)
        if done.returncode != 0 or re.search(r"\[SM\d+\]", text):
            return lit.Test.FAIL, f"{test.command}\nexit code {done.returncode}\n{text}"
        return lit.Test.PASS, ""
