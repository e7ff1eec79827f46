// StreamMAP simulator: graphs by name.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/generate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "base/text.h"

namespace streamap::simulate {
namespace {

constexpr std::array<const Generator *, 6> all{&cholesky, &stencil, &forkJoin, &randomGraph, &mapReduce, &splitLoop};

std::string listed(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names)
    text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

Result<void> setResource(Parameters &parameters, std::string_view word) {
  if (word == "core")
    parameters.resource = Resource::Core;
  else if (word == "device")
    parameters.resource = Resource::Device;
  else if (word == "best")
    parameters.resource = Resource::Best;
  else
    return failure("on=" + std::string(word) + ": it is one of core, device, best");
  return {};
}

/// One `name=value`.
Result<void> setOne(const Generator &generator, Parameters &parameters, std::string_view setting) {
  const auto equals = setting.find('=');
  const std::string_view name = setting.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? std::string_view() : setting.substr(equals + 1);
  if (name == "on")
    return setResource(parameters, value);
  std::vector<std::string_view> names{"on"};
  for (const Parameter &parameter : generator.parameters) {
    names.push_back(parameter.name);
    if (parameter.name != name)
      continue;
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || !(number >= parameter.least && number <= parameter.most)) {
      std::ostringstream text;
      text << name << "=" << value << ": a number from " << parameter.least << " to " << parameter.most << " is wanted";
      return failure(text.str());
    }
    parameters.values[std::string(name)] = number;
    return {};
  }
  const auto near = nearestName(name, names);
  return failure(std::string(generator.name) + " has no parameter '" + std::string(name) + "'" +
                 (near ? "; did you mean '" + std::string(*near) + "'?" : "; it has " + listed(names)));
}

} // namespace

std::span<const Generator *const> generators() {
  return all;
}

Result<Program> generate(std::string_view text) {
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::vector<std::string_view> names;
  const Generator *generator = nullptr;
  for (const Generator *one : all) {
    names.push_back(one->name);
    if (one->name == name)
      generator = one;
  }
  if (!generator) {
    const auto near = nearestName(name, names);
    return failure("there is no generator '" + std::string(name) + "'" +
                   (near ? "; did you mean '" + std::string(*near) + "'?" : "; there are " + listed(names)));
  }
  Parameters parameters;
  for (const Parameter &parameter : generator->parameters)
    parameters.values[std::string(parameter.name)] = parameter.initial;
  std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    if (auto set = setOne(*generator, parameters, rest.substr(0, comma)); !set)
      return tl::make_unexpected(set.error());
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  Program program = generator->make(parameters);
  program.name = std::string(text);
  return program;
}

std::string describeGenerators() {
  std::ostringstream text;
  for (const Generator *generator : all) {
    text << generator->name << ": " << generator->meaning << "\n";
    for (const Parameter &parameter : generator->parameters)
      text << "    " << parameter.name << "=" << parameter.initial << "  " << parameter.meaning << "\n";
  }
  text << "every one: on=best|core|device  the resource list of its tasks\n";
  return text.str();
}

} // namespace streamap::simulate
