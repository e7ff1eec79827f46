# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of directives (grammar/good.txt, grammar/bad.txt): each line is one test, compiled before a task or in a function's body."""

import os
import re

import lit.formats
import lit.Test
from compiling import Finding, compile_source, judge_findings, judge_right

IN_A_BODY = ("wait", "Wait", "wait_on", "discard")
PRAGMA = "#pragma streamap "
TASK = """enum {{ FOUR = 4 }};
long streamap_task_index(void);
{pragma}
void task(unsigned long n, int m, float a, const float x[n], float y[n], const float z[n], float A[n][m], int k[4])
{{
{body}
}}
"""
BODY = """void print(const float *);
void use(unsigned long n, float *x, float *y, float *z)
{{
{pragma}
    print(x);
}}
"""


def source_of(directive):
    """The program around a directive, and the line that it is on."""
    first = directive.split("(")[0].split()
    if directive.strip() == "callable":
        text = PRAGMA + directive + "\nint twice(int n);\n"
    elif first and first[0].rstrip(";") in IN_A_BODY:
        text = BODY.format(pragma=PRAGMA + directive)
    else:
        index = "i" if "split(i)" in directive else "k"
        loop = f"    #pragma omp parallel for\n    for (unsigned long {index} = 1; {index} < n; {index}++)\n        (void)a;"
        if index == "k":
            loop = "    (void)streamap_task_index();\n" + loop
        text = TASK.format(pragma=PRAGMA + directive, body=loop)
    return text, text[: text.index(PRAGMA)].count("\n") + 1


def is_carets(line):
    return line.lstrip().startswith("^")


class DirectiveTable(lit.formats.base.TestFormat):
    def getTestsInDirectory(self, suite, path, lit_config, config):
        for name in sorted(os.listdir(suite.getSourcePath(path))):
            if not name.endswith(".txt"):
                continue
            with open(os.path.join(suite.getSourcePath(path), name)) as file:
                lines = file.read().split("\n")
            for at, line in enumerate(lines[:-1]):
                if not is_carets(line) and (is_carets(lines[at + 1]) or lines[at + 1].startswith("= ")):
                    title = f"{name} {at + 1}: {line.replace('/', 'over')}"
                    test = lit.Test.Test(suite, path + (title,), config)
                    test.directive, test.carets = line, []
                    for below in lines[at + 1 :]:
                        if not is_carets(below):
                            break
                        test.carets += [(mark.start(), int(mark[1])) for mark in re.finditer(r"\^(\d+)", below)]
                    yield test

    def execute(self, test, lit_config):
        source, line = source_of(test.directive)
        compiled = compile_source(test, source)
        if not test.carets:
            return judge_right(source, compiled)
        expected = [Finding(line, len(PRAGMA) + column + 1, number) for column, number in test.carets]
        return judge_findings(source, expected, compiled)
