//===- DeviceFunctions.cpp - Library functions that devices have ----------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/DeviceFunctions.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using llvm::StringRef;

namespace streamap {

namespace {

const llvm::StringMap<DeviceFunction> &table() {
  static const llvm::StringMap<DeviceFunction> Table = [] {
    llvm::StringMap<DeviceFunction> Made;
    // Instructions of every device: no library is needed, and the result is the host's.
    for (StringRef Name :
         {"fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "fma", "fmin", "fmax", "copysign", "round"})
      for (StringRef Suffix : {"", "f"})
        Made[(Name + Suffix).str()] = {("__builtin_" + Name + Suffix).str(), ("__nv_" + Name + Suffix).str()};
    for (StringRef Name : {"abs", "labs", "llabs", "memcpy", "memset", "memmove"})
      Made[Name] = {("__builtin_" + Name).str(), ""};
    for (StringRef Name :
         {"acos",   "acosh",  "asin",    "asinh",  "atan",  "atan2", "atanh", "cbrt",   "cos",   "cosh",      "erf", "erfc",
          "exp",    "exp10",  "exp2",    "expm1",  "fdim",  "fmod",  "frexp", "hypot",  "ilogb", "j0",        "j1",  "ldexp",
          "lgamma", "llrint", "llround", "log",    "log10", "log1p", "log2",  "logb",   "modf",  "nextafter", "pow", "remainder",
          "remquo", "scalbn", "sin",     "sincos", "sinh",  "tan",   "tanh",  "tgamma", "y0",    "y1"})
      for (StringRef Suffix : {"", "f"})
        Made[(Name + Suffix).str()] = {"", ("__nv_" + Name + Suffix).str()};
    // long has 64 bits here, so these are the same functions under another name.
    for (auto [Name, Like] : {std::pair<StringRef, StringRef>{"lrint", "llrint"}, {"lround", "llround"}})
      for (StringRef Suffix : {"", "f"})
        Made[(Name + Suffix).str()] = {"", ("__nv_" + Like + Suffix).str()};
    return Made;
  }();
  return Table;
}

} // namespace

std::optional<DeviceFunction> findDeviceFunction(StringRef Name) {
  auto It = table().find(Name);
  if (It == table().end())
    return std::nullopt;
  return It->second;
}

HostOnly whyHostOnly(StringRef Name) {
  static const llvm::StringSet<> Allocating = {"malloc", "calloc", "realloc",         "free", "aligned_alloc", "posix_memalign",
                                               "alloca", "strdup", "__builtin_alloca"};
  static const llvm::StringSet<> Talking = {"printf", "fprintf", "puts",    "fputs",    "putchar", "putc", "fputc", "fwrite",
                                            "fread",  "fopen",   "fclose",  "scanf",    "fscanf",  "read", "write", "open",
                                            "close",  "perror",  "vprintf", "vfprintf", "fflush",  "getc", "fgets"};
  return Allocating.contains(Name) ? HostOnly::Allocates : Talking.contains(Name) ? HostOnly::InputOutput : HostOnly::Other;
}

bool isDeviceBuiltin(StringRef Name) {
  static const llvm::StringSet<> Names = {"isnan",
                                          "isinf",
                                          "isfinite",
                                          "isnormal",
                                          "signbit",
                                          "signbitf",
                                          "isinf_sign",
                                          "inf",
                                          "inff",
                                          "huge_val",
                                          "huge_valf",
                                          "nan",
                                          "nanf",
                                          "expect",
                                          "popcount",
                                          "popcountl",
                                          "popcountll",
                                          "clz",
                                          "clzl",
                                          "clzll",
                                          "ctz",
                                          "ctzl",
                                          "ctzll",
                                          "ffs",
                                          "ffsll",
                                          "bswap32",
                                          "bswap64",
                                          "unreachable",
                                          "constant_p",
                                          "offsetof",
                                          "assume",
                                          "isgreater",
                                          "isgreaterequal",
                                          "isless",
                                          "islessequal",
                                          "islessgreater",
                                          "isunordered",
                                          "types_compatible_p",
                                          "choose_expr",
                                          "prefetch"};
  if (!Name.consume_front("__builtin_"))
    return false;
  return Names.contains(Name) || findDeviceFunction(Name).has_value();
}

} // namespace streamap
