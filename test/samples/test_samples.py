#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The samples, taken as a user would: the folder copied, built by its own Makefile and by its own CMakeLists.txt, run on 0 to 4 ranks."""
import shutil
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
sys.path.insert(0, str(HERE.parent / "programs"))
import build  # noqa: E402
import launch  # noqa: E402
from run import same  # noqa: E402

SAMPLES = HERE.parents[1] / "samples"
SECONDS = 120
# Name, arguments of each run, relative tolerance of decimal numbers against cc. Among rank counts all digits must be equal.
RUNS = [("pi", [[], ["1"], ["1000"]], 1e-12), ("cholesky", [[], ["1", "5"], ["5", "33"]], 0),
        ("heat", [["-n", "120", "-c", "20"], ["-n", "60", "-e", "30", "-o", "frames", "start.png"]], 0),
        ("quantize", [["-k", "12", "-s", "frames/scene.png", "-o", "frames/few.png"], ["-k", "200", "-n", "3", "-o", "frames/many.png", "scene.png"]], 0),
        ("nbody", [["-s", "12"], ["-n", "251", "-s", "7", "-e", "3", "-f"]], 0)]


class Wrong(Exception):
    pass


def must(command, folder, environment=None):
    done = launch.run(command, SECONDS, folder, environment)
    if done.code != 0:
        raise Wrong(f"{' '.join(map(str, command))}: exit code {done.code}\n{done.out}{done.err}")
    return done


def clear_frames(folder):
    for path in (folder / "frames").glob("*.png"):
        path.unlink()


def frames(folder):
    return {path.name: path.read_bytes() for path in sorted((folder / "frames").glob("*.png"))}


def check(name, runs, tolerance, options):
    folder = options.folder / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SAMPLES / name, folder)
    (folder / "frames").mkdir(exist_ok=True)
    compilers = {"CC": options.cc, "STREAMAP_CC": options.streamap_cc, "CXX": options.cxx, "STREAMAP_CXX": options.streamap_cxx}
    must(["make", *(f"{name}={' '.join(words)}" for name, words in compilers.items())], folder)
    language, compiler = ("CXX", options.streamap_cxx) if list(folder.glob("*.cpp")) else ("C", options.streamap_cc)
    must(["cmake", "-S", ".", "-B", "by-cmake", f"-DCMAKE_{language}_COMPILER={compiler[0]}", f"-DCMAKE_{language}_FLAGS={' '.join(compiler[1:])}",
          "-DCMAKE_BUILD_TYPE=Release"], folder)
    must(["cmake", "--build", "by-cmake"], folder)
    for arguments in runs:
        clear_frames(folder)
        serial = must([f"./{name}-serial", *arguments], folder).out
        serial_frames = frames(folder)
        first = None
        for binary, ranks in ((name, 0), (name, 1), (name, 2), (f"by-cmake/{name}", 3), (name, 4)):
            clear_frames(folder)
            out = must(launch.on_ranks(ranks, [f"./{binary}", *arguments]), folder).out
            first = first or out
            if not same(serial, out, tolerance) or out != first or "WRONG" in out:
                raise Wrong(f"{name} {' '.join(arguments)} on {ranks} ranks printed\n  {out}without mpirun\n  {first}and with cc\n  {serial}")
            if frames(folder) != serial_frames:
                raise Wrong(f"{name} on {ranks} ranks wrote other frames than with cc")
        print(f"ok   {first.strip()}", flush=True)


def main():
    parser = build.parser(__doc__)
    build.add_options(parser)
    options = parser.parse_args()
    if launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    build.prepare_folder(options)
    begin, wrong = time.monotonic(), 0
    for name, runs, tolerance in RUNS:
        try:
            check(name, runs, tolerance, options)
        except Wrong as error:
            wrong += 1
            print(f"FAIL {error}", flush=True)
    print(f"{len(RUNS)} samples, {wrong} wrong ({time.monotonic() - begin:.0f} s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
