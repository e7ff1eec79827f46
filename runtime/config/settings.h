// StreamMAP runtime: what the user can set.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace streamap {

/// Labels of the machines whose host names match a pattern (fnmatch).
struct HostLabels {
  std::string pattern;
  std::vector<std::string> labels;
};

/// The values that a run uses. keys.cpp says what each means and which values it takes.
struct Settings {
  std::optional<std::int64_t> slots;     ///< empty: as many as the rank has cores
  std::optional<std::int64_t> headSlots; ///< empty: the same as for any rank
  std::string policy = "eft";
  std::int64_t lookahead = 4;
  std::int64_t reservedDevices = 0, reservedPriority = 0; ///< so many devices are kept for tasks of that priority or higher
  std::vector<HostLabels> labels;
  std::string history = "auto"; ///< a file, "none", or "auto"
  std::string links = "auto";   ///< the same
  std::string explain;          ///< a file, or empty
  std::int64_t maxTasks = 16384;
  bool sync = false;
  std::string trace;    ///< a file, or empty
  std::string record;   ///< a file, or empty
  std::string counters; ///< a file, or empty
  std::string log = "warning";
  std::string devices = "auto"; ///< device/request.h reads it
  std::int64_t deviceTasks = 2;
  std::string onMissingGpu = "fallback";
  std::string help;   ///< asked for instead of a value: what to print instead of running
  std::string source; ///< where they come from, for the log
};

/// One key of the configuration file, and the variable of the same meaning: STREAMAP_ and the key in capitals.
struct SettingKey {
  std::string_view name;
  std::string_view values;  ///< which values it takes, for people
  std::string_view initial; ///< its value when nobody sets it, for people
  std::string_view meaning;
  std::vector<std::string_view> words; ///< the values it takes, where they are words
  /// Takes over a value as it stands in a variable; says which values are right when it is not one of them.
  std::function<Result<void>(Settings &, const std::string &value)> set;
};

/// All keys, in the order in which they are documented. The one table that the loader, the documentation and its test use.
const std::vector<SettingKey> &settingKeys();

/// Variables that begin with STREAMAP_ and are not settings: STREAMAP_CONFIG, and those of streamap-cc.
std::span<const std::string_view> otherVariables();

/// The labels of a machine.
std::vector<std::string> labelsOf(const Settings &settings, const std::string &host);

/// The file of the setting `history`; empty: none. `auto`: in the user's cache directory, one for each machine.
std::string historyFile(const Settings &settings, const std::string &host);

/// The file of the setting `links`; empty: none, so nothing is measured. `auto`: in the user's cache directory.
std::string linksFile(const Settings &settings);

/// STREAMAP_ and the key in capitals.
std::string variableOf(std::string_view key);

/// The table of docs/configuration.md, in Markdown.
std::string describeSettings();

/// Reads the configuration file (STREAMAP_CONFIG, or streamap.toml in the current directory if there is one), then the variables,
/// which win. \p environment as `environ`. An unknown key, variable or value is an error that names the nearest right one.
Result<Settings> loadSettings(const char *const *environment);

} // namespace streamap
