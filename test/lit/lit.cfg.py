# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import shutil
import sys

import lit.formats

config.name = "StreamMAP"
config.test_source_root = os.path.dirname(__file__)
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".test"]
config.excludes = ["Inputs"]
sys.path.insert(0, os.path.join(config.test_source_root, "formats"))

# The compilers find their programs, and nothing of the caller's settings changes what a test means.
config.environment = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "CCACHE_DIR") if name in os.environ}
config.environment["LC_ALL"] = "C"
config.environment["STREAMAP_HISTORY"] = "none"
config.environment["STREAMAP_LINKS"] = "none"
config.environment["STREAMAP_DEVICE_COMPILER"] = "clang"  # the quick one, which is always there

config.substitutions += [
    # lit's own limit needs a Python module that Debian's lit does not bring.
    ("%streamap-cc", f"timeout 60 {config.streamap_cc}"),
    ("%cc", config.cc),
    ("%python", sys.executable),
    ("FileCheck", config.filecheck),
    (r"\bnot\b", config.not_tool),
]
for program in ("gcc", "clang", "gdb", "nm", "ccache"):
    found = shutil.which(program)
    if found:
        config.available_features.add(program)
