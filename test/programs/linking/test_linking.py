#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways to put a program together that must work unchanged, and those that must be told instead of running wrongly."""
import re
import shutil
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "harness"))
import build  # noqa: E402
import launch  # noqa: E402

SECONDS = 60


class Wrong(Exception):
    pass


class Case:
    """A folder to build in. Steps are words; {cc}, {sm} are the compilers, {lib} is where libstreamap lies."""

    def __init__(self, name, options):
        self.name, self.options = name, options
        self.folder = options.folder / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for source in [*HERE.glob("*.c"), *HERE.glob("*.h")]:
            shutil.copy(source, self.folder)

    def step(self, line):
        command = []
        for word in line.split():
            compiler = {"{cc}": self.options.cc, "{sm}": self.options.streamap_cc}.get(word)
            command += [*compiler, *build.FLAGS, *build.STRICT, f"-I{build.INCLUDE}"] if compiler else [word.format(lib=self.options.lib)]
        return launch.run(command, SECONDS, self.folder)

    def steps(self, *lines):
        for line in lines:
            done = self.step(line)
            if done.code != 0 or done.err:
                raise Wrong(f"'{line}' failed\n{done.out}{done.err}")

    def same_answer(self, serial_sources, arguments=(), serial_flags="", ranks=(0, 3)):
        """Builds the serial program and compares ./program with it."""
        self.steps(f"{{cc}} {serial_flags} -o serial {serial_sources}")
        expected = launch.run(["./serial", *arguments], SECONDS, self.folder)
        for count in ranks:
            done = launch.run(launch.on_ranks(count, ["./program", *arguments]), SECONDS, self.folder)
            if done.code != 0 or done.out != expected.out or launch.own_messages(done.err).strip():
                raise Wrong(f"on {count} ranks: exit code {done.code}, printed\n{done.out}instead of\n{expected.out}{done.err}")


# ---- What works unchanged ----


def plain_caller(case):
    """A caller that cc has compiled."""
    case.steps("{sm} -c scale.c", "{cc} -c caller.c", "{sm} -o program caller.o scale.o")
    case.same_answer("caller.c scale.c")


def plain_link(case):
    """Linked by cc with -lstreamap."""
    case.steps("{sm} -c scale.c", "{cc} -c caller.c", "{cc} -o program caller.o scale.o -L{lib} -lstreamap -Wl,-rpath,{lib}")
    case.same_answer("caller.c scale.c")


def annotated_prototype(case):
    """The pragma stands before the prototype in a header alone."""
    case.steps("{sm} -DANNOTATED -c scale.c", "{sm} -DANNOTATED -c caller.c", "{sm} -o program caller.o scale.o")
    case.same_answer("caller.c scale.c")


def several_inputs(case):
    """Compiled and linked in one command."""
    case.steps("{sm} -DANNOTATED -o program caller.c scale.c")
    case.same_answer("caller.c scale.c")


def static_library(case):
    case.steps("{sm} -c scale.c", "ar rcs libscale.a scale.o", "{sm} -o program caller.c -L. -lscale")
    case.same_answer("caller.c scale.c")


def shared_library(case):
    case.steps("{sm} -fPIC -shared -o libscale.so scale.c", "{sm} -o program caller.c -L. -lscale -Wl,-rpath,$ORIGIN")
    case.same_answer("caller.c scale.c")


def shared_library_plain_main(case):
    """Only the library knows of tasks; the program is cc's from end to end. Alone it is serial; as ranks it is told."""
    case.steps("{sm} -fPIC -shared -o libscale.so scale.c",
               "{cc} -o program caller.c -L. -lscale -Wl,-rpath,$ORIGIN -Wl,-rpath-link,{lib}")
    case.same_answer("caller.c scale.c", ranks=(0,))
    # Also with a rank that starts late: mpirun ends all with the first that fails, and the message must be out by then.
    for late in ("nobody", "0", "1"):
        start = f'[ "$OMPI_COMM_WORLD_RANK" = {late} ] && sleep 1; exec ./program'
        done = launch.run(launch.on_ranks(3, ["sh", "-c", start]), SECONDS, case.folder)
        must_fail(done, "linked without libstreamap")
        if done.out or len(launch.one_each(launch.own_messages(done.err).strip())) != 1:
            raise Wrong(f"not one message and nothing else:\n{done.out}{done.err}")


def opened_library(case):
    """A library that main opens when tasks have already run."""
    case.steps("{sm} -fPIC -shared -o libscale.so scale.c", "{sm} -o program opener.c -ldl")
    case.steps("{cc} -fPIC -shared -o libserial.so scale.c", "{cc} -o serial opener.c -ldl")
    expected = launch.run(["./serial", "./libserial.so"], SECONDS, case.folder)
    for ranks in (0, 3):
        done = launch.run(launch.on_ranks(ranks, ["./program", "./libscale.so"]), SECONDS, case.folder)
        if done.code != 0 or done.out != expected.out:
            raise Wrong(f"on {ranks} ranks: exit code {done.code}, printed\n{done.out}instead of\n{expected.out}{done.err}")


