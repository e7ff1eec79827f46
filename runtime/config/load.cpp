// StreamMAP runtime: settings from a file and from variables.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define TOML_HEADER_ONLY 1 // one small file a run: no reason to depend on the shared library
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "base/text.h"
#include "config/settings.h"

namespace streamap {
namespace {

constexpr std::string_view defaultFile = "streamap.toml";
constexpr std::string_view prefix = "STREAMAP_";

std::string suggestion(std::string_view wrong, std::span<const std::string_view> names, const std::string &quote) {
  if (const auto near = nearestName(wrong, names))
    return "; did you mean " + quote + std::string(*near) + quote + "?";
  return "";
}

/// The value as it would stand in a variable.
Result<std::string> valueText(const toml::node &node) {
  if (const auto *text = node.as_string())
    return text->get();
  if (const auto *number = node.as_integer())
    return std::to_string(number->get());
  if (const auto *flag = node.as_boolean())
    return std::string(flag->get() ? "1" : "0");
  return failure("a string, a whole number, or true or false is wanted");
}

std::string place(const std::string &path, const toml::source_region &source) {
  return path + ":" + std::to_string(source.begin.line) + ":" + std::to_string(source.begin.column);
}

Result<void> readFile(const std::string &path, Settings &settings) {
  const toml::parse_result file = toml::parse_file(path);
  if (!file)
    return failure(place(path, file.error().source()) + ": " + std::string(file.error().description()));
  std::vector<std::string_view> names;
  for (const auto &key : settingKeys())
    names.push_back(key.name);
  for (const auto &[name, value] : file.table()) {
    const auto &keys = settingKeys();
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const SettingKey &k) { return k.name == name.str(); });
    if (key == keys.end())
      return failure(place(path, name.source()) + ": unknown key '" + std::string(name.str()) + "'" +
                     suggestion(name.str(), names, "'"));
    const auto text = valueText(value);
    const auto done = text ? key->set(settings, *text) : tl::make_unexpected(text.error());
    if (!done)
      return tl::make_unexpected(Error(done.error()).in(place(path, value.source()) + ": " + std::string(name.str())));
  }
  settings.source = path;
  return {};
}

Result<void> readVariable(const std::string &name, const std::string &value, Settings &settings) {
  std::vector<std::string> variables;
  for (const auto &key : settingKeys()) {
    if (variableOf(key.name) == name) {
      const auto done = key.set(settings, value);
      return done ? done : tl::make_unexpected(Error(done.error()).in(name));
    }
    variables.push_back(variableOf(key.name));
  }
  const auto others = otherVariables();
  if (std::find(others.begin(), others.end(), name) != others.end())
    return {};
  std::vector<std::string_view> names(variables.begin(), variables.end());
  names.insert(names.end(), others.begin(), others.end());
  return failure("unknown variable " + name + suggestion(name, names, ""), "docs/configuration.md lists all variables");
}

} // namespace

Result<Settings> loadSettings(const char *const *environment) {
  Settings settings;
  std::vector<std::pair<std::string, std::string>> variables;
  std::string path;
  for (; environment && *environment; ++environment) {
    const std::string_view entry = *environment;
    const std::size_t equals = entry.find('=');
    if (!entry.starts_with(prefix) || equals == std::string_view::npos)
      continue;
    variables.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    if (variables.back().first == "STREAMAP_CONFIG")
      path = variables.back().second;
  }
  if (path.empty() && access(std::string(defaultFile).c_str(), F_OK) == 0)
    path = defaultFile;
  if (!path.empty())
    if (auto read = readFile(path, settings); !read)
      return tl::make_unexpected(read.error());
  std::sort(variables.begin(), variables.end());
  for (const auto &[name, value] : variables)
    if (auto read = readVariable(name, value, settings); !read)
      return tl::make_unexpected(read.error());
  return settings;
}

} // namespace streamap
