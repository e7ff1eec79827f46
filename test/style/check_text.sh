#!/usr/bin/env bash
# What no compiler sees: each file says what it is and carries the licence line; none is so long that it holds two ideas; no path of
# somebody's machine.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

mapfile -t sources < <(find include runtime tool samples test setup.sh .ci docs/pictures -type f \
  \( -name '*.h' -o -name '*.c' -o -name '*.cpp' -o -name '*.py' -o -name '*.sh' -o -path .ci/run \) | sort)
bad=0
complain() { echo "FAIL $*"; bad=1; }
for file in "${sources[@]}"; do
  case "$file" in
    */Inputs/* | test/lit/* | test/programs/*.c) ;; # inputs, whose lines the tests count
    *) head -n 12 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' || complain "$file: no licence line" ;;
  esac
  lines=$(wc -l <"$file")
  [ "$lines" -le 800 ] || complain "$file: $lines lines"
done
# The pattern is put together here, so that this file does not match it.
home_paths=$(grep -rnIE "/(home|root|Users)/[a-z]" include runtime tool samples test docs cmake setup.sh README.md 2>/dev/null |
  grep -v '^test/style/check_text.sh:' || true)
[ -z "$home_paths" ] || complain "paths of one machine:"$'\n'"$home_paths"
[ "$bad" -eq 0 ] && echo "${#sources[@]} files"
exit "$bad"
