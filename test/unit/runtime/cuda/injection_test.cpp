// Each call of the driver fails in turn: the answer is right, or there is one clear error; nothing hangs, nothing is left, and
// nothing is done with what has gone.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <set>

#include "doubles.h"
#include "random_work.h"

namespace streamap::cuda {
namespace {

constexpr int steps = 60;
constexpr const char *machine = "devices=2; seed=9";

/// Finds the devices, opens them, works, and ends. What it says of the first failure; nothing if there was none.
std::optional<std::string> playOnce(const std::string &settings) {
  Doubles::instance().start(settings);
  const auto backend = makeBackendOnDoubles({{"piece", "8KiB"}});
  const Discovery found = backend->discover();
  if (!found.reason.empty())
    return found.reason;
  if (!found.notices.empty())
    return found.notices.front();
  std::vector<std::unique_ptr<Device>> devices;
  for (const DeviceProperties &properties : found.devices) {
    auto device = backend->open(properties.uuid, static_cast<int>(devices.size()));
    if (!device)
      return device.error().text.message;
    devices.push_back(std::move(*device));
  }
  RandomWork work(devices, 7);
  auto said = work.run(steps);
  for (const auto &device : devices)
    if (!said)
      if (auto probed = device->probe(); !probed)
        said = probed.error().text.message;
  while (!devices.empty()) // before the work's memory goes, and the first one, whose pinned memory all use, last
    devices.pop_back();
  return said;
}

/// Calls whose failure shows only in the end of things, where there is nobody to tell.
const std::set<std::string> silent{"cuCtxPopCurrent_v2",   "cuDevicePrimaryCtxRelease_v2",
                                   "cuStreamDestroy_v2",   "cuEventDestroy_v2",
                                   "cuModuleUnload",       "cuMemFree_v2",
                                   "cuMemFreeHost",        "cuStreamSynchronize",
                                   "cuCtxPushCurrent_v2",  "cuCtxEnablePeerAccess",
                                   "cuDeviceCanAccessPeer"}; // asked for the table of links too, where no answer is none

void failOne(const std::string &name, std::uint64_t nth, int code) {
  const std::string injection = name + ":" + std::to_string(nth) + "=" + std::to_string(code);
  SCOPED_TRACE(injection);
  const auto said = playOnce(std::string(machine) + "; fail=" + injection);
  if (said) {
    EXPECT_FALSE(said->starts_with("wrong")) << *said;
    // By its name in the documentation, and with the number; work that ran in a stream is told by whichever call noticed.
    EXPECT_NE(said->find(", " + std::to_string(code) + ")"), std::string::npos) << *said;
    if (name != "kernel" && name != "copy" && !silent.contains(name)) {
      EXPECT_NE(said->find(name.substr(0, name.find("_v"))), std::string::npos) << *said;
    }
  } else {
    EXPECT_TRUE(silent.contains(name)) << "the failure was passed over";
  }
  const DoubleReport report = Doubles::instance().report();
  EXPECT_EQ(report.misuses, 0U);
  if (name != "cuDevicePrimaryCtxRelease_v2") {
    EXPECT_EQ(report.contexts + report.streams + report.events + report.modules + report.deviceBuffers + report.hostBuffers, 0U);
  }
}

TEST(CudaInjection, EachCallFailsInTurn) {
  ASSERT_FALSE(playOnce(machine));
  const auto calls = Doubles::instance().calls();
  ASSERT_GT(calls.size(), 35U);
  for (const auto &[name, count] : calls) {
    if (name == "cuDriverGetVersion" || name.starts_with("cuGetError"))
      continue;
    for (const std::uint64_t nth : std::set<std::uint64_t>{1, (count + 1) / 2, count})
      for (const int code : {999, 700})
        if (code == 999 || (name != "cuInit" && !name.starts_with("cuDevice"))) // no context to break there
          failOne(name, nth, code);
  }
}

} // namespace
} // namespace streamap::cuda
