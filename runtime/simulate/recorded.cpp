// StreamMAP simulator: graphs of real runs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/recorded.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "assign/estimates.h"
#include "base/interval_map.h"
#include "simulate/cluster.h"
#include "simulate/fields.h"

namespace streamap::simulate {
namespace {

using nlohmann::json;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Who has used some bytes, and how, in the order of the program: bytes with equal histories are one datum.
struct History {
  std::uint64_t low = 0, high = 0;
  friend auto operator<=>(const History &, const History &) = default;

  void add(std::uint64_t user, std::uint64_t how) {
    low = mixed(low ^ (user * 4 + how));
    high = mixed(high + 0x9E3779B97F4A7C15ull + (user * 4 + how));
  }

private:
  static std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
    return value ^ (value >> 31);
  }
};

/// A task as it stands in the file.
struct RecordedTask {
  ProgramTask task;
  std::vector<Access> accesses;
  std::string processor; ///< empty: not measured
  Seconds ran = 0;
};

class Reading {
public:
  explicit Reading(const json &document) : all(document, {}, error) {}

  Result<Program> read(const std::string &path) {
    if (all.whole("streamap_graph", 0, 0, INT64_MAX) != 1)
      all.wrong("streamap_graph", "this is not a recorded graph of version 1");
    all.objects("functions", [&](Fields &function) {
      names.push_back(function.text("name", "?"));
      function.text("source", {});
    });
    all.objects("calls", [&](Fields &call) { readCall(call); });
    all.finish();
    if (error)
      return tl::make_unexpected(std::move(*error).in(path));
    measure();
    nameData();
    program.name = path;
    return std::move(program);
  }

private:
  void readCall(Fields &call) {
    Step step;
    step.before = call.seconds("before", 0);
    if (call.has("wait")) {
      readWait(call, step);
      return;
    }
    const std::int64_t function = call.whole("launch", -1, 0, static_cast<std::int64_t>(names.size()) - 1);
    const auto priority = static_cast<std::int32_t>(call.whole("priority", 0, INT32_MIN, INT32_MAX));
    if (function < 0)
      call.wrong({}, "a call is a \"launch\" or a \"wait\"");
    step.first = static_cast<std::uint32_t>(tasks.size());
    call.objects("tasks", [&](Fields &fields) {
      tasks.push_back(readTask(fields));
      tasks.back().task.function = static_cast<std::uint32_t>(std::max<std::int64_t>(function, 0));
      tasks.back().task.priority = priority;
    });
    step.count = static_cast<std::uint32_t>(tasks.size()) - step.first;
    program.steps.push_back(step);
  }

  void readWait(Fields &call, Step &step) {
    const json &what = *call.raw("wait");
    if (what == "all") {
      step.kind = Step::Kind::Wait;
    } else if (what == "end") {
      step.kind = Step::Kind::Finish;
    } else if (what.is_array()) {
      step.kind = Step::Kind::WaitOn;
      step.first = static_cast<std::uint32_t>(waits.size());
      waits.emplace_back();
      for (std::size_t k = 0; k < what.size(); ++k)
        waits.back().push_back(readRun(call, "wait", k, what[k], 0));
    } else {
      call.wrong("wait", "\"all\", \"end\" or a list of [address, bytes] is wanted");
    }
    program.steps.push_back(step);
  }

  ByteRun readRun(Fields &fields, const char *key, std::size_t k, const json &value, std::size_t first) {
    if (value.is_array() && value.size() == first + 2 && value[first].is_number_unsigned() &&
        value[first + 1].is_number_unsigned()) {
      const auto lo = value[first].get<std::uint64_t>(), bytes = value[first + 1].get<std::uint64_t>();
      if (bytes > 0 && lo <= UINT64_MAX - bytes)
        return {lo, lo + bytes};
    }
    fields.wrong(std::string(key) + "[" + std::to_string(k) + "]",
                 first == 0 ? "[address, bytes] is wanted" : "[\"in\", \"out\" or \"inout\", address, bytes] is wanted");
    return {};
  }

  RecordedTask readTask(Fields &fields) {
    RecordedTask read;
    const std::string on = fields.text("on", "best");
    if (on != "C" && on != "G" && on != "best")
      fields.wrong("on", "\"C\", \"G\" or \"best\" is wanted");
    read.task.resource = on == "C" ? Resource::Core : on == "G" ? Resource::Device : Resource::Best;
    read.task.cores = static_cast<std::uint16_t>(fields.whole("cores", 1, 1, 4096));
    read.task.share = static_cast<std::uint8_t>(fields.whole("share", 100, 1, 100));
    read.task.cost = fields.number("cost", 0, 0, unlimited);
    read.task.memory = fields.bytes("memory", {});
    if (const json *const uses = fields.raw("uses"); uses && uses->is_array())
      for (std::size_t k = 0; k < uses->size(); ++k)
        read.accesses.push_back(readUse(fields, k, (*uses)[k]));
    else
      fields.wrong("uses", "a list is wanted");
    if (const json *const ran = fields.raw("ran")) {
      if (ran->is_array() && ran->size() == 2 && (*ran)[0].is_string() && (*ran)[1].is_number() && (*ran)[1].get<double>() >= 0) {
        read.processor = (*ran)[0].get<std::string>();
        read.ran = (*ran)[1].get<double>();
      } else {
        fields.wrong("ran", "[\"core\" or a device's name, seconds] is wanted");
      }
    }
    return read;
  }

