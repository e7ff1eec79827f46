// StreamMAP runtime: keeping what was measured between machines for the next start.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file: a line with its version, then a line for each link, sorted:
//   host TAB host TAB library TAB latency TAB bytes per second TAB when
#include "discover/link_file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "base/file_lock.h"

namespace streamap {
namespace {

constexpr std::string_view title = "streamap-links ";
constexpr int version = 1;

struct Contents {
  std::map<LinkKey, MeasuredLink> links;
  bool isLater = false; ///< of a later version
};

Result<Contents> read(const std::string &path, std::int64_t now) {
  Contents contents;
  std::ifstream file(path);
  if (!file) {
    if (errno == ENOENT)
      return contents;
    return failure("cannot read " + path + ": " + std::strerror(errno));
  }
  std::string line;
  if (!std::getline(file, line) || !line.starts_with(title))
    return failure(path + " does not hold measured links", "remove it, or name another file");
  const int written = std::atoi(line.c_str() + title.size());
  contents.isLater = written > version;
  if (written != version)
    return contents;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string host, other, library;
    MeasuredLink link;
    if (std::getline(fields, host, '\t') && std::getline(fields, other, '\t') && std::getline(fields, library, '\t') &&
        fields >> link.latency >> link.bytesPerSecond >> link.when && link.latency > 0 && link.bytesPerSecond > 0 &&
        now - link.when < linkLifeSeconds)
      contents.links[{host, other, library}] = link;
  }
  return contents;
}

bool replace(const std::string &path, const std::map<LinkKey, MeasuredLink> &links) {
  const std::string fresh = path + "." + std::to_string(getpid());
  std::ofstream file(fresh);
  file << title << version << '\n';
  for (const auto &[key, link] : links) {
    const auto &[host, other, library] = key;
    file << host << '\t' << other << '\t' << library << '\t' << link.latency << '\t' << link.bytesPerSecond << '\t' << link.when
         << '\n';
  }
  file.close();
  return file && std::rename(fresh.c_str(), path.c_str()) == 0;
}

} // namespace

LinkKey linkKey(const std::string &host, const std::string &otherHost, const std::string &library) {
  return {std::min(host, otherHost), std::max(host, otherHost), library};
}

Result<std::map<LinkKey, MeasuredLink>> readLinks(const std::string &path, std::int64_t now) {
  return read(path, now).map([](Contents contents) { return std::move(contents.links); });
}

Result<void> addLinks(const std::string &path, const std::map<LinkKey, MeasuredLink> &links, std::int64_t now) {
  const auto failed = [&] { return failure("cannot write " + path + ": " + std::strerror(errno)); };
  std::error_code ignored; // whatever is wrong with the folder, opening says it better
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder, ignored);
  const FileLock lock(path + ".lock");
  if (!lock.held())
    return failed();
  auto contents = read(path, now);
  if (!contents)
    return tl::make_unexpected(contents.error());
  if (contents->isLater)
    return {};
  for (const auto &[key, link] : links)
    contents->links[key] = link;
  return replace(path, contents->links) ? Result<void>{} : failed();
}

} // namespace streamap
