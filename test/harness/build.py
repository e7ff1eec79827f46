# How tests compile programs.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling test programs with the plain compiler and with streamap-cc."""

import argparse
import shlex
from pathlib import Path

import launch

# Signed overflow wraps, so that no program's answer hangs on what an optimiser makes of it.
COMMON_FLAGS = ["-O2", "-g", "-fwrapv"]
FLAGS = ["-std=gnu11", *COMMON_FLAGS]
CXX_FLAGS = ["-std=gnu++20", *COMMON_FLAGS]
STRICT = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
LIBRARIES = ["-lm", "-pthread"]
INCLUDE = Path(__file__).resolve().parents[2] / "include"


def add_options(parser):
    """The options that say which compilers to use and where their output goes."""
    parser.add_argument("--cc", type=shlex.split, default=["cc"], help="plain compiler and its options")
    parser.add_argument("--streamap-cc", type=shlex.split, default=["streamap-cc"], help="streamap-cc and its options")
    parser.add_argument("--cxx", type=shlex.split, default=["c++"], help="plain C++ compiler and its options")
    parser.add_argument("--streamap-cxx", type=shlex.split, default=["streamap-c++"], help="streamap-c++ and its options")
    parser.add_argument("--folder", type=Path, default=Path("test-output"), help="where binaries go (default %(default)s)")


def prepare_folder(options):
    options.folder = options.folder.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)


def compile_c(compiler, sources, output, flags=(), may_warn=False):
    """Compiles and links C sources. Returns what is wrong (an exit code, or any message unless it may warn), or None."""
    return compile_sources(compiler, FLAGS, sources, output, flags, may_warn)


def compile_cxx(compiler, sources, output, flags=(), may_warn=False):
    """The same for C++ sources."""
    return compile_sources(compiler, CXX_FLAGS, sources, output, flags, may_warn)


def compile_sources(compiler, standard, sources, output, flags, may_warn):
    command = [*compiler, *standard, *(flags or STRICT), f"-I{INCLUDE}", "-o", str(output), *map(str, sources), *LIBRARIES]
    done = launch.run(command, 120)
    return f"{shlex.join(command)}\nexit code {done.code}\n{done.out}{done.err}" if done.code != 0 or (
        not may_warn and (done.out or done.err)) else None


def compile_both(options, source, flags=(), may_warn=False):
    """Compiles a source by both compilers: (reference, binary). Ends the test when that fails."""
    paths = options.folder / f"{source.stem}.cc", options.folder / source.stem
    for compiler, path in zip((options.cc, options.streamap_cc), paths):
        error = compile_c(compiler, [source], path, flags, may_warn)
        if error:
            raise SystemExit(f"FAIL {error}")
    return paths


def parser(description):
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