  Access readUse(Fields &fields, std::size_t k, const json &use) {
    Access access;
    access.run = readRun(fields, "uses", k, use, 1);
    const std::string mode = use.is_array() && !use.empty() && use[0].is_string() ? use[0].get<std::string>() : "";
    if (mode != "in" && mode != "out" && mode != "inout")
      fields.wrong("uses[" + std::to_string(k) + "]", "[\"in\", \"out\" or \"inout\", address, bytes] is wanted");
    access.mode = mode == "in" ? AccessMode::Read : mode == "out" ? AccessMode::Write : AccessMode::ReadWrite;
    return access;
  }

  // ---- Times

  /// Tasks of one function and size are one function of the program.
  void measure() {
    std::map<std::pair<std::uint32_t, int>, std::uint32_t> kinds;
    std::vector<std::map<std::string, std::vector<Seconds>, std::less<>>> runs;
    for (RecordedTask &one : tasks) {
      double amount = one.task.cost;
      if (amount == 0)
        for (const Access &access : one.accesses)
          amount += static_cast<double>(access.run.bytes());
      const auto [at, fresh] = kinds.try_emplace({one.task.function, sizeClassOf(amount)}, 0);
      if (fresh) {
        at->second = program.addFunction(names[one.task.function]);
        runs.emplace_back();
      }
      one.task.function = at->second;
      one.task.cost = amount;
      if (!one.processor.empty())
        runs[at->second][one.processor].push_back(one.ran);
    }
    program.measured.resize(runs.size());
    std::vector<double> costs(runs.size());
    for (std::size_t k = 0; k < runs.size(); ++k)
      for (auto &[processor, times] : runs[k]) {
        std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
        const Seconds median = times[times.size() / 2];
        program.measured[k][processor] = median;
        const double speed = processor == "core" ? NodeKind().coreSpeed : GpuKind().speed;
        if (costs[k] == 0 || processor == "core")
          costs[k] = std::max(median * speed, 1.0);
      }
    for (RecordedTask &one : tasks) {
      if (costs[one.task.function] > 0)
        one.task.cost = costs[one.task.function];
      if (const Seconds median = one.processor.empty() ? 0 : program.measured[one.task.function][one.processor]; median > 0)
        one.task.stretch = static_cast<float>(one.ran / median);
    }
  }

  // ---- Data

  void nameData() {
    IntervalMap<History> histories;
    for (std::size_t k = 0; k < tasks.size(); ++k)
      for (const Access &access : tasks[k].accesses)
        histories.edit(access.run, [&](ByteRun, History &history) { history.add(k, static_cast<std::uint64_t>(access.mode)); });
    for (std::size_t k = 0; k < waits.size(); ++k)
      for (const ByteRun run : waits[k])
        histories.editCovered(run, [&](ByteRun, History &history) { history.add(tasks.size() + k, 0); });
    std::map<History, DatumId> data;
    histories.forEach([&](ByteRun run, const History &history) {
      const auto [at, fresh] = data.try_emplace(history, DatumId{static_cast<std::uint32_t>(program.data.size())});
      if (fresh)
        program.addDatum(run.bytes());
      else
        program.data[at->second.value] += run.bytes();
    });
    std::vector<Use> uses;
    for (RecordedTask &one : tasks) {
      uses.clear();
      for (const Access &access : one.accesses)
        histories.forEachIn(access.run,
                            [&](ByteRun, const History &history) { uses.push_back({data.at(history), access.mode}); });
      std::sort(uses.begin(), uses.end(), [](const Use &a, const Use &b) { return a.datum < b.datum; });
      uses.erase(std::unique(uses.begin(), uses.end(), [](const Use &a, const Use &b) { return a.datum == b.datum; }),
                 uses.end());
      one.task.firstUse = static_cast<std::uint32_t>(program.uses.size());
      one.task.uses = static_cast<std::uint32_t>(uses.size());
      program.uses.insert(program.uses.end(), uses.begin(), uses.end());
      program.tasks.push_back(one.task);
    }
    for (Step &step : program.steps) {
      if (step.kind != Step::Kind::WaitOn)
        continue;
      std::vector<DatumId> waited;
      for (const ByteRun run : waits[step.first])
        histories.forEachIn(run, [&](ByteRun, const History &history) { waited.push_back(data.at(history)); });
      std::sort(waited.begin(), waited.end());
      waited.erase(std::unique(waited.begin(), waited.end()), waited.end());
      step.first = static_cast<std::uint32_t>(program.waitedFor.size());
      step.count = static_cast<std::uint32_t>(waited.size());
      program.waitedFor.insert(program.waitedFor.end(), waited.begin(), waited.end());
    }
  }

  std::optional<Error> error;
  Fields all;
  Program program;
  std::vector<std::string> names;
  std::vector<RecordedTask> tasks;
  std::vector<std::vector<ByteRun>> waits;
};

} // namespace

Result<Program> readRecorded(const std::string &path) {
  const auto document = readJson(path);
  if (!document)
    return tl::make_unexpected(document.error());
  return Reading(*document).read(path);
}

} // namespace streamap::simulate
