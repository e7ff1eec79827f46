# Whether packages of Debian's source archive build and pass their own tests with streamap-cc as the compiler.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fetches sources by apt-get, builds each by its own build system with CC=streamap-cc and CXX=streamap-c++, and runs its own test suite."""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

LIMIT = 900  # seconds a package
# name: commands, in the unpacked source
PACKAGES = {
    "zlib": "./configure && make -j2 && make check",
    "jansson": "cmake -S . -B out -DJANSSON_BUILD_DOCS=OFF && cmake --build out -j2 && ctest --test-dir out --output-on-failure",
    "cjson": "cmake -S . -B out -DENABLE_CJSON_UTILS=ON && cmake --build out -j2 && ctest --test-dir out --output-on-failure",
    "lz4": "make -j2 lib lz4 CC=$CC && make -C tests CC=$CC test-lz4-basic",
    "fmtlib": "cmake -S . -B out -DFMT_DOC=OFF && cmake --build out -j2 && ctest --test-dir out --output-on-failure",
}
SOURCES = "Types: deb-src\nURIs: http://deb.debian.org/debian\nSuites: bookworm\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"


def run(command, folder, environment, limit=LIMIT):
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=limit, check=False)


def apt(folder):
    """apt-get with a list of sources and a state of its own: the system's stay as they are."""
    for path in ("lists/partial", "cache/archives/partial"):
        (folder / path).mkdir(parents=True, exist_ok=True)
    (folder / "debian.sources").write_text(SOURCES)
    return (f"apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts={folder}/parts -o Dir::State::lists={folder}/lists "
            f"-o Dir::Cache={folder}/cache -o APT::Sandbox::User=root")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streamap-cc", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--only")
    options = parser.parse_args()
    folder = options.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "parts").mkdir(parents=True)
    command = apt(folder)
    (folder / "debian.sources").rename(folder / "parts/debian.sources")
    if not shutil.which("apt-get") or run(f"{command} update", folder, os.environ, 120).returncode != 0:
        print("SKIP: Debian's source archive cannot be reached")
        return 77
    cc = options.streamap_cc.absolute()
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "CC": str(cc), "CXX": str(cc.with_name("streamap-c++"))}
    wrong = done = 0
    for name, build in PACKAGES.items():
        if options.only and name != options.only:
            continue
        unpacked = folder / name
        unpacked.mkdir()
        fetched = run(f"{command} source {name}", unpacked, os.environ, 200)
        sources = [path for path in unpacked.iterdir() if path.is_dir()]
        if fetched.returncode != 0 or not sources:
            print(f"SKIP  {name}: not in the archive\n{fetched.stderr}", flush=True)
            continue
        built = run(build, sources[0], environment)
        done += 1
        wrong += built.returncode != 0
        print(f"{'ok   ' if built.returncode == 0 else 'FAIL '} {name}: {build}", flush=True)
        if built.returncode != 0:
            print(built.stdout[-3000:], built.stderr[-3000:], flush=True)
    print(f"{done} packages, {wrong} wrong")
    return 1 if wrong or done < (1 if options.only else 3) else 0


if __name__ == "__main__":
    sys.exit(main())