def main_from_archive(case):
    case.steps("{sm} -c scale.c", "{cc} -c caller.c", "ar rcs libmain.a caller.o", "{sm} -o program libmain.a scale.o libmain.a")
    case.same_answer("caller.c scale.c")


def other_linker(case, linker):
    if not shutil.which(f"ld.{linker}"):
        return f"ld.{linker} is not installed"
    case.steps("{sm} -c scale.c", f"{{sm}} -fuse-ld={linker} -o program caller.c scale.o")
    case.same_answer("caller.c scale.c")
    return None


def gold(case):
    return other_linker(case, "gold")


def lld(case):
    return other_linker(case, "lld")


def link_time_optimisation(case):
    case.steps("{sm} -flto -c scale.c", "{sm} -flto -c caller.c", "{sm} -flto -o program caller.o scale.o")
    case.same_answer("caller.c scale.c")


def task_in_header(case):
    case.steps("{sm} -c shift_main.c", "{sm} -c shift_other.c", "{sm} -o program shift_main.o shift_other.o")
    case.same_answer("shift_main.c shift_other.c")


def compiled_twice(case):
    case.steps("{sm} -DFIRST -c twice.c -o first.o", "{sm} -c twice.c -o second.o", "{sm} -o program first.o second.o")
    case.steps("{cc} -c twice.c -o second_serial.o")
    case.same_answer("twice.c second_serial.o", serial_flags="-DFIRST")


# ---- What is told ----


def must_fail(done, *patterns):
    if done.code == 0:
        raise Wrong(f"it worked\n{done.out}{done.err}")
    for pattern in patterns:
        if not re.search(pattern, done.err):
            raise Wrong(f"no message like '{pattern}'\n{done.err}")


def plain_definition(case):
    """The pragma is at the prototype, and the definition was compiled by cc."""
    case.steps("{cc} -c scale.c", "{sm} -DANNOTATED -c caller.c")
    must_fail(case.step("{sm} -o program caller.o scale.o"), "streamap_task_scale")


def definition_without_pragma(case):
    """The definition was compiled by streamap-cc, but does not see the pragma."""
    (case.folder / "bare.c").write_text("void scale(long n, int k, int *x);\nvoid scale_twice(long n, int *x);\n"
                                        + re.sub(r"#.*\n", "", (case.folder / "scale.c").read_text()))
    case.steps("{sm} -c bare.c", "{sm} -DANNOTATED -c caller.c")
    must_fail(case.step("{sm} -o program caller.o bare.o"), "streamap_task_scale")


def plain_header_task(case):
    """A file with a header's task was compiled by cc: the program stops at start and names the file."""
    case.steps("{sm} -c shift_main.c", "{cc} -c shift_other.c", "{sm} -o program shift_main.o shift_other.o")
    for ranks in (0, 2):
        done = launch.run(launch.on_ranks(ranks, ["./program"]), SECONDS, case.folder)
        must_fail(done, r"shift_other\.c")
        if done.out:
            raise Wrong(f"it ran: {done.out}")


def call_of_unknown_bound(case):
    """A directive at a call in another file than the definition, whose loop bound is read from memory: the call cannot know."""
    directive = "#pragma streamap resource 2:C split(i) in(n[0:1]) inout(x[i])\n"
    head = "void bounded(const long *n, int *x)"
    body = "\n{\n    for (long i = 0; i < *n; i++)\n        x[i] += 1;\n}\n"
    call = "int main(void)\n{\n    static int x[9];\n    const long n = 9;\n#pragma streamap resource 3:C\n    bounded(&n, x);\n    return 0;\n}\n"
    (case.folder / "bounded.c").write_text(head + ";\n" + directive + head + body)
    (case.folder / "bounded_call.c").write_text(directive + head + ";\n" + call)
    case.steps("{sm} -c bounded.c", "{sm} -c bounded_call.c", "{sm} -o program bounded_call.o bounded.o")
    for ranks in (0, 2):
        done = launch.run(launch.on_ranks(ranks, ["./program"]), SECONDS, case.folder)
        must_fail(done, r"bounded_call\.c:7: .*bounded\.c:2", "hint: give 'bounded' the bound by value")


CASES = [plain_caller, plain_link, annotated_prototype, several_inputs, static_library, shared_library, shared_library_plain_main,
         opened_library, main_from_archive, gold, lld, link_time_optimisation, task_in_header, compiled_twice, plain_definition,
         definition_without_pragma, plain_header_task, call_of_unknown_bound]


def main():
    parser = build.parser(__doc__)
    build.add_options(parser)
    parser.add_argument("--lib", type=Path, required=True, help="where libstreamap.so is")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    if launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    build.prepare_folder(options)
    begin, wrong = time.monotonic(), 0
    cases = [case for case in CASES if not options.cases or case.__name__ in options.cases]
    for case in cases:
        try:
            skipped = case(Case(case.__name__, options))
            print(f"SKIP {case.__name__}: {skipped}" if skipped else f"ok   {case.__name__}", flush=True)
        except Wrong as error:
            wrong += 1
            print(f"FAIL {case.__name__}: {error}", flush=True)
    print(f"{len(cases)} ways to put a program together, {wrong} wrong ({time.monotonic() - begin:.0f} s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
