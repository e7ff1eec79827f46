// StreamMAP runtime: keeping what was measured between machines for the next start.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "base/result.h"

namespace streamap {

/// What a link is between: two machines by name, the lower name first (twice the same: ranks of one machine), and the MPI library
/// that it was measured through.
using LinkKey = std::tuple<std::string, std::string, std::string>;
LinkKey linkKey(const std::string &host, const std::string &otherHost, const std::string &library);

struct MeasuredLink {
  double latency = 0;        ///< seconds, one way
  double bytesPerSecond = 0; ///< of large messages
  std::int64_t when = 0;     ///< seconds since 1970
};

/// Measurements older than this do not count: machines get other cables, and names other machines.
inline constexpr std::int64_t linkLifeSeconds = 30 * 24 * 3600;

/// The measurements of a file that count at \p now. A file that is not there, or that another version has written, is as good as
/// empty. Errors: it cannot be read, or is not such a file.
Result<std::map<LinkKey, MeasuredLink>> readLinks(const std::string &path, std::int64_t now);

/// Adds to the file, or replaces in it. Makes its folder if need be. Several programs may write at a time: one after the other
/// reads, adds and replaces the file as a whole, so that a reader finds the old one or the new one. A file of a later version is
/// left alone.
Result<void> addLinks(const std::string &path, const std::map<LinkKey, MeasuredLink> &links, std::int64_t now);

} // namespace streamap
