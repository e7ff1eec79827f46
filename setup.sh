#!/usr/bin/env bash
# StreamMAP: from a fresh clone to a running cluster program.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
readonly jobs=${JOBS:-$(nproc)}

usage() {
  cat <<'END'
usage: ./setup.sh COMMAND

  build      install what is missing (Debian) and build into build/; the compilers are build/bin/streamap-cc and streamap-c++
  demo       build, then run the samples on 3 ranks beside the serial programs
  test       build, then run every test suite (about 15 minutes on 2 cores)
  test all   that, and the long runs: 20,000 random programs, 200 repeats, sanitizer builds, static checks
  clean      remove all build folders
  packages   print the Debian packages that are used, one a line (the list with reasons is docs/dependencies.md)
  help       print this

CC and CXX choose the compilers of the first build (default: cc, clang++-19 where there is one). JOBS is how many jobs run at once
(default: one a core).
END
}

say() { printf '\n== %s\n' "$*"; }
fail() { printf 'setup.sh: %s\n' "$*" >&2; exit 1; }

# ---- Children ---------------------------------------------------------------------------------------------------------------
# Each step is a process group of its own, so that ^C (or a TERM to this script) ends the whole of it: compilers, ctest, mpirun. All
# get the INT that a terminal would send, and ten seconds to end what they started in turn.
child=0
stop_child() {
  local watchdog
  trap - INT TERM
  if [ "$child" -ne 0 ] && kill -INT -- "-$child" 2>/dev/null; then
    { sleep 10 && kill -KILL -- "-$child"; } 2>/dev/null &
    watchdog=$!
    wait "$child" || true
    while kill -0 -- "-$child" 2>/dev/null; do
      sleep 0.1
    done
    kill "$watchdog" 2>/dev/null || true
  fi
  exit "$1"
}
trap 'stop_child 130' INT
trap 'stop_child 143' TERM

run() {
  local status=0
  set -m
  "$@" </dev/null &
  child=$!
  set +m
  wait "$child" || status=$?
  child=0
  return "$status"
}

# ---- Packages ---------------------------------------------------------------------------------------------------------------
# The tables of docs/dependencies.md are the list; "build" is the first section, "test" both.
packages() {
  awk -v all="$1" '
    /^## / { section++ }
    section == 1 || (section == 2 && all == "test") { if ($0 ~ /^\| `/) { split($0, cell, "`"); print cell[2] } }
  ' docs/dependencies.md
}

is_debian() { command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; }

missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null | awk '$2 == "installed" { print $1 }' | sort -u)
  packages "$1" | sort -u | comm -23 - <(printf '%s\n' "$installed")
}

# Elsewhere we can only look for what the packages would bring.
check_other_system() {
  local need=() program
  for program in cmake ninja cc c++ mpirun pkg-config python3 make; do
    command -v "$program" >/dev/null || need+=("$program")
  done
  for library in hwloc libxxhash; do
    pkg-config --exists "$library" 2>/dev/null || need+=("$library (development files)")
  done
  command -v llvm-config-19 >/dev/null || [ -d /usr/lib/llvm-19 ] || need+=("LLVM and Clang 19 (development files)")
  if [ ${#need[@]} -gt 0 ]; then
    printf 'setup.sh: this is not Debian, so nothing is installed for you. Missing:\n' >&2
    printf '  %s\n' "${need[@]}" >&2
    fail "docs/dependencies.md lists everything with the reason for it"
  fi
}

install_packages() {
  if ! is_debian; then
    check_other_system
    return
  fi
  local missing as_root=()
  mapfile -t missing < <(missing_packages "$1")
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "these Debian packages are missing, and there is no sudo to install them: ${missing[*]}"
    sudo -v # asks for the password here: the steps themselves run in the background
    as_root=(sudo)
  fi
  say "Installing Debian packages: ${missing[*]}"
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q)
  run "${as_root[@]}" update
  run "${as_root[@]}" install -y --no-install-recommends "${missing[@]}" || fail "apt-get could not install all of: ${missing[*]}"
}

# ---- Steps ------------------------------------------------------------------------------------------------------------------
configure_and_build() { # preset, build folder, cmake arguments...
  local preset=$1 folder=$2 compiler=()
  shift 2
  if [ ! -f "$folder/CMakeCache.txt" ] && [ -z "${CXX:-}" ] && command -v clang++-19 >/dev/null; then
    compiler=(-DCMAKE_CXX_COMPILER=clang++-19)
  fi
  run cmake --preset "$preset" "${compiler[@]}" "$@" --log-level=WARNING &&
    run cmake --build "$folder" --parallel "$jobs"
}

# The tests are built once somebody asks for them: they need more packages and about as much time as the product.
build() { # "build" or "test"
  local tests=()
  install_packages "$1"
  if [ "$1" = test ]; then
    tests=(-DSTREAMAP_BUILD_TESTS=ON)
  elif [ ! -f build/CMakeCache.txt ]; then
    tests=(-DSTREAMAP_BUILD_TESTS=OFF)
  fi
  say "Building into build/"
  configure_and_build default build "${tests[@]}"
  [ -x build/bin/streamap-cc ] || fail "the build left no build/bin/streamap-cc"
}

# The runtime and the programs on top of it must be compiled by one compiler, for they share its sanitizer's run-time library.
build_sanitized() { # preset
  configure_and_build "$1" "build-$1" -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DSTREAMAP_HOST_CC=clang-19 \
    -DSTREAMAP_HOST_CXX=clang++-19 -DSTREAMAP_BUILD_BENCHMARKS=OFF
}

run_tests() { # build folder, ctest arguments...
  local folder=$1
  shift
  run ctest --test-dir "$folder" --parallel "$jobs" --output-on-failure --no-tests=error --timeout 600 "$@"
}

demo() {
  build build
  run python3 samples/demo.py --build build
}

test_default() {
  build test
  say "Running all test suites"
  run_tests build --label-exclude long
}

test_all() {
  local failed=()
  build test
  say "Long runs"
  run_tests build --label-regex long || failed+=("long runs")
  for sanitizer in asan tsan; do
    say "Tests of the runtime under $sanitizer"
    { build_sanitized "$sanitizer" && run_tests "build-$sanitizer" --label-exclude 'long|style|docs|bench'; } || failed+=("$sanitizer")
  done
  say "Running all test suites"
  run_tests build --label-exclude long || failed+=("suites")
  [ ${#failed[@]} -eq 0 ] || fail "failed: ${failed[*]}"
}

case "${1:-help}${2:+ $2}" in
  build) build build ;;
  demo) demo ;;
  test) test_default ;;
  'test all') test_all ;;
  clean) rm -rf build build-debug build-asan build-tsan ;;
  packages) packages test ;;
  help | -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
