// StreamMAP tests: devices for a rank of a test.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test_devices.h"

#include <gtest/gtest.h>

#include "device/request.h"

namespace streamap {

std::unique_ptr<RankMemory> openMemory(Mirror &mirror, const std::string &devices, int rank) {
  auto backends = makeBackends(devices, {"simulated", rank, 0});
  EXPECT_TRUE(backends) << (backends ? "" : backends.error().message);
  std::vector<OwnedDevice> owned;
  if (backends)
    for (const auto &backend : *backends)
      for (const DeviceProperties &properties : backend->discover().devices)
        owned.push_back({*backend->open(properties.uuid, static_cast<int>(owned.size())), properties.memory});
  return owned.empty() ? nullptr : std::make_unique<RankMemory>(mirror, std::move(owned));
}

std::vector<DeviceOffer> offersOf(const RankMemory *memory) {
  std::vector<DeviceOffer> offers;
  for (int device = 0; memory && device < memory->devices(); ++device)
    offers.push_back({memory->device(device).properties(), memory->device(device).properties().memory});
  return offers;
}

} // namespace streamap
