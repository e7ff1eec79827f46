#!/usr/bin/env bash
# Our own C and C++ text is as clang-format lays it out. Programs that stand for a user's (samples, test programs, lit inputs) keep their
# own style.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

clang_format=$(command -v clang-format-19 || true)
[ -n "$clang_format" ] || { echo "SKIP there is no clang-format-19 here"; exit 77; }

mapfile -t files < <(find include runtime tool test/unit test/bench test/doubles test/gpu -type f \( -name '*.h' -o -name '*.c' -o -name '*.cpp' \) | sort)
[ ${#files[@]} -gt 10 ] || { echo "FAIL found only ${#files[@]} files"; exit 1; }
bad=0
for file in "${files[@]}"; do
  if ! "$clang_format" --dry-run -Werror "$file" >/dev/null 2>&1; then
    echo "FAIL $file; mend with: clang-format-19 -i $file"
    bad=1
  fi
done
[ "$bad" -eq 0 ] && echo "${#files[@]} files"
exit "$bad"
