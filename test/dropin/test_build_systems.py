# Whether the build systems that people have take streamap-cc for a compiler.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One project of a C library with a task, a C++ program that uses it and sources without directives, built by CMake, Autoconf, Meson and make.
Each build runs its program and is repeated: nothing may be built twice. Beside that, what builds lean on: many jobs at once, caches of
objects, sources that cannot be written, links by mpicc."""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

LIMIT = 120  # seconds a step
ANSWER = "44 2 3 from C++\n"

PROJECT = {
    "number.h": "#define NUMBER 41\n",
    "add.h": "#ifdef __cplusplus\nextern \"C\"\n#endif\nvoid add(int n, const int *x, int *y);\n",
    "add.c": """#include "add.h"
#pragma streamap resource 2:C split(i) in(x[i]) inout(y[i])
void add(int n, const int *x, int *y)
{
    for (int i = 0; i < n; i++)
        y[i] += x[i];
}
""",
    "plain.c": "int plain(void) { return 3; }\n",
    "main.cpp": """#include "add.h"
#include "number.h"
#include <iostream>
#include <vector>
extern "C" int plain(void);
int main()
{
    std::vector<int> x{3, 2, 3}, y{NUMBER, 0, plain() - 3};
    add(3, x.data(), y.data());
    #pragma streamap wait
    std::cout << y[0] << ' ' << y[1] << ' ' << y[2] << " from C++\\n";
}
""",
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.20)
project(Drop C CXX)
include(CheckCSourceCompiles)
include(CheckIPOSupported)
check_c_source_compiles("int main(void) { return 0; }" IT_COMPILES)
check_c_source_compiles("int main(void) { return none(); }" IT_DOES_NOT)
if(NOT IT_COMPILES OR IT_DOES_NOT OR NOT CMAKE_C_COMPILER_ID STREQUAL "${EXPECTED_ID}" OR NOT CMAKE_SIZEOF_VOID_P EQUAL 8 OR NOT CMAKE_C_COMPILER_AR)
  message(FATAL_ERROR "wrong: ${IT_COMPILES} ${IT_DOES_NOT} ${CMAKE_C_COMPILER_ID} ${CMAKE_SIZEOF_VOID_P} ${CMAKE_C_COMPILER_AR}")
endif()
check_ipo_supported(RESULT ipo LANGUAGES C CXX)
if(NOT ipo)
  message(FATAL_ERROR "no LTO")
endif()
add_library(add STATIC add.c plain.c)
add_executable(program main.cpp)
target_link_libraries(program add)
""",
    "configure.ac": """AC_INIT([drop], [1])
AC_PROG_CC
AC_PROG_CXX
AC_CHECK_HEADERS([stdio.h no_such_header.h])
AC_CHECK_FUNCS([printf no_such_function])
AC_C_RESTRICT
AC_OUTPUT
test "$ac_cv_func_printf" = yes && test "$ac_cv_func_no_such_function" = no && test "$ac_cv_header_no_such_header_h" = no || AC_MSG_ERROR([wrong answers])
""",
    "Makefile.am": """bin_PROGRAMS = program
program_SOURCES = main.cpp add.c plain.c
""",
    "meson.build": """project('drop', 'c', 'cpp')
cc = meson.get_compiler('c')
assert(cc.sizeof('void *') == 8)
assert(cc.has_header('stdio.h') and not cc.has_header('no_such_header.h'))
executable('program', 'main.cpp', 'add.c', 'plain.c')
""",
    "Makefile": """OBJECTS = add.o plain.o main.o
program: $(OBJECTS)
\t$(CXX) -o $@ $(OBJECTS)
%.o: %.c
\t$(CC) -MMD -c $<
%.o: %.cpp
\t$(CXX) -MMD -c $<
-include *.d
""",
}


class Failure(Exception):
    pass


