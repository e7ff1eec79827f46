// StreamMAP runtime: a file that says for each task why it went where it went.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fstream>
#include <functional>
#include <string>

#include "assign/placer.h"

namespace streamap {

/// Writes one line of JSON a placement: the task, every processor that could have taken it with what was thought of it, every
/// other one with the reason, and why the chosen one was chosen. Not thread-safe.
class PlacementFile final : public PlacementWitness {
public:
  /// \p taskOf gives a task's name, with its number in its launch, by TaskFacts::id.
  PlacementFile(const std::string &path, const ResourceTable &table, std::function<std::string(std::uint64_t id)> taskOf);

  bool isOpen() const { return file.is_open(); }

  void placed(const Placement &placement, const TaskFacts &task, std::span<const Offer> offers,
              std::span<const Rejection> rejections) override;

private:
  std::ofstream file;
  const ResourceTable &processors;
  const std::function<std::string(std::uint64_t)> nameOf;
};

} // namespace streamap
