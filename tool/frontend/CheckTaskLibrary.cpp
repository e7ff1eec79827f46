//===- CheckTaskLibrary.cpp - Library functions that a task may not call --===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/CheckTaskLibrary.h"

#include "llvm/ADT/StringMap.h"

using llvm::StringRef;

namespace streamap {

namespace {

constexpr StringRef OwnGenerator = "draw from a generator whose state is a parameter, such as erand48 or rand_r";
constexpr StringRef OwnBuffer = "call the function ending in _r, with a buffer of the task's own";
constexpr StringRef OwnState = "call the function with an mbstate_t of the task's own";
constexpr StringRef BeforeLaunch = "call it before the launch, in the code that launches";
constexpr StringRef ReadBefore = "only the program's first process has the standard input; read before the launch";
constexpr StringRef InMain = "call it in main";

const llvm::StringMap<LibraryFunction> &table() {
  static const llvm::StringMap<LibraryFunction> Table = [] {
    llvm::StringMap<LibraryFunction> Made;
    auto add = [&](LibraryFault Fault, StringRef Instead, std::initializer_list<StringRef> Names) {
      for (StringRef Name : Names)
        Made[Name] = {Fault, Instead};
    };
    add(LibraryFault::State, OwnGenerator,
        {"rand", "srand", "random", "srandom", "initstate", "setstate", "drand48", "lrand48", "mrand48", "srand48", "seed48",
         "lcong48"});
    add(LibraryFault::State, OwnBuffer,
        {"strtok",   "asctime",  "ctime",    "gmtime",        "localtime",     "getlogin",      "ttyname",       "getpwnam",
         "getpwuid", "getgrnam", "getgrgid", "gethostbyname", "gethostbyaddr", "getservbyname", "getservbyport", "ecvt",
         "fcvt",     "hcreate",  "hsearch",  "hdestroy",      "getpwent",      "getgrent",      "ptsname",       "crypt"});
    add(LibraryFault::State, OwnState, {"mblen", "mbtowc", "wctomb"});
    add(LibraryFault::State, BeforeLaunch,
        {"setlocale", "setenv", "unsetenv", "putenv", "clearenv", "chdir", "fchdir", "umask", "tmpnam", "tempnam", "getopt",
         "getopt_long", "inet_ntoa", "l64a", "tzset"});
    add(LibraryFault::State, InMain, {"atexit", "on_exit", "at_quick_exit", "signal", "sigaction", "fork", "vfork"});
    add(LibraryFault::State, ReadBefore, {"scanf", "vscanf", "getchar", "getchar_unlocked", "gets", "wscanf", "getwchar"});
    // glibc's headers turn these names into others.
    add(LibraryFault::State, ReadBefore, {"__isoc99_scanf", "__isoc23_scanf"});
    add(LibraryFault::Jump, "", {"setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp", "longjmp", "_longjmp", "siglongjmp"});
    add(LibraryFault::EndsProgram, "", {"exit", "_exit", "_Exit", "quick_exit"});
    return Made;
  }();
  return Table;
}

} // namespace

std::optional<LibraryFunction> findLibraryFault(StringRef Name) {
  auto It = table().find(Name);
  if (It == table().end())
    return std::nullopt;
  return It->second;
}

bool isSharedLibraryVariable(StringRef Name) {
  return Name == "stdout" || Name == "stderr" || Name == "cout" || Name == "cerr" || Name == "clog" || Name == "wcout" ||
         Name == "wcerr" || Name == "wclog";
}

} // namespace streamap
