// StreamMAP runtime: the table of settings.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "assign/offer.h"
#include "base/text.h"
#include "config/settings.h"
#include "device/request.h"

namespace streamap {
namespace {

Result<std::int64_t> wholeNumber(const std::string &text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    return failure("a whole number from " + std::to_string(least) + " to " + std::to_string(most) + " is wanted, not '" + text +
                   "'");
  return value;
}

auto numberInto(std::int64_t Settings::*member, std::int64_t least, std::int64_t most) {
  return [=](Settings &settings, const std::string &text) -> Result<void> {
    return wholeNumber(text, least, most).map([&](std::int64_t value) { settings.*member = value; });
  };
}

auto numberOrAutoInto(std::optional<std::int64_t> Settings::*member, std::int64_t least, std::int64_t most) {
  return [=](Settings &settings, const std::string &text) -> Result<void> {
    if (text == "auto") {
      (settings.*member).reset();
      return {};
    }
    return wholeNumber(text, least, most).map([&](std::int64_t value) { settings.*member = value; }).map_error([](Error error) {
      return Error{error.message + " (or 'auto')", error.hint};
    });
  };
}

auto pathInto(std::string Settings::*member) {
  return [=](Settings &settings, const std::string &text) -> Result<void> {
    settings.*member = text;
    return {};
  };
}

auto wordInto(std::string Settings::*member, std::vector<std::string_view> words) {
  return [member, words = std::move(words)](Settings &settings, const std::string &text) -> Result<void> {
    if (std::find(words.begin(), words.end(), text) == words.end()) {
      const auto near = nearestName(text, words);
      return failure("'" + text + "' is not one of its values" + (near ? "; did you mean '" + std::string(*near) + "'?" : ""));
    }
    settings.*member = text;
    return {};
  };
}

Result<void> setSync(Settings &settings, const std::string &text) {
  if (text != "0" && text != "1" && text != "false" && text != "true")
    return failure("'" + text + "' is not one of its values: 0, 1, false, true");
  settings.sync = text == "1" || text == "true";
  return {};
}

Result<void> setReserve(Settings &settings, const std::string &text) {
  settings.reservedDevices = settings.reservedPriority = 0;
  if (text == "none")
    return {};
  int devices = 0, priority = 0, end = 0;
  if (std::sscanf(text.c_str(), " gpu : %d for priority >= %d %n", &devices, &priority, &end) != 2 ||
      static_cast<std::size_t>(end) != text.size() || devices < 1)
    return failure("'" + text + "' is not one of its values", "for example: gpu:1 for priority >= 5");
  settings.reservedDevices = devices;
  settings.reservedPriority = priority;
  return {};
}

Result<void> setLabels(Settings &settings, const std::string &text) {
  settings.labels.clear();
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    const auto colon = part.find(':');
    std::istringstream hosts(part.substr(0, colon)), words(colon == std::string::npos ? "" : part.substr(colon + 1));
    HostLabels one;
    std::string more;
    if (colon == std::string::npos || !(hosts >> one.pattern) || hosts >> more)
      return failure("'" + part + "' does not say which machines have which labels",
                     "for example: node[0-3]: fast large; node7: old");
    for (std::string word; words >> word;)
      one.labels.push_back(word);
    settings.labels.push_back(std::move(one));
  }
  return {};
}

Result<void> setDevices(Settings &settings, const std::string &text) {
  const auto backends = makeBackends(text, {});
  if (!backends)
    return tl::make_unexpected(backends.error());
  settings.devices = text;
  return {};
}

const std::vector<std::string_view> &policyNames() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Policy *policy : policies())
      all.push_back(policy->name());
    return all;
  }();
  return names;
}

std::string_view policyChoices() {
  static const std::string text = [] {
    std::string list;
    for (const std::string_view name : policyNames())
      list += (list.empty() ? "`" : ", `") + std::string(name) + "`";
    return list;
  }();
  return text;
}

Result<void> setPolicy(Settings &settings, const std::string &text) {
  if (text == "help") {
    settings.help = describePolicies();
    return {};
  }
  return wordInto(&Settings::policy, policyNames())(settings, text);
}

const std::vector<std::string_view> missingGpu{"fallback", "error"};
const std::vector<std::string_view> logLevels{"off", "error", "warning", "info", "debug"};
constexpr std::int64_t mostSlots = 4096;

} // namespace

