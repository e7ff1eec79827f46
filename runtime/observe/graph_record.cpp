// StreamMAP runtime: what main launched and waited for, for the simulator.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observe/graph_record.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace streamap {
namespace {

using nlohmann::ordered_json;

const char *nameOf(std::uint8_t kind) {
  return kind == STREAMAP_KIND_G ? "G" : kind == STREAMAP_KIND_C ? "C" : "best";
}

ordered_json asJson(const GraphRecord::Task &task, const GraphRecord::Ran &ran) {
  ordered_json one{{"on", nameOf(task.kind)}};
  if (task.cores != 1)
    one["cores"] = task.cores;
  if (task.share != 100)
    one["share"] = task.share;
  if (task.cost > 0)
    one["cost"] = task.cost;
  if (task.memory != Bytes{})
    one["memory"] = task.memory.value;
  ordered_json &uses = one["uses"] = ordered_json::array();
  for (const Access &access : task.accesses)
    uses.push_back({reads(access.mode) ? (writes(access.mode) ? "inout" : "in") : "out", access.run.lo, access.run.bytes()});
  if (!ran.processor.empty())
    one["ran"] = {ran.processor, ran.seconds};
  return one;
}

} // namespace

void GraphRecord::enter() {
  std::lock_guard lock(mutex);
  before = std::chrono::duration<double>(Clock::now() - returned).count();
}

void GraphRecord::leave() {
  std::lock_guard lock(mutex);
  returned = Clock::now();
}

void GraphRecord::add(Call call) {
  std::lock_guard lock(mutex);
  call.before = std::exchange(before, 0);
  calls.push_back(std::move(call));
}

void GraphRecord::launched(const streamap_task &function, std::int32_t priority, std::vector<Task> tasks) {
  Call call;
  call.function = &function;
  call.priority = priority;
  call.tasks = std::move(tasks);
  add(std::move(call));
}

void GraphRecord::waited() {
  Call call;
  call.kind = Call::Kind::WaitAll;
  add(std::move(call));
}

void GraphRecord::waited(std::span<const ByteRun> runs) {
  Call call;
  call.kind = Call::Kind::WaitOn;
  call.runs.assign(runs.begin(), runs.end());
  add(std::move(call));
}

void GraphRecord::ended() {
  Call call;
  call.kind = Call::Kind::End;
  add(std::move(call));
}

Result<void> GraphRecord::write(const std::string &path, const std::function<Ran(EventId)> &ran) const {
  std::lock_guard lock(mutex);
  std::ofstream file(path);
  if (!file)
    return failure("cannot write " + path + ": " + std::strerror(errno));
  std::map<const streamap_task *, std::size_t> numbers;
  ordered_json functions = ordered_json::array();
  for (const Call &call : calls)
    if (call.function && numbers.try_emplace(call.function, numbers.size()).second)
      functions.push_back({{"name", call.function->name},
                           {"source", (call.function->file ? call.function->file : "?") + std::string(":") +
                                          std::to_string(call.function->line)}});
  // One call a line: as large as the file gets, it is never in memory as text, and can be read with line tools.
  file << R"({"streamap_graph": 1, "functions": )" << functions.dump() << ",\n\"calls\": [";
  const char *separator = "\n";
  for (const Call &call : calls) {
    ordered_json one;
    if (call.before > 0)
      one["before"] = call.before;
    switch (call.kind) {
    case Call::Kind::Launch: {
      one["launch"] = numbers.at(call.function);
      if (call.priority != 0)
        one["priority"] = call.priority;
      ordered_json &tasks = one["tasks"] = ordered_json::array();
      for (const Task &task : call.tasks)
        tasks.push_back(asJson(task, ran(task.id)));
      break;
    }
    case Call::Kind::WaitAll:
      one["wait"] = "all";
      break;
    case Call::Kind::WaitOn: {
      ordered_json &runs = one["wait"] = ordered_json::array();
      for (const ByteRun run : call.runs)
        runs.push_back({run.lo, run.bytes()});
      break;
    }
    case Call::Kind::End:
      one["wait"] = "end";
      break;
    }
    file << separator << one.dump();
    separator = ",\n";
  }
  file << "\n]}\n";
  file.close();
  return file ? Result<void>{} : failure("cannot write " + path + ": " + std::strerror(errno));
}

} // namespace streamap
