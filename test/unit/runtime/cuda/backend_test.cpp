// Finding NVIDIA's devices, and saying why there are none.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/backend.h"

#include <gtest/gtest.h>

#include "device/cuda/pinned_ranges.h"
#include "device/cuda/staged_copies.h"
#include "device/nvml/nvml.h"
#include "doubles.h"

namespace streamap::cuda {
namespace {

using testing::Test;

Discovery discoverWith(const std::string &library) {
  const std::vector<DeviceOption> options{{"driver", library}};
  auto backend = makeCudaBackend(-1, options, BackendContext{});
  EXPECT_TRUE(backend.has_value());
  return (*backend)->discover();
}

bool says(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(CudaBackend, WithoutADriverThereAreNoDevicesAndAReason) {
  const Discovery found = discoverWith("libcuda-that-is-not-there.so.1");
  EXPECT_TRUE(found.devices.empty());
  EXPECT_TRUE(says(found.reason, "no NVIDIA driver here")) << found.reason;
  EXPECT_TRUE(says(found.reason, "libcuda-that-is-not-there.so.1")) << found.reason;
}

TEST(CudaBackend, ALibraryThatLacksACallIsTooOld) {
  const Discovery found = discoverWith("libm.so.6");
  EXPECT_TRUE(found.devices.empty());
  EXPECT_TRUE(says(found.reason, "has no cu")) << found.reason;
  EXPECT_TRUE(says(found.reason, "11.4")) << found.reason;
}

TEST(CudaBackend, WhatTheDriverRefusesIsToldWithAHint) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"fail=cuInit:1=34", "stub"},   {"devices=0", "CUDA_VISIBLE_DEVICES"}, {"fail=cuInit:1=803", "reboot"},
      {"fail=cuInit:1=999", "dmesg"}, {"fail=cuInit:1=4242", "error 4242"},  {"fail=cuDeviceGetCount:1=802", "fabricmanager"},
  };
  for (const auto &[settings, part] : table) {
    Doubles::instance().start(settings);
    const Discovery found = makeBackendOnDoubles()->discover();
    EXPECT_TRUE(found.devices.empty()) << settings;
    EXPECT_TRUE(says(found.reason, part)) << found.reason;
  }
}

TEST(CudaBackend, DevicesAreDescribed) {
  Doubles::instance().start("devices=2; cc=8.6; memory=3GiB; sms=84; 0.name=NVIDIA A10; 0.pci=0000:AF:00.0; 1.pci=0000:3b:00.0;"
                            "1.name=NVIDIA A100-SXM4-40GB MIG 1g.5gb; 1.mode=exclusive");
  const Discovery found = makeBackendOnDoubles()->discover();
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_TRUE(found.reason.empty());
  // The driver's order is by speed, then by PCI address.
  const DeviceProperties &part = found.devices[0].name == "NVIDIA A10" ? found.devices[1] : found.devices[0];
  const DeviceProperties &whole = found.devices[0].name == "NVIDIA A10" ? found.devices[0] : found.devices[1];
  EXPECT_EQ(whole.backend, "cuda");
  EXPECT_EQ(whole.vendor, "nvidia");
  EXPECT_EQ(whole.capability, (ComputeCapability{8, 6}));
  EXPECT_EQ(whole.memory, 3_GiB);
  EXPECT_EQ(whole.multiprocessors, 84);
  EXPECT_EQ(whole.pciBusId, "0000:af:00.0");
  EXPECT_EQ(whole.uuid.kind, DeviceUuid::Kind::Gpu);
  EXPECT_EQ(whole.limits.sharedPerBlock, 99_KiB);
  EXPECT_EQ(whole.limits.grid[1], 65535U);
  EXPECT_EQ(whole.mode, ComputeMode::Default);
  EXPECT_EQ(part.uuid.kind, DeviceUuid::Kind::Mig);
  EXPECT_EQ(part.mode, ComputeMode::Exclusive);
  ASSERT_TRUE(whole.nvml.has_value());
  EXPECT_NE(whole.nvml, part.nvml);
  EXPECT_EQ(whole.nvml->value, 1U) << "NVML counts by PCI address";
}

TEST(CudaBackend, NvmlSeesAllDevicesWhateverIsVisible) {
  Doubles::instance().start("devices=3");
  setenv("CUDA_VISIBLE_DEVICES", "2", 1);
  const Discovery found = makeBackendOnDoubles()->discover();
  unsetenv("CUDA_VISIBLE_DEVICES");
  ASSERT_EQ(found.devices.size(), 1U);
  EXPECT_EQ(found.devices[0].ordinal, CudaOrdinal{0});
  EXPECT_EQ(found.devices[0].nvml, NvmlIndex{2});
}

TEST(CudaBackend, ADeviceThatDoesNotAnswerIsLeftOutWithANotice) {
  Doubles::instance().start("devices=3; fail=cuDeviceGetUuid_v2:2=999");
  const Discovery found = makeBackendOnDoubles()->discover();
  EXPECT_EQ(found.devices.size(), 2U);
  ASSERT_EQ(found.notices.size(), 1U);
  EXPECT_TRUE(says(found.notices[0], "CUDA device 1")) << found.notices[0];
  EXPECT_TRUE(says(found.notices[0], "cuDeviceGetUuid: ")) << found.notices[0];
}

