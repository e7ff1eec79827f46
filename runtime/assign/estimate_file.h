// StreamMAP runtime: keeping what was learnt about run times for the next run.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "assign/estimates.h"
#include "base/result.h"

namespace streamap {

/// Takes over what the file has about classes of processors that are there now. A file that is not there, or that another version
/// has written, is as good as empty. Errors: it cannot be read, or is not such a file.
Result<void> readEstimates(const std::string &path, const ResourceTable &table, Estimates &estimates);

/// Adds to the file, or replaces in it, what \p estimates knows. Makes its folder if need be. Several programs may write at a
/// time: one after the other reads, adds and replaces the file as a whole, so that a reader finds the old one or the new one. A
/// file of a later version is left alone.
Result<void> writeEstimates(const std::string &path, const ResourceTable &table, const Estimates &estimates);

} // namespace streamap
