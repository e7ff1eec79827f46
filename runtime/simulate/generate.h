// StreamMAP simulator: graphs by name.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "simulate/program.h"

namespace streamap::simulate {

/// One number (or word) that a generator takes.
struct Parameter {
  std::string_view name;
  double initial;
  double least, most;
  std::string_view meaning;
};

/// What a generator is given: every parameter has a value.
class Parameters {
public:
  double real(std::string_view name) const { return values.at(std::string(name)); }
  std::uint32_t whole(std::string_view name) const { return static_cast<std::uint32_t>(real(name)); }
  std::uint64_t bytes(std::string_view name) const { return static_cast<std::uint64_t>(real(name)); }
  std::map<std::string, double, std::less<>> values;
  Resource resource = Resource::Best; ///< of the tasks that do the work
};

struct Generator {
  std::string_view name;
  std::string_view meaning;
  std::span<const Parameter> parameters;
  Program (*make)(const Parameters &);
};

/// All of them.
std::span<const Generator *const> generators();

/// Makes the program `cholesky:tiles=40,cost=1e9,on=device`: a generator's name and values for some of its parameters. Errors say
/// which there are.
Result<Program> generate(std::string_view text);

/// What all generators can do, for people.
std::string describeGenerators();

extern const Generator cholesky, stencil, forkJoin, randomGraph, mapReduce, splitLoop;

} // namespace streamap::simulate