TEST(CudaBackend, DiscoveryMakesNoContext) {
  Doubles::instance().start("devices=2");
  const auto backend = makeBackendOnDoubles();
  backend->discover();
  for (const auto &[name, count] : Doubles::instance().calls())
    EXPECT_FALSE(says(name, "PrimaryCtx") || says(name, "cuMem")) << name;
  expectNothingLeft();
}

TEST(CudaBackend, ATakenOrBrokenDeviceDoesNotOpenAndSaysWhy) {
  Doubles::instance().start("devices=2; 0.mode=exclusive; 0.busy=1; 1.broken=214");
  const auto backend = makeBackendOnDoubles();
  const Discovery found = backend->discover();
  ASSERT_EQ(found.devices.size(), 2U);
  const auto taken = backend->open(found.devices[0].uuid, 0), broken = backend->open(found.devices[1].uuid, 1);
  ASSERT_FALSE(taken);
  EXPECT_TRUE(says(taken.error().text.message, "CUDA_ERROR_DEVICE_UNAVAILABLE, 46")) << taken.error().text.message;
  EXPECT_TRUE(says(taken.error().text.hint, "another process"));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().kind, DeviceErrorKind::Lost);
  EXPECT_TRUE(says(broken.error().text.hint, "hardware"));
  EXPECT_FALSE(backend->open(uuidFromText("another"), 2));
  expectNothingLeft();
}

TEST(CudaBackend, OptionsAreChecked) {
  for (const auto &[key, value] : std::vector<std::pair<std::string, std::string>>{
           {"drive", "x"}, {"driver", ""}, {"piece", "1KiB"}, {"piece", "much"}, {"piece", "2GiB"}}) {
    const std::vector<DeviceOption> options{{key, value}};
    EXPECT_FALSE(makeCudaBackend(-1, options, BackendContext{})) << key << "=" << value;
  }
}

TEST(Nvml, TellsTheStateOfADevice) {
  Doubles::instance().start("devices=2; memory=1GiB; 1.taken=256MiB; 1.others=2; 1.temperature=77; 1.busy=1; 0.lost=1");
  const auto library = nvml::Library::open(STREAMAP_NVML_DOUBLE);
  ASSERT_TRUE(library);
  const Discovery found = makeBackendOnDoubles()->discover();
  const auto state = library->stateOf(found.devices[1].uuid);
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->used, 256_MiB);
  EXPECT_EQ(state->total, 1_GiB);
  EXPECT_EQ(state->celsius, 77);
  EXPECT_EQ(state->busyPercent, 100);
  ASSERT_EQ(state->others.size(), 2U);
  EXPECT_EQ(state->others[0].memory, 128_MiB);
  EXPECT_FALSE(library->isLost(found.devices[1].uuid));
  EXPECT_TRUE(library->isLost(found.devices[0].uuid));
  EXPECT_FALSE(library->indexOf(uuidFromText("another")));
  EXPECT_FALSE(nvml::Library::open("libnvidia-ml-that-is-not-there.so.1"));
  EXPECT_FALSE(nvml::Library::open("libm.so.6"));
}

TEST(CutCopy, CoversEveryByteOnceAndInOrder) {
  for (const std::uint64_t width : {1, 5, 16, 17, 100})
    for (const std::uint64_t rows : {1, 2, 3, 7})
      for (const std::uint64_t largest : {1, 4, 16, 33, 1000}) {
        const std::uint64_t hostPitch = width + 3, devicePitch = width + 8;
        std::vector<int> covered(rows * hostPitch);
        std::uint64_t last = 0;
        for (const CopyPiece &piece : cutCopy(width, rows, hostPitch, devicePitch, largest)) {
          EXPECT_LE(piece.width * piece.rows, largest);
          EXPECT_GE(piece.hostOffset, last);
          last = piece.hostOffset;
          EXPECT_EQ(piece.hostOffset / hostPitch, piece.deviceOffset / devicePitch);
          EXPECT_EQ(piece.hostOffset % hostPitch, piece.deviceOffset % devicePitch);
          for (std::uint64_t row = 0; row < piece.rows; ++row)
            for (std::uint64_t column = 0; column < piece.width; ++column)
              ++covered[piece.hostOffset + row * hostPitch + column];
        }
        for (std::uint64_t i = 0; i < covered.size(); ++i)
          EXPECT_EQ(covered[i], i % hostPitch < width) << width << " " << rows << " " << largest;
      }
}

TEST(PinnedRanges, KnowWholeRangesOnly) {
  PinnedRanges ranges;
  const char memory[100] = {};
  ranges.add(memory + 10, 50);
  EXPECT_TRUE(ranges.contain(memory + 10, 50));
  EXPECT_TRUE(ranges.contain(memory + 59, 1));
  EXPECT_FALSE(ranges.contain(memory + 59, 2));
  EXPECT_FALSE(ranges.contain(memory + 9, 2));
  EXPECT_FALSE(ranges.contain(memory, 100));
  ranges.remove(memory + 10);
  EXPECT_FALSE(ranges.contain(memory + 10, 1));
}

} // namespace
} // namespace streamap::cuda
