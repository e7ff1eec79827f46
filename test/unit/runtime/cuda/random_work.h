// Random work for devices, and what it must come to.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "device/device.h"

namespace streamap::cuda {

/// Copies of all kinds, fills and kernels on all devices and several queues, joined by events where one step needs another's
/// result. A model in plain memory does each step at once; in the end all memory must be as in the model.
class RandomWork {
public:
  /// \p devices at least one; all of one backend.
  RandomWork(std::vector<std::unique_ptr<Device>> &devices, std::uint64_t seed);

  /// Does \p steps steps, and compares. The first error ends it. Nothing: the answer is right. "wrong: ..." if the answer is
  /// wrong.
  std::optional<std::string> run(int steps);

private:
  using Numbers = std::vector<std::int64_t>;
  /// Memory somewhere, and the last step that touched it.
  struct Place {
    std::size_t device = 0; ///< hostSide for host memory
    DevicePointer pointer;
    std::int64_t *host = nullptr;
    std::unique_ptr<Numbers> ordinary; ///< what `host` points to, unless it is pinned
    Numbers model;
    std::size_t eventDevice = 0;
    std::optional<DeviceEvent> event;
  };
  /// Some numbers of a place, in rows.
  struct Part {
    Place *place = nullptr;
    std::size_t first = 0, pitch = 0;
  };

  DeviceResult<void> prepare();
  DeviceResult<void> step();
  DeviceResult<void> copy(Part to, Part from, std::size_t width, std::size_t rows);
  DeviceResult<void> addKernel(Place &place);
  DeviceResult<void> fill(Place &place);
  DeviceResult<void> reverseKernel(Place &place);
  DeviceResult<void> after(std::size_t device, DeviceQueue queue, const Place &place);
  DeviceResult<void> touched(std::size_t device, DeviceQueue queue, std::vector<Place *> places);
  DeviceResult<void> fetchAll();
  void finishQueues();
  DeviceResult<DeviceQueue> anyQueue(std::size_t device);
  Part anyPart(Place &place, std::size_t width, std::size_t rows);
  Place &anyPlace(bool onDevice);
  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::optional<std::string> compare() const;

  static constexpr std::size_t hostSide = SIZE_MAX;
  std::vector<std::unique_ptr<Device>> &devices_;
  std::mt19937_64 random_;
  std::vector<DeviceImage> images_;
  std::vector<DeviceFunction> add_, reverse_;
  std::vector<std::vector<DeviceQueue>> queues_;
  std::deque<Place> places_;
};

} // namespace streamap::cuda