const std::vector<SettingKey> &settingKeys() {
  static const std::vector<SettingKey> keys{
      {"slots",
       "`auto`, or 1 to 4096",
       "`auto`",
       "How many tasks a rank runs at once. `auto`: as many as it has cores; ranks that may use the same cores share them.",
       {},
       numberOrAutoInto(&Settings::slots, 1, mostSlots)},
      {"head_slots",
       "`auto`, or 0 to 4096",
       "`auto`",
       "The same for rank 0, which also runs `main`. 0: it runs no tasks, if there are other ranks.",
       {},
       numberOrAutoInto(&Settings::headSlots, 0, mostSlots)},
      {"policy", policyChoices(), "`eft`",
       "How it is chosen where a task goes: see [assignment](assignment.md). `STREAMAP_POLICY=help` says what each does.",
       policyNames(), setPolicy},
      {"lookahead",
       "1 to 1024",
       "4",
       "How many unfinished tasks a rank is given ahead, for each of its slots.",
       {},
       numberInto(&Settings::lookahead, 1, 1024)},
      {"reserve",
       "`gpu:<n> for priority >= <p>`, or `none`",
       "`none`",
       "How many GPUs are kept for tasks of that priority or higher. Others use them only if nothing else can ever run them.",
       {},
       setReserve},
      {"labels",
       "`<hosts>: <label> <label>; <hosts>: ...`",
       "none",
       "What `require(label(...))` finds on which machines; `<hosts>` may have `*`, `?` and `[...]`.",
       {},
       setLabels},
      {"history",
       "`auto`, `none`, or a file",
       "`auto`",
       "Where run times are kept for the next run. `auto`: `streamap/run-times-<host>` in the user's cache directory.",
       {},
       pathInto(&Settings::history)},
      {"links",
       "`auto`, `none`, or a file",
       "`auto`",
       "Where the speed of the links between machines is kept. What is not there yet is measured at start. `auto`: "
       "`streamap/links` in "
       "the user's cache directory. `none`: nothing is measured.",
       {},
       pathInto(&Settings::links)},
      {"explain",
       "a file",
       "none",
       "Where to write, for each task, which processors it could have had, and why it went where it went.",
       {},
       pathInto(&Settings::explain)},
      {"max_tasks",
       "1 to 100000000",
       "16384",
       "How many tasks may be unfinished before a launch helps with them, or waits. It bounds the memory that tasks take.",
       {},
       numberInto(&Settings::maxTasks, 1, 100'000'000)},
      {"sync",
       "`0`, `1`, `false`, `true`",
       "`0`",
       "`1`: each launch waits until its tasks are done. For finding out which launch goes wrong.",
       {},
       setSync},
      {"devices",
       "`auto`, `none`, or a list",
       "`auto`",
       "Which devices G tasks run on. `auto`: the GPUs that are there. A list asks for emulated ones: "
       "`emulated:2,memory=256MiB,cc=9.0`.",
       {},
       setDevices},
      {"device_tasks",
       "1 to 64",
       "2",
       "How many G tasks a device works on at a time, so that the copies of one overlap the kernels of another.",
       {},
       numberInto(&Settings::deviceTasks, 1, 64)},
      {"on_missing_gpu", "`fallback`, `error`", "`fallback`",
       "What becomes of a G task that no device can run: its C version runs, with one notice; or the program stops.", missingGpu,
       wordInto(&Settings::onMissingGpu, missingGpu)},
      {"trace",
       "a file",
       "none",
       "Where to write what ran where and when, in a form that Perfetto and chrome://tracing read.",
       {},
       pathInto(&Settings::trace)},
      {"record",
       "a file",
       "none",
       "Where to write what was launched and how long it ran, for [streamap-sim](simulator.md).",
       {},
       pathInto(&Settings::record)},
      {"counters",
       "a file",
       "none",
       "Where to write how many tasks, messages and bytes there were on each rank, as JSON.",
       {},
       pathInto(&Settings::counters)},
      {"log", "`off`, `error`, `warning`, `info`, `debug`", "`warning`", "What StreamMAP itself says on standard error.",
       logLevels, wordInto(&Settings::log, logLevels)},
  };
  return keys;
}

std::span<const std::string_view> otherVariables() {
  // STREAMAP_CC is what Makefiles like to call streamap-cc; make hands it on to the programs that it starts.
  static constexpr std::array<std::string_view, 8> names{"STREAMAP_CONFIG",          "STREAMAP_CC",      "STREAMAP_CXX",
                                                         "STREAMAP_DEVICE_COMPILER", "STREAMAP_HOST_CC", "STREAMAP_HOST_CXX",
                                                         "STREAMAP_HOST_RUNNING",    "STREAMAP_STARTED"};
  return names;
}

std::vector<std::string> labelsOf(const Settings &settings, const std::string &host) {
  std::vector<std::string> labels;
  for (const HostLabels &some : settings.labels)
    if (fnmatch(some.pattern.c_str(), host.c_str(), 0) == 0)
      labels.insert(labels.end(), some.labels.begin(), some.labels.end());
  return labels;
}

namespace {

/// A file that the user names, or one in the user's cache directory; empty: none.
std::string cachedFile(const std::string &setting, const std::string &name) {
  if (setting != "auto")
    return setting == "none" ? std::string() : setting;
  const char *const cache = std::getenv("XDG_CACHE_HOME"), *const home = std::getenv("HOME");
  if ((!cache || !*cache) && (!home || !*home))
    return {};
  return (cache && *cache ? std::string(cache) : std::string(home) + "/.cache") + "/streamap/" + name;
}

} // namespace

std::string historyFile(const Settings &settings, const std::string &host) {
  return cachedFile(settings.history, "run-times-" + host);
}

std::string linksFile(const Settings &settings) {
  return cachedFile(settings.links, "links");
}

std::string variableOf(std::string_view key) {
  std::string name = "STREAMAP_";
  for (const char c : key)
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string describeSettings() {
  std::string text = "| key | variable | values | default | meaning |\n|---|---|---|---|---|\n";
  for (const auto &key : settingKeys()) {
    text += "| `" + std::string(key.name) + "` | `" + variableOf(key.name) + "` | " + std::string(key.values) + " | " +
            std::string(key.initial) + " | " + std::string(key.meaning) + " |\n";
  }
  return text;
}

} // namespace streamap
