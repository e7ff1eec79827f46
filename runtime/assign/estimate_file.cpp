// StreamMAP runtime: keeping what was learnt about run times for the next run.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file: a line with its version, then a line for each function, size and class of processors, sorted:
//   class TAB function TAB amount TAB seconds seconds ...
#include "assign/estimate_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

namespace streamap {
namespace {

constexpr std::string_view title = "streamap-estimates ";
constexpr int version = 1;
/// So that the file stays small: a program has some dozens of them.
constexpr std::size_t mostLines = 20'000;

/// What processors of a class are called, the same in every run.
std::string nameOf(const ResourceTable &table, const ResourceTable::Class &group) {
  const ProcessorFacts &facts = table[group.example];
  if (!facts.device)
    return "cores";
  return facts.device->backend + " " + facts.device->name + " " + std::to_string(facts.device->capability.number()) + " " +
         std::to_string(facts.device->multiprocessors);
}

using Key = std::tuple<std::string, std::string, double>; ///< class, function, amount
using Lines = std::map<Key, std::vector<Seconds>>;

struct Contents {
  Lines lines;
  bool isLater = false; ///< of a later version
};

Result<Contents> read(const std::string &path) {
  Contents contents;
  std::ifstream file(path);
  if (!file) {
    if (errno == ENOENT)
      return contents;
    return failure("cannot read " + path + ": " + std::strerror(errno));
  }
  std::string line;
  if (!std::getline(file, line) || !line.starts_with(title))
    return failure(path + " does not hold run times of tasks", "remove it, or name another file");
  const int written = std::atoi(line.c_str() + title.size());
  contents.isLater = written > version;
  if (written != version)
    return contents;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string group, function, amount;
    if (!std::getline(fields, group, '\t') || !std::getline(fields, function, '\t') || !std::getline(fields, amount, '\t'))
      continue; // the disk was full, maybe
    std::vector<Seconds> runs;
    for (Seconds run = 0; fields >> run;)
      if (run > 0)
        runs.push_back(run);
    contents.lines[{group, function, std::atof(amount.c_str())}] = std::move(runs);
  }
  return contents;
}

/// Held by whoever reads, adds and replaces.
class FileLock {
public:
  explicit FileLock(const std::string &path) : handle(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    while (handle >= 0 && flock(handle, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() {
    if (handle >= 0)
      close(handle);
  }
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;
  bool held() const { return handle >= 0; }

private:
  int handle;
};

bool replace(const std::string &path, const Lines &lines) {
  const std::string fresh = path + "." + std::to_string(getpid());
  {
    std::ofstream file(fresh);
    file.precision(9);
    file << title << version << '\n';
    for (const auto &[key, runs] : lines) {
      const auto &[group, function, amount] = key;
      file << group << '\t' << function << '\t' << amount << '\t';
      for (std::size_t k = 0; k < runs.size(); ++k)
        file << (k ? " " : "") << runs[k];
      file << '\n';
    }
    file.close();
    if (!file)
      return false;
  }
  return std::rename(fresh.c_str(), path.c_str()) == 0;
}

} // namespace

Result<void> readEstimates(const std::string &path, const ResourceTable &table, Estimates &estimates) {
  const auto contents = read(path);
  if (!contents)
    return tl::make_unexpected(contents.error());
  for (std::size_t k = 0; k < table.classes().size(); ++k) {
    const std::string name = nameOf(table, table.classes()[k]);
    for (const auto &[key, runs] : contents->lines)
      if (const auto &[group, function, amount] = key; group == name)
        estimates.restore(estimates.profile(estimates.function(function), amount), ClassId{static_cast<int>(k)}, runs);
  }
  return {};
}

Result<void> writeEstimates(const std::string &path, const ResourceTable &table, const Estimates &estimates) {
  const auto entries = estimates.all();
  if (entries.empty())
    return {};
  const auto failed = [&] { return failure("cannot write " + path + ": " + std::strerror(errno)); };
  std::error_code ignored; // whatever is wrong with the folder, opening says it better
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder, ignored);
  const FileLock lock(path + ".lock");
  if (!lock.held())
    return failed();
  auto contents = read(path);
  if (!contents)
    return tl::make_unexpected(contents.error());
  if (contents->isLater)
    return {};
  for (const Estimates::Entry &entry : entries) {
    auto &runs = contents->lines[{nameOf(table, table[entry.where]), std::string(entry.function), entry.amount}];
    runs = entry.times->recent();
    if (contents->lines.size() > mostLines)
      contents->lines.erase(contents->lines.begin());
  }
  return replace(path, contents->lines) ? Result<void>{} : failed();
}

} // namespace streamap
