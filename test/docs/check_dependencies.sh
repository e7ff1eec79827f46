#!/usr/bin/env bash
# The package list of docs/dependencies.md can be read by setup.sh, gives a reason for each package, and names real ones.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

listed=$(./setup.sh packages | sort)
[ "$(wc -l <<<"$listed")" -ge 20 ] || { echo "FAIL setup.sh reads too few packages: $listed"; exit 1; }
[ -z "$(uniq -d <<<"$listed")" ] || { echo "FAIL listed twice: $(uniq -d <<<"$listed")"; exit 1; }
without_reason=$(awk -F'|' '/^\| `/ && ($3 !~ /[a-z]/ || length($4) < 10)' docs/dependencies.md)
[ -z "$without_reason" ] || { echo "FAIL no reason given: $without_reason"; exit 1; }

command -v dpkg-query >/dev/null || { echo "SKIP the names: this is not Debian"; exit 0; }
# shellcheck disable=SC2086 # one word a package
unknown=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $listed 2>&1 | grep -v ' installed$' || true)
[ -z "$unknown" ] || { echo "FAIL not installed here, although ./setup.sh test installs all of them: $unknown"; exit 1; }
echo "$(wc -l <<<"$listed") packages"