class Bench:
    """Where builds run: a folder, the compilers, the environment."""

    def __init__(self, options):
        self.host = options.host
        self.cc = str(Path(options.streamap_cc).absolute())
        self.cxx = str(Path(self.cc).with_name("streamap-c++"))
        self.root = options.folder.resolve()
        shutil.rmtree(self.root, ignore_errors=True)
        host_cxx = {"gcc": "g++", "clang-19": "clang++-19"}[options.host]
        self.environment = {**os.environ, "LC_ALL": "C", "CC": self.cc, "CXX": self.cxx, "STREAMAP_HOST_CC": options.host,
                            "STREAMAP_HOST_CXX": host_cxx, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "CCACHE_DIR": str(self.root / "cache")}

    def project(self, name, files=PROJECT):
        folder = self.root / name
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        return folder

    def run(self, folder, command, **more):
        done = subprocess.run(["bash", "-euc", command], cwd=folder, env={**self.environment, **more}, capture_output=True, text=True,
                              timeout=LIMIT, check=False)
        if done.returncode != 0:
            raise Failure(f"{command}\nexit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout + done.stderr

    def expect(self, what, wanted, got):
        if wanted != got:
            raise Failure(f"{what}: expected {wanted!r}, got {got!r}")


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise LookupError(program)


def cmake(bench):
    need("cmake", "ninja")
    folder = bench.project("cmake")
    identity = "GNU" if bench.host == "gcc" else "Clang"
    bench.run(folder, f"cmake -G Ninja -S . -B build -DEXPECTED_ID={identity} -DCMAKE_EXPORT_COMPILE_COMMANDS=ON && ninja -C build")
    bench.expect("program", ANSWER, bench.run(folder, "build/program"))
    if "no work to do" not in bench.run(folder, "ninja -C build"):
        raise Failure("the second build did something")
    (folder / "number.h").write_text("#define NUMBER 10\n")
    bench.run(folder, "ninja -C build")
    bench.expect("after a header changed", ANSWER.replace("44", "13"), bench.run(folder, "build/program"))
    if bench.cc not in (folder / "build/compile_commands.json").read_text():
        raise Failure("compile_commands.json does not name streamap-cc")


def cmake_lto(bench):
    need("cmake", "ninja")
    folder = bench.project("cmake lto, with spaces")
    identity = "GNU" if bench.host == "gcc" else "Clang"
    bench.run(folder, f"cmake -G Ninja -S . -B 'a build' -DEXPECTED_ID={identity} -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -DCMAKE_BUILD_TYPE=Release")
    bench.run(folder, "ninja -C 'a build'")
    bench.expect("program", ANSWER, bench.run(folder, "'a build/program'"))


def cmake_package(bench):
    """find_package(StreamMAP), for a project that keeps its compiler."""
    need("cmake", "ninja")
    folder = bench.project("package")
    prefix = bench.root / "a prefix"
    build = Path(bench.cc).resolve().parents[1]
    bench.run(folder, f"cmake --install {shlex.quote(str(build))} --prefix {shlex.quote(str(bench.root / 'first'))}")
    (bench.root / "first").rename(prefix)
    (folder / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.20)
project(Package C CXX)
find_package(StreamMAP REQUIRED)
streamap_add_executable(program main.cpp add.c plain.c)
""")
    plain = {"CC": bench.host, "CXX": bench.environment["STREAMAP_HOST_CXX"]}
    bench.run(folder, "cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH=" + shlex.quote(str(prefix)) + " && ninja -C build", **plain)
    bench.expect("program", ANSWER, bench.run(folder, "build/program"))
    if str(prefix) not in bench.run(folder, "ldd build/program"):
        raise Failure("the program does not use the library of the moved prefix")
    (folder / "number.h").write_text("#define NUMBER 10\n")
    bench.run(folder, "ninja -C build", **plain)
    bench.expect("after a header changed", ANSWER.replace("44", "13"), bench.run(folder, "build/program"))


def autoconf(bench):
    need("autoconf", "automake", "make")
    folder = bench.project("autoconf", {name: text for name, text in PROJECT.items() if name != "Makefile"})
    configuration = (folder / "configure.ac").read_text()
    (folder / "configure.ac").write_text(configuration.replace("AC_PROG_CC\n", "AM_INIT_AUTOMAKE([foreign])\nAC_CONFIG_FILES([Makefile])\nAC_PROG_CC\n"))
    bench.run(folder, "autoreconf -i && mkdir out && cd out && ../configure && make -j4")
    bench.expect("program", ANSWER, bench.run(folder, "out/program"))
    bench.run(folder, "make -C out -q")


def meson(bench):
    need("meson", "ninja")
    folder = bench.project("meson")
    bench.run(folder, "meson setup build && ninja -C build")
    bench.expect("program", ANSWER, bench.run(folder, "build/program"))
    if "no work to do" not in bench.run(folder, "ninja -C build"):
        raise Failure("the second build did something")


def make(bench):
    need("make")
    folder = bench.project("make")
    bench.run(folder, "make -j4")
    bench.expect("program", ANSWER, bench.run(folder, "./program"))
    bench.run(folder, "make -q")
    (folder / "number.h").write_text("#define NUMBER 10\n")
    bench.run(folder, "make")
    bench.expect("after a header changed", ANSWER.replace("44", "13"), bench.run(folder, "./program"))


def many_jobs(bench):
    """100 sources at once, twice, in two folders: identical objects. Every fourth has a task."""
    need("make")
    files = {"Makefile": "all: $(patsubst %.c,%.o,$(wildcard *.c))\n%.o: %.c\n\t$(CC) -O1 -c $<\n"}
    for index in range(100):
        directive = "#pragma streamap resource 2:C split(i) inout(y[i])\n" if index % 4 == 0 else ""
        files[f"f{index}.c"] = f"#include <stdio.h>\n{directive}void f{index}(int n, int *y)\n{{\n    for (int i = 0; i < n; i++)\n        y[i] += {index};\n}}\n"
    objects = []
    for name in ("one", "two"):
        folder = bench.project(f"many/{name}", files)
        bench.run(folder, "make -j8")
        objects.append({path.name: path.read_bytes() for path in folder.glob("*.o")})
        left = sorted(path.name for path in folder.iterdir() if path.suffix not in (".c", ".o") and path.name != "Makefile")
        bench.expect("files left", [], left)
    if len(objects[0]) != 100 or objects[0] != objects[1]:
        raise Failure(f"objects differ: {sorted(name for name in objects[0] if objects[0][name] != objects[1].get(name))}")


def ccache(bench):
    """As CC="ccache streamap-cc": hits when nothing changed, and a miss when only a macro of a directive did."""
    need("ccache", "make")
    files = {**PROJECT, "add.c": PROJECT["add.c"].replace("split(i)", "split(i) priority(URGENCY)")}
    folder = bench.project("ccache", files)

    def built(urgency):
        bench.run(folder, "ccache -z && rm -f *.o && make program CC='ccache \"" + bench.cc + f"\" -DURGENCY={urgency}' CXX='ccache \"" + bench.cxx + "\"'")
        bench.expect("program", ANSWER, bench.run(folder, "./program"))
        counts = dict(line.split("\t") for line in bench.run(folder, "ccache --print-stats").splitlines())
        return int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"]), int(counts["cache_miss"])

    bench.expect("first build: hits, misses", (0, 3), built(1))
    bench.expect("again", (3, 0), built(1))
    changed = built(2)
    if changed[1] == 0:
        raise Failure("a changed directive gave the old object")


def mpicc(bench):
    """The MPI compiler driver calls us, or we call it."""
    need("mpicc", "mpicxx")
    folder = bench.project("mpicc")
    wrapped = {"OMPI_CC": bench.cc, "OMPI_CXX": bench.cxx}
    bench.run(folder, "make CC=mpicc CXX=mpicxx", **wrapped)
    bench.expect("program", ANSWER, bench.run(folder, "./program"))
    bench.run(folder, "rm *.o program && make", STREAMAP_HOST_CC="mpicc", STREAMAP_HOST_CXX="mpicxx")
    bench.expect("program", ANSWER, bench.run(folder, "./program"))


def read_only(bench):
    """Sources that cannot be written, built by somebody who may not write them."""
    need("make", "setpriv")
    folder = bench.project("readonly/source")
    out = bench.root / "readonly/out"
    out.mkdir()
    shutil.copy(folder / "Makefile", out)
    command = f"make VPATH={shlex.quote(str(folder))} -f Makefile"
    if os.getuid() == 0:
        bench.run(folder.parent, "chmod -R a-w source && chmod a+rwx out && chmod a+rw out/Makefile")
        # Another user has to reach both folders, which a private parent may forbid.
        if subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "test", "-x", str(out)], check=False).returncode != 0:
            raise LookupError("a folder that another user may enter")
        command = f"setpriv --reuid=65534 --regid=65534 --clear-groups {command}"
    bench.run(out, command.replace("-f Makefile", "CC=$CC\\ -I" + shlex.quote(str(folder))), HOME=str(out))
    bench.expect("program", ANSWER, bench.run(out, "./program"))


BUILDS = [make, cmake, cmake_lto, cmake_package, autoconf, meson, many_jobs, ccache, mpicc, read_only]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", required=True, choices=["gcc", "clang-19"])
    parser.add_argument("--streamap-cc", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--only")
    options = parser.parse_args()
    if not shutil.which(options.host):
        print(f"SKIP: {options.host} is not installed")
        return 77
    bench = Bench(options)
    wrong = 0
    for build in BUILDS:
        if options.only and build.__name__ != options.only:
            continue
        try:
            build(bench)
            print(f"ok    {build.__name__}", flush=True)
        except LookupError as missing:
            print(f"SKIP  {build.__name__}: needs {missing}", flush=True)
        except Failure as failure:
            wrong += 1
            print(f"FAIL  {build.__name__}: {failure}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
