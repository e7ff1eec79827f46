#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles each program of forms/ with cc and with streamap-cc, links the second with stand_in.c in place of libstreamap, and compares what
the C versions and the twins of the kernels print, for several launch shapes and chunks. Then looks at the device code that is in the object.

  --device-compiler  clang or nvcc
  --hide-toolkit     as on a machine without a CUDA toolkit: programs that need libdevice are told so and have no device code
  --assemble LIST    ptxas assembles the PTX for these architectures
  --archs LIST       nvcc compiles for these
  --emulated         also with libstreamap, on emulated devices
No PTX may have a contracted operation by default; with -ffp-contract=fast there must be one.
"""
import concurrent.futures
import os
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
import build  # noqa: E402
import launch  # noqa: E402

SECONDS = 60
FLAGS = ["-std=gnu11", "-O1", "-fwrapv", "-Wno-unknown-pragmas"]
# A block smaller than a loop, larger than one, and none that divides it.
SHAPES = [
    {"STAND_IN": "C"},
    {"STAND_IN": "C", "STAND_IN_CHUNKS": "3"},
    {"STAND_IN": "G"},
    {"STAND_IN": "G", "STAND_IN_CHUNKS": "4", "STAND_IN_BLOCK": "7", "STAND_IN_BLOCKS": "5"},
    {"STAND_IN": "G", "STAND_IN_CHUNKS": "2", "STAND_IN_BLOCK": "1", "STAND_IN_BLOCKS": "1"},
]
CONTRACTED = re.compile(r"^\s*(?:fma|mad)\.(?:rn|rz)\.f(?:32|64)\b.*", re.M)


def find_tool(name):
    """A program of the CUDA toolkit, or None."""
    found = shutil.which(name)
    usual = Path("/usr/local/cuda/bin") / name
    return found or (str(usual) if usual.exists() else None)


def run(command, environment=None, seconds=SECONDS):
    return launch.run([str(word) for word in command], seconds, environment=environment or {})


def must(done, command):
    if done.code != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\nexit code {done.code}\n{done.out}{done.err}")
    return done


def ptx_of(object_file):
    """The PTX texts in an object: each begins with its version and ends with a null."""
    data = object_file.read_bytes()
    return [match[0].decode() for match in re.finditer(rb"//[^\0]*?\n\.version [^\0]*|\.version [^\0]*", data)]


class Form:
    def __init__(self, source, options):
        self.source, self.options = source, options
        self.object = options.folder / f"{source.stem}.o"
        self.emitted = options.folder / f"{source.stem}.streamap.cu"

    def compile(self, extra=(), output=None):
        options = self.options
        compiler = [f"--streamap-device-compiler={options.device_compiler}"] + (
            [f"--streamap-cuda-arch={options.archs}"] if options.archs else []) + (
            ["--streamap-cuda-path=/none"] if options.hide_toolkit else [])
        command = [*options.streamap_cc, *FLAGS, *compiler, "--streamap-emit-source", *extra, "-c", self.source, "-o", output or self.object]
        return must(run(command, seconds=300), command)

    def check_answers(self):
        options = self.options
        reference, binary = options.folder / f"{self.source.stem}.cc", options.folder / self.source.stem
        command = [*options.cc, *FLAGS, "-ffp-contract=off", f"-I{options.include}", self.source, "-o", reference, "-lm"]
        must(run(command), command)
        # The flags that streamap-cc got as well: a sanitizer's objects need its library.
        command = [*options.cc, *options.streamap_cc[1:], self.object, options.folder / "stand_in.o", "-o", binary, "-lm", "-pthread"]
        must(run(command), command)
        expected = must(run([reference]), [reference]).out
        for shape in SHAPES:
            out = must(run([binary], shape), [binary]).out
            if out != expected:
                raise RuntimeError(f"another answer with {shape}\nexpected:\n{expected}\ngot:\n{out}")

    def check_runtime(self):
        """The same object with the real libstreamap, on emulated devices."""
        options = self.options
        reference, binary = options.folder / f"{self.source.stem}.cc", options.folder / f"{self.source.stem}.emulated"
        command = [*options.streamap_cc, self.object, "-o", binary, "-lm"]
        must(run(command), command)
        expected = must(run([reference]), [reference]).out
        for devices in ("emulated:1", "emulated:2"):
            done = must(run([binary], {"STREAMAP_DEVICES": devices, "STREAMAP_ON_MISSING_GPU": "error"}), [binary])
            if done.out != expected:
                raise RuntimeError(f"another answer on {devices}\nexpected:\n{expected}\ngot:\n{done.out}")

    def check_ptx(self, said):
        options = self.options
        texts = ptx_of(self.object)
        kernels = len(re.findall(r"__global__", self.emitted.read_text()))
        if "SM1711" in said.err:
            if texts or not options.hide_toolkit:
                raise RuntimeError(f"libdevice is said to be missing\n{said.err}")
            return 0
        if options.device_compiler == "clang":
            if len(texts) != 1 or texts[0].count(".entry ") != kernels:
                raise RuntimeError(f"{len(texts)} PTX texts, not one with {kernels} kernels")
            self.check_contraction(texts[0])
        for arch in filter(None, (options.assemble or "").split(",")):
            self.assemble(texts[0], arch)
        return kernels

    def check_contraction(self, text):
        # What the program itself asks for is no contraction.
        if re.search(r"\bfmaf?\(|\b(sin|cos|exp|pow|log|atan2|cbrt|hypot|tanh|sinf|expf|powf|tanhf)\(", self.source.read_text()):
            return
        if found := CONTRACTED.search(text):
            raise RuntimeError(f"a contracted operation: {found[0]}")

    def assemble(self, text, arch):
        ptxas = find_tool("ptxas")
        if not ptxas:
            return
        path = self.options.folder / f"{self.source.stem}.ptx"
        path.write_text(text)
        command = [ptxas, f"-arch=sm_{arch}", path, "-o", os.devnull]
        must(run(command, seconds=120), command)

    def check_fast(self):
        """-ffp-contract=fast contracts."""
        output = self.options.folder / f"{self.source.stem}.fast.o"
        self.compile(["-ffp-contract=fast"], output)
        if not any(CONTRACTED.search(text) for text in ptx_of(output)):
            raise RuntimeError("nothing is contracted with -ffp-contract=fast")

    def judge(self):
        try:
            said = self.compile()
            self.check_answers()
            if self.options.emulated:
                self.check_runtime()
            count = self.check_ptx(said)
            if self.source.stem == "nests" and self.options.device_compiler == "clang":
                self.check_fast()
            return count, None
        except RuntimeError as problem:
            return 0, str(problem)


def main():
    parser = build.parser(__doc__)
    build.add_options(parser)
    parser.add_argument("--include", type=Path, required=True)
    parser.add_argument("--device-compiler", default="clang")
    parser.add_argument("--hide-toolkit", action="store_true")
    parser.add_argument("--assemble")
    parser.add_argument("--archs")
    parser.add_argument("--emulated", action="store_true")
    options = parser.parse_args()
    build.prepare_folder(options)
    if options.device_compiler == "nvcc":
        nvcc = find_tool("nvcc")
        if not nvcc:
            print("SKIP nvcc is not installed")
            return 77
        options.device_compiler = nvcc
    if options.assemble and not find_tool("ptxas"):
        print("note: ptxas is not installed, so the PTX is not assembled")
    command = [*options.cc, "-O1", f"-I{options.include}", "-c", HERE / "stand_in.c", "-o", options.folder / "stand_in.o"]
    must(run(command), command)
    sources = sorted((HERE / "forms").glob("*.c"))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for source, (count, problem) in zip(sources, pool.map(lambda s: Form(s, options).judge(), sources)):
            print(f"FAIL {source.stem}: {problem}" if problem else f"ok   {source.stem}: {count} kernels with device code")
            failed += problem is not None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
