// StreamMAP simulator: what it found, for people and for programs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/report.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "simulate/quantity.h"

namespace streamap::simulate {
namespace {

using nlohmann::ordered_json;

std::string number(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

/// Columns as wide as their widest cell; the first to the left, the others to the right.
void printColumns(std::ostream &out, const std::vector<std::vector<std::string>> &rows) {
  std::vector<std::size_t> widths;
  for (const auto &row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) {
      widths.resize(std::max(widths.size(), row.size()));
      widths[k] = std::max(widths[k], row[k].size());
    }
  for (const auto &row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string gap(widths[k] - row[k].size(), ' ');
      out << (k == 0 ? "" : "  ") << (k == 0 ? row[k] + gap : gap + row[k]);
    }
    out << "\n";
  }
}

double unitsOf(const ResourceTable &table, ClassId which) {
  double units = 0;
  for (const ProcessorId member : table[which].members)
    units += table[which].kind == ProcessorKind::Device ? 1 : table[member].lanes;
  return units;
}

double useOf(const ResourceTable &table, const Outcome &outcome, const Outcome::ClassUse &use) {
  return outcome.makespan > 0 ? use.busy / unitsOf(table, use.which) / outcome.makespan : 0;
}

/// `cores`, or what the GPUs are called; numbered where classes are called alike.
std::vector<std::string> classNames(const ResourceTable &table) {
  std::vector<std::string> names;
  for (const ResourceTable::Class &one : table.classes()) {
    const std::string name = one.kind == ProcessorKind::Device ? table[one.example].device->name : "cores";
    const auto count = std::count_if(names.begin(), names.end(),
                                     [&](const std::string &other) { return other == name || other.starts_with(name + " #"); });
    names.push_back(count == 0 ? name : name + " #" + std::to_string(count + 1));
  }
  return names;
}

std::uint64_t taskCount(const Comparison &comparison) {
  return comparison.runs.empty() ? comparison.program.tasks.size() : comparison.runs.front().outcome.tasks;
}

} // namespace

void printTable(std::ostream &out, const Comparison &comparison) {
  const ResourceTable table = comparison.cluster.resources();
  const Bounds &bounds = comparison.bounds;
  out << "cluster  " << comparison.cluster.describe() << "\n"
      << "program  " << comparison.program.name << ", " << taskCount(comparison) << " tasks\n"
      << "bounds   critical path " << describeSeconds(bounds.criticalPath) << ", area " << describeSeconds(bounds.area)
      << ", memory " << describeSeconds(bounds.memory) << "\n\n";
  std::vector<std::vector<std::string>> rows{{"policy", "makespan", "/ bound"}};
  for (const std::string &name : classNames(table))
    rows[0].push_back(name);
  for (const char *title : {"between nodes", "to devices", "evictions", "us/task"})
    rows[0].emplace_back(title);
  for (const PolicyRun &run : comparison.runs) {
    const Outcome &outcome = run.outcome;
    std::vector<std::string> row{run.policy, outcome.stopped.empty() ? describeSeconds(outcome.makespan) : "stopped",
                                 bounds.highest() > 0 ? number(outcome.makespan / bounds.highest(), 3) : "-"};
    for (const Outcome::ClassUse &use : outcome.classes)
      row.push_back(number(100 * useOf(table, outcome, use), 0) + " %");
    row.push_back(describe(Bytes{outcome.bytesBetweenNodes}));
    row.push_back(describe(Bytes{outcome.bytesToDevices}));
    row.push_back(std::to_string(outcome.evictions));
    row.push_back(number(outcome.assignTime / static_cast<double>(std::max<std::uint64_t>(outcome.tasks, 1)) * 1e6, 2));
    rows.push_back(std::move(row));
  }
  printColumns(out, rows);
  for (const PolicyRun &run : comparison.runs)
    if (!run.outcome.stopped.empty())
      out << run.policy << " stopped after " << describeSeconds(run.outcome.makespan) << ": " << run.outcome.stopped << "\n";
}

void printJson(std::ostream &out, const Comparison &comparison) {
  const ResourceTable table = comparison.cluster.resources();
  const std::vector<std::string> names = classNames(table);
  ordered_json all{{"cluster", comparison.cluster.describe()},
                   {"program", comparison.program.name},
                   {"tasks", taskCount(comparison)},
                   {"bounds_s",
                    {{"critical_path", comparison.bounds.criticalPath},
                     {"area", comparison.bounds.area},
                     {"memory", comparison.bounds.memory}}},
                   {"policies", ordered_json::array()}};
  for (const PolicyRun &run : comparison.runs) {
    const Outcome &outcome = run.outcome;
    ordered_json one{{"policy", run.policy}, {"makespan_s", outcome.makespan}};
    if (!outcome.stopped.empty())
      one["stopped"] = outcome.stopped;
    one["over_bound"] = comparison.bounds.highest() > 0 ? outcome.makespan / comparison.bounds.highest() : 0;
    for (const Outcome::ClassUse &use : outcome.classes)
      one["processors"].push_back({{"name", names[static_cast<std::size_t>(use.which.value)]},
                                   {"tasks", use.tasks},
                                   {"busy_s", use.busy},
                                   {"utilisation", useOf(table, outcome, use)}});
    one["between_nodes_bytes"] = outcome.bytesBetweenNodes;
    one["to_devices_bytes"] = outcome.bytesToDevices;
    one["from_devices_bytes"] = outcome.bytesFromDevices;
    one["evictions"] = outcome.evictions;
    one["assign_us_per_task"] = outcome.assignTime / static_cast<double>(std::max<std::uint64_t>(outcome.tasks, 1)) * 1e6;
    one["simulated_in_s"] = run.realTime;
    all["policies"].push_back(std::move(one));
  }
  out << all.dump(2) << "\n";
}

Result<void> writeTrace(const std::string &path, const Cluster &cluster, const Program &program, const Outcome &outcome) {
  std::ofstream file(path);
  if (!file)
    return failure("cannot write " + path + ": " + std::strerror(errno));
  const ResourceTable table = cluster.resources();
  // One event a line, as the runtime writes it.
  const char *separator = "\n";
  const auto write = [&](const ordered_json &event) {
    file << separator << event.dump();
    separator = ",\n";
  };
  const auto name = [&](const char *what, int rank, int lane, const std::string &text) {
    write({{"name", what}, {"ph", "M"}, {"pid", rank}, {"tid", lane}, {"args", {{"name", text}}}});
  };
  constexpr int firstDeviceLane = 1 << 16;
  file << R"({"displayTimeUnit":"ms","traceEvents":[)";
  for (int k = 0; k < table.size(); ++k) {
    const ProcessorFacts &facts = table[ProcessorId{k}];
    const int rank = facts.place.rank.value;
    if (facts.kind() == ProcessorKind::Device) {
      name("thread_name", rank, firstDeviceLane + facts.place.memory.value, "gpu" + std::to_string(facts.place.memory.value - 1));
      continue;
    }
    for (int core = 0; core < facts.lanes; ++core)
      name("thread_name", rank, core, "slot " + std::to_string(core));
  }
  for (int rank = 0; rank < cluster.ranks(); ++rank)
    name("process_name", rank, 0, "rank " + std::to_string(rank));
  for (const TracedTask &task : outcome.trace) {
    const ProcessorFacts &facts = table[task.processor];
    const bool onDevice = facts.kind() == ProcessorKind::Device;
    write({{"name", program.functions[task.function].name},
           {"cat", "task"},
           {"ph", "X"},
           {"ts", task.start * 1e6},
           {"dur", (task.end - task.start) * 1e6},
           {"pid", facts.place.rank.value},
           {"tid", onDevice ? firstDeviceLane + facts.place.memory.value : task.lane},
           {"args", {{"task", task.task}, {"cores", task.cores}, {"resource", onDevice ? "G" : "C"}}}});
  }
  file << "\n]}\n";
  file.close();
  return file ? Result<void>{} : failure("cannot write " + path + ": " + std::strerror(errno));
}

} // namespace streamap::simulate
