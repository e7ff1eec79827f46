// An NVIDIA device, as far as the double of its driver shows it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/device.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "doubles.h"

namespace streamap::cuda {
namespace {

bool says(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

class CudaDeviceTest : public testing::Test {
protected:
  void open(const std::string &settings, std::vector<DeviceOption> options = {{"piece", "64KiB"}}) {
    devices.clear();
    Doubles::instance().start(settings);
    backend = makeBackendOnDoubles(std::move(options));
    devices = openAll(*backend);
    ASSERT_FALSE(devices.empty());
  }
  Device &device(std::size_t number = 0) { return *devices[number]; }
  DeviceQueue queue(std::size_t number = 0) { return device(number).createQueue().value(); }
  DevicePointer allocate(std::uint64_t bytes, std::size_t number = 0) { return device(number).allocate(Bytes{bytes}).value(); }
  DeviceFunction kernel(const char *name, std::size_t number = 0) {
    const streamap_image image = testKernels();
    return device(number).findFunction(device(number).loadImage(image).value(), name).value();
  }
  DeviceResult<void> store(DeviceQueue on, DevicePointer where, std::size_t offset, std::size_t number = 0) {
    const std::array arguments{argument(where.value), argument(offset)};
    return device(number).launch(on, kernel("store", number), {}, arguments);
  }

  std::unique_ptr<Backend> backend;
  std::vector<std::unique_ptr<Device>> devices;
};

/// Holds a queue until it is told to go on.
class Gate {
public:
  Gate(Device &device, DeviceQueue queue) {
    const auto launch = Doubles::instance().call<CUresult (*)(CUstream, CUhostFn, void *)>("cuLaunchHostFunc");
    // The host function has a share of its own: it may look once more after the gate has gone.
    EXPECT_EQ(launch(static_cast<CUstream>(device.nativeQueue(queue)), wait, new std::shared_ptr(open_)), CUDA_SUCCESS);
  }
  ~Gate() {
    *open_ = true;
    open_->notify_all();
  }
  Gate(const Gate &) = delete;
  Gate &operator=(const Gate &) = delete;

private:
  static void wait(void *data) {
    const std::unique_ptr<std::shared_ptr<std::atomic<bool>>> open(static_cast<std::shared_ptr<std::atomic<bool>> *>(data));
    (*open)->wait(false);
  }
  std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(false);
};

TEST_F(CudaDeviceTest, TakesBytesThereAndBack) {
  open("");
  // Larger than all pieces that are on their way at once, and not a multiple of one.
  std::vector<int> there(123'457), back(there.size());
  std::iota(there.begin(), there.end(), 0);
  const Bytes bytes{there.size() * sizeof(int)};
  const DevicePointer memory = allocate(bytes.value);
  const DeviceQueue q = queue();
  ASSERT_DEVICE(device().copyToDevice(q, memory, there.data(), {bytes}));
  ASSERT_DEVICE(device().copyToHost(q, back.data(), memory, {bytes}));
  ASSERT_DEVICE(device().finish(q));
  EXPECT_EQ(there, back);
  EXPECT_EQ(Doubles::instance().report().pageableCopies, 0U) << "the driver would have made the caller wait";
  devices.clear();
  expectNothingLeft();
}

TEST_F(CudaDeviceTest, CopiesFromOrdinaryMemoryDoNotHoldTheCaller) {
  open("");
  std::vector<char> there(300'000, 'a'), back(there.size());
  const DevicePointer memory = allocate(there.size());
  const DeviceQueue q = queue();
  const DeviceEvent done = device().createEvent().value();
  {
    Gate gate(device(), q);
    ASSERT_DEVICE(device().copyToDevice(q, memory, there.data(), {Bytes{there.size()}}));
    ASSERT_DEVICE(device().copyToHost(q, back.data(), memory, {Bytes{there.size()}}));
    ASSERT_DEVICE(device().record(q, done));
    EXPECT_FALSE(device().hasHappened(done).value());
    std::fill(there.begin(), there.end(), 'b'); // whatever it was at the call: the queue decides when it is read
  }
  ASSERT_DEVICE(device().wait(done));
  EXPECT_TRUE(device().hasHappened(done).value());
  EXPECT_EQ(there, back);
}

TEST_F(CudaDeviceTest, ACopyOverlapsAKernelInAnotherQueue) {
  open("");
  std::vector<char> there(200'000, 'a');
  const DevicePointer memory = allocate(there.size());
  const DeviceQueue busy = queue(), free = queue();
  Gate gate(device(), busy);
  ASSERT_DEVICE(store(busy, memory, 0));
  ASSERT_DEVICE(device().copyToDevice(free, memory + 100'000, there.data(), {Bytes{100'000}}));
  ASSERT_DEVICE(device().finish(free)); // does not come back if the copy waits for the kernel
  const DeviceEvent behindKernel = device().createEvent().value();
  ASSERT_DEVICE(device().record(busy, behindKernel));
  EXPECT_FALSE(device().hasHappened(behindKernel).value());
}

TEST_F(CudaDeviceTest, RectanglesAndPinnedMemory) {
  open("");
  constexpr std::uint64_t width = 1000, rows = 300, hostPitch = 1500, devicePitch = 1024;
  const DevicePointer memory = allocate(rows * devicePitch);
  const DeviceQueue q = queue();
  std::vector<std::byte> ordinary(rows * hostPitch);
  for (std::size_t i = 0; i < ordinary.size(); ++i)
    ordinary[i] = static_cast<std::byte>(i * 7 + i / 251);
  std::byte *const pinned = device().allocatePinned(Bytes{rows * hostPitch}).value();
  ASSERT_DEVICE(device().copyToDevice(q, memory, ordinary.data(), {Bytes{width}, rows, Bytes{devicePitch}, Bytes{hostPitch}}));
  ASSERT_DEVICE(device().copyToHost(q, pinned, memory, {Bytes{width}, rows, Bytes{hostPitch}, Bytes{devicePitch}}));
  ASSERT_DEVICE(device().fill(q, memory, 0, Bytes{rows * devicePitch}));
  ASSERT_DEVICE(device().copyToDevice(q, memory, pinned, {Bytes{width}, rows, Bytes{devicePitch}, Bytes{hostPitch}}));
  std::vector<std::byte> back(rows * hostPitch, std::byte{0x77});
  ASSERT_DEVICE(device().copyToHost(q, back.data(), memory, {Bytes{width}, rows, Bytes{hostPitch}, Bytes{devicePitch}}));
  ASSERT_DEVICE(device().finish(q));
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint64_t column = 0; column < hostPitch; ++column)
      ASSERT_EQ(back[row * hostPitch + column], column < width ? ordinary[row * hostPitch + column] : std::byte{0x77})
          << row << " " << column;
  ASSERT_DEVICE(device().freePinned(pinned));
}

TEST_F(CudaDeviceTest, PinnedMemoryIsPinnedForAllDevices) {
  open("devices=2");
  std::byte *const pinned = device(0).allocatePinned(64_KiB).value();
  const DevicePointer memory = allocate(65536, 1);
  const DeviceQueue q = queue(1);
  ASSERT_DEVICE(device(1).copyToDevice(q, memory, pinned, {64_KiB}));
  ASSERT_DEVICE(device(1).finish(q));
  for (const auto &[name, count] : Doubles::instance().calls())
    EXPECT_NE(name, "cuLaunchHostFunc") << "it went through other pinned memory";
}

TEST_F(CudaDeviceTest, PeersCopyWithAndWithoutDirectAccess) {
  for (const char *const peers : {"devices=2; peers=all", "devices=2; peers=none"}) {
    open(peers);
    const std::vector<int> there{1, 2, 3, 4, 5, 6};
    std::vector<int> back(6);
    const DevicePointer first = allocate(24, 0), second = allocate(24, 1);
    const DeviceQueue q0 = queue(0), q1 = queue(1);
    const DeviceEvent copied = device(0).createEvent().value();
    EXPECT_TRUE(device(1).canReach(device(0)));
    ASSERT_DEVICE(device(0).copyToDevice(q0, first, there.data(), {Bytes{24}}));
    ASSERT_DEVICE(device(0).record(q0, copied));
    ASSERT_DEVICE(device(1).waitFor(q1, device(0), copied));
    ASSERT_DEVICE(device(1).copyFromPeer(q1, second, device(0), first, {Bytes{24}}));
    ASSERT_DEVICE(device(1).copyFromPeer(q1, second, device(0), first + 4, {Bytes{4}, 2, Bytes{8}, Bytes{12}})); // rows
    ASSERT_DEVICE(device(1).copyToHost(q1, back.data(), second, {Bytes{24}}));
    ASSERT_DEVICE(device(1).finish(q1));
    EXPECT_EQ(back, (std::vector<int>{2, 2, 5, 4, 5, 6}));
    devices.clear();
    expectNothingLeft();
  }
}

TEST_F(CudaDeviceTest, KernelsWithMuchSharedMemoryAskForItOnce) {
  open("");
  const DeviceFunction reverse = kernel("reverse_blocks");
  std::vector<int> there(1024), back(1024);
  std::iota(there.begin(), there.end(), 0);
  const DevicePointer memory = allocate(4096);
  const DeviceQueue q = queue();
  const std::array arguments{argument(memory.value)};
  LaunchShape shape;
  shape.block[0] = 512;
  shape.grid[0] = 2;
  shape.shared = 60_KiB;
  ASSERT_DEVICE(device().copyToDevice(q, memory, there.data(), {4_KiB}));
  ASSERT_DEVICE(device().launch(q, reverse, shape, arguments));
  ASSERT_DEVICE(device().launch(q, reverse, shape, arguments));
  ASSERT_DEVICE(device().launch(q, reverse, shape, arguments));
  ASSERT_DEVICE(device().copyToHost(q, back.data(), memory, {4_KiB}));
  ASSERT_DEVICE(device().finish(q));
  EXPECT_TRUE(std::equal(there.begin(), there.begin() + 512, std::reverse_iterator(back.begin() + 512)));
  for (const auto &[name, count] : Doubles::instance().calls())
    if (name == "cuFuncSetAttribute")
      EXPECT_EQ(count, 1U);
}

TEST_F(CudaDeviceTest, WhatDoesNotFitIsOutOfMemoryAndNothingElse) {
  open("memory=1MiB");
  const auto info = device().memoryInfo();
  ASSERT_DEVICE(info);
  EXPECT_EQ(info->total, 1_MiB);
  const DevicePointer half = allocate(600'000);
  const auto refused = device().allocate(Bytes{600'000});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, DeviceErrorKind::OutOfMemory);
  EXPECT_TRUE(says(refused.error().text.message, "cuMemAlloc: out of memory")) << refused.error().text.message;
  ASSERT_DEVICE(device().free(half));
  ASSERT_DEVICE(device().allocate(Bytes{600'000}));
  EXPECT_FALSE(device().isLost());
}

TEST_F(CudaDeviceTest, CodeThatCannotRunSaysWhy) {
  open("cc=8.0");
  const streamap_image twins{STREAMAP_IMAGE_TWINS, 0, nullptr, nullptr, nullptr};
  EXPECT_EQ(device().loadImage(twins).error().kind, DeviceErrorKind::BadImage);
  const char newer[] = "//\n.version 8.0\n.target sm_90\n";
  const auto refused = device().loadImage({STREAMAP_IMAGE_PTX, sizeof newer, newer, nullptr, nullptr});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, DeviceErrorKind::BadImage);
  EXPECT_TRUE(says(refused.error().text.message, "SM version specified by .target is higher")) << refused.error().text.message;
  const auto image = device().loadImage(testKernels());
  ASSERT_DEVICE(image);
  const auto missing = device().findFunction(*image, "no_such_kernel");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, DeviceErrorKind::BadImage);
  EXPECT_TRUE(says(missing.error().text.message, "no_such_kernel")) << missing.error().text.message;
  ASSERT_DEVICE(device().findFunction(*image, "add"));
  ASSERT_DEVICE(device().unloadImage(*image));
}

TEST_F(CudaDeviceTest, AFaultLosesTheDeviceAndNoOther) {
  open("devices=2");
  const DevicePointer memory = allocate(256), other = allocate(256, 1);
  const DeviceQueue q = queue(), q1 = queue(1);
  ASSERT_DEVICE(store(q, memory, 256)); // comes to light later
  const auto finished = device().finish(q);
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().kind, DeviceErrorKind::Lost);
  EXPECT_TRUE(says(finished.error().text.message, "CUDA_ERROR_ILLEGAL_ADDRESS, 700")) << finished.error().text.message;
  EXPECT_TRUE(says(finished.error().text.hint, "compute-sanitizer"));
  EXPECT_TRUE(device().isLost());
  EXPECT_TRUE(says(device().lossReason(), "700"));
  EXPECT_EQ(device().allocate(Bytes{8}).error().kind, DeviceErrorKind::Lost);
  EXPECT_EQ(device().probe().error().kind, DeviceErrorKind::Lost);
  ASSERT_DEVICE(device().free(memory)); // cleaning up is no second error
  ASSERT_DEVICE(device().destroyQueue(q));
  ASSERT_DEVICE(store(q1, other, 255, 1));
  ASSERT_DEVICE(device(1).finish(q1));
  devices.clear();
  expectNothingLeft();
}

TEST_F(CudaDeviceTest, ProbesTellOfWhatHappenedSince) {
  open("devices=2; 1.lost=1");
  ASSERT_DEVICE(device(0).probe());
  EXPECT_EQ(device(1).probe().error().kind, DeviceErrorKind::Lost) << "NVML knows it";
  const DeviceQueue q = queue();
  ASSERT_DEVICE(store(q, DevicePointer{0}, 0));
  while (!device(0).isLost()) // until the kernel has run
    static_cast<void>(device(0).probe());
  EXPECT_TRUE(says(device(0).lossReason(), "700"));
}

TEST_F(CudaDeviceTest, EventsMeasureTime) {
  open("");
  const DeviceQueue q = queue();
  const DeviceEvent from = device().createEvent().value(), to = device().createEvent().value();
  ASSERT_DEVICE(device().record(q, from));
  {
    Gate gate(device(), q);
    ASSERT_DEVICE(device().record(q, to));
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  ASSERT_DEVICE(device().wait(to));
  const auto elapsed = device().elapsed(from, to);
  ASSERT_DEVICE(elapsed);
  EXPECT_GE(*elapsed, std::chrono::milliseconds(3));
  EXPECT_LT(*elapsed, std::chrono::seconds(30));
  EXPECT_TRUE(device().hasHappened(device().createEvent().value()).value()) << "never recorded";
}

TEST_F(CudaDeviceTest, CallsLeaveTheThreadsOwnContextAlone) {
  open("devices=2");
  const auto currentContext = Doubles::instance().call<CUresult (*)(CUcontext *)>("cuCtxGetCurrent");
  CUcontext before = nullptr, after = nullptr;
  static_cast<void>(
      device(1).nativeQueue(queue(1))); // whoever asks for the stream launches by himself: the device is his current one
  ASSERT_EQ(currentContext(&before), CUDA_SUCCESS);
  EXPECT_NE(before, nullptr);
  const DeviceQueue q = queue(0);
  const DevicePointer memory = allocate(8, 0);
  ASSERT_DEVICE(device(0).fill(q, memory, 1, Bytes{8}));
  ASSERT_DEVICE(device(0).finish(q));
  ASSERT_EQ(currentContext(&after), CUDA_SUCCESS);
  EXPECT_EQ(before, after);
}

TEST_F(CudaDeviceTest, WhatIsLeftGoesWithTheDevice) {
  open("delay_us=2000");
  const DeviceQueue q = queue();
  const DevicePointer memory = allocate(100'000);
  std::vector<char> back(100'000);
  static_cast<void>(device().createEvent().value());
  static_cast<void>(device().allocatePinned(4_KiB).value());
  ASSERT_DEVICE(store(q, memory, 5));
  ASSERT_DEVICE(device().copyToHost(q, back.data(), memory, {Bytes{back.size()}}));
  devices.clear(); // with work under way, which is finished first
  EXPECT_EQ(back[5], 1);
  expectNothingLeft();
}

TEST_F(CudaDeviceTest, ThreadsShareADevice) {
  open("delay_us=50");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  const DeviceQueue shared = queue();
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const DeviceQueue own = device().createQueue().value();
      for (int i = 0; i < 10; ++i) {
        const DeviceQueue q = i % 2 ? own : shared;
        std::vector<int> there(20'000, 100 * t + i), back(there.size());
        const DevicePointer memory = device().allocate(Bytes{80'000}).value();
        const bool fine = device().copyToDevice(q, memory, there.data(), {Bytes{80'000}}) &&
                          device().copyToHost(q, back.data(), memory, {Bytes{80'000}}) && device().finish(q) &&
                          device().free(memory);
        wrong += !fine || there != back;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  devices.clear();
  expectNothingLeft();
}

} // namespace
} // namespace streamap::cuda
