#!/usr/bin/env python3
# Runs the commands of a documentation page and compares what they print with what the page says.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page's blocks are carried out in order, in one empty folder:

    ```c file=hello.c        the block is that file
    ```console run           a line "$ ..." is a command, lines "> ..." below continue it, the others are its output
    ```console run fails     the last command's exit code is not 0
    ```console run needs=gdb skipped, with a SKIP line, where the program is not there

In expected output a line "..." stands for any lines, and "..." within a line for any text. Output is stdout and stderr together. With
--update the page's expected output is replaced by the real one (blocks with "..." are left alone).
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "harness"))
import launch  # noqa: E402

FENCE = re.compile(r"^```(\S*)[ \t]*(.*)$")
ROOT = Path(__file__).resolve().parents[2]
LIMIT = 300  # seconds a command


@dataclass
class Block:
    line: int  # of the opening fence, from 1
    words: list
    text: list = field(default_factory=list)

    def option(self, name):
        return next((word.partition("=")[2] for word in self.words if word.startswith(name + "=")), None)


@dataclass
class Step:
    line: int
    command: str
    expected: list


def blocks_of(lines):
    blocks, open_block = [], None
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if open_block is not None and line.rstrip() == "```":
            blocks.append(open_block)
            open_block = None
        elif open_block is not None:
            open_block.text.append(line)
        elif fence:
            open_block = Block(number, fence.group(2).split())
    if open_block is not None:
        sys.exit(f"the block of line {open_block.line} is never closed")
    return blocks


def steps_of(block):
    steps = []
    for number, line in enumerate(block.text, block.line + 1):
        if line.startswith("$ "):
            steps.append(Step(number, line[2:], []))
        elif steps and line.startswith("> ") and not steps[-1].expected:
            steps[-1].command += "\n" + line[2:]
        elif steps:
            steps[-1].expected.append(line)
        else:
            sys.exit(f"line {number}: output before the first command")
    return steps


def line_matches(expected, real):
    return re.fullmatch(".*".join(re.escape(part) for part in expected.split("...")), real) is not None


def output_matches(expected, real):
    if not expected:
        return not real
    if expected[0].strip() == "...":
        return any(output_matches(expected[1:], real[skip:]) for skip in range(len(real) + 1))
    return bool(real) and line_matches(expected[0], real[0]) and output_matches(expected[1:], real[1:])


def environment(build):
    """What a user of the build folder has: the compilers in PATH, and an mpirun that may run here."""
    return {"PATH": f"{build}/bin:{os.environ['PATH']}", "SOURCE": str(ROOT), "BUILD": str(build), "LC_ALL": "C.UTF-8",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none"}


class Page:
    def __init__(self, path, build, update):
        self.path, self.build, self.update = path, build, update
        self.lines = path.read_text().splitlines()
        self.passed = self.failed = self.skipped = 0
        self.replacements = []  # (first line, number of lines, new lines), line numbers from 1

    def run(self, folder):
        for block in blocks_of(self.lines):
            if (name := block.option("file")) is not None:
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text("\n".join(block.text) + "\n")
            elif "run" in block.words:
                needs = block.option("needs")
                if needs and not shutil.which(needs):
                    print(f"SKIP {self.path.name}:{block.line}: there is no {needs} here")
                    self.skipped += 1
                else:
                    self.run_block(block, folder)

    def run_block(self, block, folder):
        steps = steps_of(block)
        for step in steps:
            may_fail = "fails" in block.words and step is steps[-1]
            self.run_step(step, may_fail, folder)

    def run_step(self, step, must_fail, folder):
        done = launch.run(["bash", "-c", f"exec 2>&1\n{step.command}"], LIMIT, folder, environment(self.build))
        real = [line.rstrip() for line in done.out.splitlines()] + [f"(given up after {LIMIT} seconds)"] * done.timed_out
        wrong_status = (done.code != 0) != must_fail
        same = output_matches([line.rstrip() for line in step.expected], real)
        if not same and self.update and not any("..." in line for line in step.expected):
            self.replacements.append((step.line + 1 + step.command.count("\n"), len(step.expected), real))
            same = True
        if same and not wrong_status:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAIL {self.path.name}:{step.line}: $ {step.command}")
        if wrong_status:
            print(f"  exit code {done.code}, {'not 0' if must_fail else '0'} expected")
        print("  expected:", *step.expected, sep="\n    | ")
        print("  printed:", *real, sep="\n    | ")

    def write_back(self):
        for first, count, text in reversed(self.replacements):
            self.lines[first - 1:first - 1 + count] = text
        if self.replacements:
            self.path.write_text("\n".join(self.lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--update", action="store_true", help="write the real output into the page")
    parser.add_argument("page", type=Path)
    options = parser.parse_args()
    page = Page(options.page, options.build.resolve(), options.update)
    with tempfile.TemporaryDirectory(prefix="streamap-docs-") as folder:
        page.run(Path(folder))
    page.write_back()
    print(f"{page.path.name}: {page.passed} passed, {page.failed} failed, {page.skipped} skipped")
    return 1 if page.failed or page.passed + page.skipped == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
