# Whether the Debian package installs, works and leaves nothing when it goes.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the package and installs it into an empty folder that is a system of its own to dpkg. The compiler there builds a program, which runs;
then the package is removed."""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAM = """#include <stdio.h>
#pragma streamap resource 2:C split(i) inout(y[i])
static void twice(int n, int *y)
{
    for (int i = 0; i < n; i++)
        y[i] *= 2;
}
int main(void)
{
    int y[2] = {20, 21};
    twice(2, y);
    #pragma streamap wait
    printf("%d %d\\n", y[0], y[1]);
    return 0;
}
"""
WANTED = ["usr/bin/streamap-cc", "usr/bin/streamap-c++", "usr/bin/streamap-gcc-ar", "usr/include/streamap/streamap.h"]


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"FAIL {command}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def files(root):
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir() or path.is_symlink())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="the build folder")
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args()
    for program in ("cpack", "dpkg-deb", "dpkg-shlibdeps"):
        if not shutil.which(program):
            print(f"SKIP: {program} is not installed")
            return 77
    if os.getuid() != 0:
        print("SKIP: dpkg installs for root alone")
        return 77
    folder = options.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    root = folder / "root"
    for path in ("var/lib/dpkg/info", "var/lib/dpkg/updates"):
        (root / path).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    run(["cpack", "-G", "DEB", "-B", str(folder / "package")], cwd=options.build)
    (package,) = (folder / "package").glob("*.deb")
    depends = run(["dpkg-deb", "-f", str(package), "Depends"])
    for name in ("libopenmpi3", "libhwloc15", "libclang-common-19-dev"):
        if name not in depends:
            sys.exit(f"FAIL the package does not depend on {name}: {depends}")

    before = files(root)
    dpkg = ["dpkg", f"--root={root}", "--force-depends", "--force-not-root", "--force-script-chrootless", "--log=/dev/null"]
    run([*dpkg, "--install", str(package)])
    installed = [name for name in files(root) if name not in before and not name.startswith("var/")]
    missing = [name for name in WANTED if name not in installed]
    if missing:
        sys.exit(f"FAIL not installed: {missing}, but {installed}")
    outside = [name for name in installed if not name.startswith("usr/")]
    if outside:
        sys.exit(f"FAIL installed outside of usr: {outside}")

    (folder / "program.c").write_text(PROGRAM)
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    run([str(root / "usr/bin/streamap-cc"), "-O2", "program.c", "-o", "program"], cwd=folder, env=environment)
    for start in ([], ["mpirun", "--oversubscribe", "-np", "2"]):
        out = run([*start, "./program"], cwd=folder, env=environment)
        if out != "40 42\n":
            sys.exit(f"FAIL the program prints {out!r}")
    if str(root) not in run(["ldd", "program"], cwd=folder):
        sys.exit("FAIL the program does not use the library of the package")

    run([*dpkg, "--purge", "streamap"])
    left = [name for name in files(root) if not name.startswith("var/")]
    if left:
        sys.exit(f"FAIL left behind: {left}")
    print(f"{package.name}: {len(installed)} files, {package.stat().st_size // 1024} KiB, in and out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
