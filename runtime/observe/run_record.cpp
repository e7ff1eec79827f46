// StreamMAP runtime: the files that a run leaves behind, if asked to.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observe/run_record.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace streamap {
namespace {

using nlohmann::ordered_json;

Result<std::ofstream> open(const std::string &path) {
  std::ofstream file(path);
  if (!file)
    return failure("cannot write " + path + ": " + std::strerror(errno));
  return file;
}

/// "process_name" and "thread_name" events.
ordered_json nameEvent(const char *what, int rank, int slot, const std::string &name) {
  return {{"name", what}, {"ph", "M"}, {"pid", rank}, {"tid", slot}, {"args", {{"name", name}}}};
}

ordered_json taskEvent(const TaskRecord &task, int rank, const RankRecord &record, std::int64_t origin,
                       const std::pair<std::string, std::string> &name) {
  return {{"name", name.first},
          {"cat", "task"},
          {"ph", "X"},
          {"ts", static_cast<double>(task.startNs - origin) / 1000.0},
          {"dur", static_cast<double>(task.endNs - task.startNs) / 1000.0},
          {"pid", rank},
          {"tid", task.slot},
          {"args",
           {{"index", task.index},
            {"count", task.count},
            {"resource", task.device < 0 ? "C" : "G"},
            {"node", record.host},
            {"device", task.device < 0 ? "cpu" : "gpu" + std::to_string(task.device)},
            {"bytes_moved", task.bytesMoved},
            {"cores", task.cores},
            {"launch", task.launch},
            {"task", task.task},
            {"source", name.second}}}};
}

} // namespace

Result<void> writeTrace(const std::string &path, const std::vector<RankRecord> &ranks,
                        const std::function<std::pair<std::string, std::string>(DescriptorKey)> &nameOf) {
  auto file = open(path);
  if (!file)
    return tl::make_unexpected(file.error());
  std::int64_t origin = INT64_MAX;
  for (const auto &rank : ranks)
    for (const auto &task : rank.tasks)
      origin = std::min(origin, task.startNs);
  // One event a line: as large as the trace gets, it is never in memory as text, and can be read with line tools.
  const char *separator = "\n";
  const auto write = [&](const ordered_json &event) {
    *file << separator << event.dump();
    separator = ",\n";
  };
  *file << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const int rank = static_cast<int>(i);
    write(nameEvent("process_name", rank, 0, "rank " + std::to_string(rank) + " on " + ranks[i].host));
    for (int slot = 0; slot < ranks[i].slots; ++slot)
      write(nameEvent("thread_name", rank, slot, "slot " + std::to_string(slot)));
    if (rank == 0)
      write(nameEvent("thread_name", rank, ranks[i].slots, "main, helping"));
    std::set<std::pair<int, int>> lanes; // slots of devices
    for (const auto &task : ranks[i].tasks)
      if (task.device >= 0 && lanes.emplace(task.slot, task.device).second)
        write(nameEvent("thread_name", rank, task.slot, "gpu" + std::to_string(task.device)));
    for (const auto &task : ranks[i].tasks)
      write(taskEvent(task, rank, ranks[i], origin, nameOf(task.key)));
  }
  *file << "\n]}\n";
  file->close();
  return *file ? Result<void>{} : failure("cannot write " + path + ": " + std::strerror(errno));
}

Result<void> writeCounters(const std::string &path, const std::vector<RankRecord> &ranks) {
  auto file = open(path);
  if (!file)
    return tl::make_unexpected(file.error());
  ordered_json all = {{"ranks", ordered_json::array()}, {"total", ordered_json::object()}};
  CounterValues total{};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ordered_json one = {{"rank", i},
                        {"host", ranks[i].host},
                        {"node", ranks[i].node},
                        {"slots", ranks[i].slots},
                        {"complete", ranks[i].complete}};
    for (std::size_t k = 0; k < counterNames.size(); ++k) {
      one[std::string(counterNames[k])] = ranks[i].counters[k];
      total[k] += ranks[i].counters[k];
    }
    all["ranks"].push_back(std::move(one));
  }
  for (std::size_t k = 0; k < counterNames.size(); ++k)
    all["total"][std::string(counterNames[k])] = total[k];
  *file << all.dump(2) << '\n';
  file->close();
  return *file ? Result<void>{} : failure("cannot write " + path + ": " + std::strerror(errno));
}

} // namespace streamap
