#!/usr/bin/env bash
# Makes the pictures of the documentation anew, from real runs of the samples on three ranks.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: docs/pictures/make.sh [BUILD_FOLDER]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${1:-$here/../../build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ranks=(mpirun --allow-run-as-root --oversubscribe --bind-to none -np 3)
for sample in heat cholesky quantize; do
  cp -r "$here/../../samples/$sample" "$work/$sample"
  make -s -C "$work/$sample" STREAMAP_CC="$build/bin/streamap-cc" STREAMAP_CXX="$build/bin/streamap-c++" "$sample"
done

cd "$work/heat"
"${ranks[@]}" ./heat -n 400 -e 200 -t 0 start.png
cp start.png "$here/heat-0.png"
cp heat-00200.png "$here/heat-200.png"
cp heat-00400.png "$here/heat-400.png"

cd "$work/cholesky"
STREAMAP_TRACE=trace.json "${ranks[@]}" ./cholesky 8 160
"$here/draw_trace.py" trace.json -o "$here/cholesky-trace.svg"

cd "$work/quantize"
"${ranks[@]}" ./quantize -k 12 -o "$here/quantize-12.png"
