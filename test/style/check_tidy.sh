#!/usr/bin/env bash
# clang-tidy on the runtime (.clang-tidy says which checks). Long: minutes.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: check_tidy.sh BUILD_FOLDER [FILE...]
set -euo pipefail
build=$(cd "$1" && pwd)
shift
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

clang_tidy=$(command -v clang-tidy-19 || true)
[ -n "$clang_tidy" ] || { echo "SKIP there is no clang-tidy-19 here"; exit 77; }
[ -f "$build/compile_commands.json" ] || { echo "SKIP $build has no compile_commands.json (configure with a preset)"; exit 77; }

if [ $# -eq 0 ]; then
  mapfile -t files < <(find runtime -name '*.cpp' | sort)
  set -- "${files[@]}"
fi
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" "$clang_tidy" --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option
echo "$# files"
