// StreamMAP tests: what a device of any backend does, and what an emulated one pretends.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "device/backend.h"
#include "device/request.h"

namespace streamap {
namespace {

using namespace std::chrono_literals;

// ---- Kernels as streamap-cc would write them
// ---------------------------------------------------------------------------------------

std::uint64_t numberOf(const streamap_twin_thread &thread) {
  return std::uint64_t{thread.block_index.x} * thread.block.x + thread.thread_index.x;
}
std::uint64_t threadsOf(const streamap_twin_thread &thread) {
  return std::uint64_t{thread.grid.x} * thread.block.x;
}
template <class T> T argument(void *const *arguments, int k) {
  return *static_cast<T *>(arguments[k]);
}

/// y[i] = a * x[i] + y[i]
void saxpyTwin(streamap_twin_thread *thread, void *const *arguments) {
  const auto n = argument<std::int64_t>(arguments, 0);
  const auto a = argument<float>(arguments, 1);
  const auto *const x = argument<const float *>(arguments, 2);
  auto *const y = argument<float *>(arguments, 3);
  for (auto i = static_cast<std::int64_t>(numberOf(*thread)); i < n; i += static_cast<std::int64_t>(threadsOf(*thread)))
    y[i] = a * x[i] + y[i];
}

/// out[block] = sum of x over the block's threads, through shared memory and barriers.
void blockSumTwin(streamap_twin_thread *thread, void *const *arguments) {
  const auto *const x = argument<const std::int32_t *>(arguments, 0);
  auto *const out = argument<std::int32_t *>(arguments, 1);
  auto *const shared = static_cast<std::int32_t *>(thread->shared);
  const std::uint32_t me = thread->thread_index.x;
  shared[me] = x[numberOf(*thread)];
  thread->barrier(thread);
  for (std::uint32_t half = thread->block.x / 2; half > 0; half /= 2) {
    if (me < half)
      shared[me] += shared[me + half];
    thread->barrier(thread);
  }
  if (me == 0)
    out[thread->block_index.x] = shared[0];
}

void throwingTwin(streamap_twin_thread *, void *const *) {
  throw std::runtime_error("no luck");
}

/// Writes one byte behind the end of a buffer.
void overrunTwin(streamap_twin_thread *, void *const *arguments) {
  argument<std::byte *>(arguments, 0)[argument<std::uint64_t>(arguments, 1)] = std::byte{1};
}

constexpr std::array<std::uint32_t, 4> saxpySizes{8, 4, 8, 8};
constexpr std::array<std::uint32_t, 2> twoPointers{8, 8};
const std::array kernels{
    streamap_kernel{"saxpy", 0, 4, saxpySizes.data(), 0, 0, saxpyTwin},
    streamap_kernel{"block_sum", STREAMAP_KERNEL_BARRIERS, 2, twoPointers.data(), 64, 256, blockSumTwin},
    streamap_kernel{"throwing", 0, 0, nullptr, 0, 0, throwingTwin},
    streamap_kernel{"overrun", 0, 2, twoPointers.data(), 0, 0, overrunTwin},
    streamap_kernel{"untwinned", 0, 0, nullptr, 0, 0, nullptr},
};
const streamap_image twins{STREAMAP_IMAGE_TWINS, kernels.size(), kernels.data(), nullptr, nullptr};

template <class T> KernelArgument of(const T &value) {
  return {&value, sizeof value};
}

/// Devices as a user asks for them. The backend goes; they stay.
std::vector<std::unique_ptr<Device>> openAll(const std::string &request) {
  std::vector<std::unique_ptr<Device>> devices;
  auto backends = makeBackends(request, {"here", 0, 0});
  EXPECT_TRUE(backends) << (backends ? "" : backends.error().message);
  if (!backends)
    return devices;
  for (const auto &backend : *backends)
    for (const DeviceProperties &properties : backend->discover().devices) {
      auto device = backend->open(properties.uuid, static_cast<int>(devices.size()));
      EXPECT_TRUE(device);
      if (device)
        devices.push_back(std::move(*device));
    }
  return devices;
}

template <class T> T must(DeviceResult<T> result) {
  if (!result)
    throw std::runtime_error(result.error().text.message);
  return *result;
}
void must(const DeviceResult<void> &result) {
  if (!result)
    throw std::runtime_error(result.error().text.message);
}
template <class T> DeviceErrorKind kindOf(const DeviceResult<T> &result) {
  EXPECT_FALSE(result);
  return result ? DeviceErrorKind::Other : result.error().kind;
}

CopyShape line(std::size_t bytes) {
  return {Bytes{bytes}, 1, {}, {}};
}

// ---- What every backend does
// ----------------------------------------------------------------------------------------------------

class AnyDevice : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    devices = openAll(GetParam());
    ASSERT_EQ(devices.size(), 2u);
    queue = must(devices[0]->createQueue());
    event = must(devices[0]->createEvent());
  }
  void settle() {
    must(devices[0]->record(queue, event));
    must(devices[0]->wait(event));
  }
  std::vector<std::unique_ptr<Device>> devices;
  DeviceQueue queue;
  DeviceEvent event;
};

TEST_P(AnyDevice, RunsAKernelOnItsOwnMemory) {
  Device &device = *devices[0];
  std::vector<float> x(10'000), y(x.size()), expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i);
    y[i] = static_cast<float>(2 * i);
    expected[i] = 3 * x[i] + y[i];
  }
  const std::size_t bytes = x.size() * sizeof(float);
  const DevicePointer dx = must(device.allocate(Bytes{bytes})), dy = must(device.allocate(Bytes{bytes}));
  const DeviceImage image = must(device.loadImage(twins));
  const DeviceFunction saxpy = must(device.findFunction(image, "saxpy"));
  must(device.copyToDevice(queue, dx, x.data(), line(bytes)));
  must(device.copyToDevice(queue, dy, y.data(), line(bytes)));
  const auto n = static_cast<std::int64_t>(x.size());
  const float a = 3;
  const std::array arguments{of(n), of(a), of(dx), of(dy)};
  must(device.launch(queue, saxpy, {{7, 1, 1}, {32, 1, 1}, {}, x.size()}, arguments));
  must(device.copyToHost(queue, y.data(), dy, line(bytes)));
  settle();
  EXPECT_EQ(y, expected);
  const DeviceActivity activity = device.activity();
  EXPECT_EQ(activity.launches, 1u);
  EXPECT_EQ(activity.bytesToDevice, 2 * bytes);
  EXPECT_EQ(activity.bytesToHost, bytes);
  must(device.free(dx));
  EXPECT_EQ(device.activity().allocated.value, bytes);
  must(device.free(dy));
  must(device.unloadImage(image));
  EXPECT_EQ(kindOf(device.launch(queue, saxpy, {}, arguments)), DeviceErrorKind::Misuse); // went with its image
}

TEST_P(AnyDevice, ThreadsOfABlockWaitForEachOther) {
  Device &device = *devices[0];
  std::vector<std::int32_t> x(64 * 5), sums(5);
  std::iota(x.begin(), x.end(), 1);
  const DevicePointer dx = must(device.allocate(Bytes{x.size() * 4})), out = must(device.allocate(Bytes{5 * 4}));
  must(device.copyToDevice(queue, dx, x.data(), line(x.size() * 4)));
  const DeviceFunction sum = must(device.findFunction(must(device.loadImage(twins)), "block_sum"));
  must(device.launch(queue, sum, {{5, 1, 1}, {64, 1, 1}, Bytes{256}, 0}, std::array{of(dx), of(out)}));
  must(device.copyToHost(queue, sums.data(), out, line(5 * 4)));
  settle();
  for (int block = 0; block < 5; ++block)
    EXPECT_EQ(sums[static_cast<std::size_t>(block)], 64 * (64 * block) + 64 * 65 / 2);
}

TEST_P(AnyDevice, CopiesRowsWithPitches) {
  Device &device = *devices[0];
  std::vector<std::uint8_t> from(10 * 7), to(10 * 7, 0xff);
  std::iota(from.begin(), from.end(), std::uint8_t{0});
  const DevicePointer memory = must(device.allocate(Bytes{100})), second = must(device.allocate(Bytes{100}));
  must(device.fill(queue, memory, 0xee, Bytes{100}));
  must(device.fill(queue, second, 0xee, Bytes{100}));
  must(device.copyToDevice(queue, memory + 2, from.data() + 3, {Bytes{4}, 7, Bytes{12}, Bytes{10}}));
  must(device.copyWithin(queue, second + 5, memory + 2, {Bytes{4}, 7, Bytes{9}, Bytes{12}}));
  must(device.copyToHost(queue, to.data() + 1, second + 5, {Bytes{4}, 7, Bytes{10}, Bytes{9}}));
  settle();
  for (std::size_t row = 0; row < 7; ++row)
    for (std::size_t k = 0; k < 10; ++k)
      EXPECT_EQ(to[10 * row + k], k >= 1 && k < 5 ? from[10 * row + k + 2] : 0xff);
}

TEST_P(AnyDevice, CopiesFromAPeer) {
  Device &device = *devices[0], &peer = *devices[1];
  ASSERT_TRUE(device.canReach(peer));
  EXPECT_FALSE(device.canReach(device));
  std::vector<std::uint8_t> bytes(1000), back(1000);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  const DevicePointer there = must(peer.allocate(Bytes{1000})), here = must(device.allocate(Bytes{1000}));
  const DeviceQueue peers = must(peer.createQueue());
  const DeviceEvent written = must(peer.createEvent());
  must(peer.copyToDevice(peers, there, bytes.data(), line(1000)));
  must(peer.record(peers, written));
  must(device.waitFor(queue, peer, written));
  must(device.copyFromPeer(queue, here, peer, there, line(1000)));
  must(device.copyToHost(queue, back.data(), here, line(1000)));
  settle();
  EXPECT_EQ(bytes, back);
  EXPECT_EQ(kindOf(device.copyFromPeer(queue, here, peer, here, line(10))), DeviceErrorKind::Misuse); // not the peer's memory
}

TEST_P(AnyDevice, RefusesWhatIsNotItsOwn) {
  Device &device = *devices[0], &peer = *devices[1];
  const DevicePointer memory = must(device.allocate(Bytes{100}));
  std::array<std::byte, 200> host{};
  EXPECT_EQ(kindOf(device.copyToDevice(queue, memory, host.data(), line(101))), DeviceErrorKind::Misuse);
  EXPECT_EQ(kindOf(device.copyToHost(queue, host.data(), memory + 60, {Bytes{10}, 5, Bytes{10}, Bytes{10}})),
            DeviceErrorKind::Misuse);
  EXPECT_EQ(kindOf(device.copyToHost(queue, host.data(), memory, {Bytes{10}, 5, Bytes{9}, Bytes{10}})), DeviceErrorKind::Misuse);
  EXPECT_EQ(kindOf(device.copyToHost(queue, host.data(), memory, {Bytes{10}, UINT64_MAX / 4, Bytes{10}, Bytes{10}})),
            DeviceErrorKind::Misuse);
  EXPECT_EQ(kindOf(device.fill(queue, memory + UINT64_MAX, 0, Bytes{1})), DeviceErrorKind::Misuse);
  EXPECT_EQ(kindOf(device.allocate(Bytes{})), DeviceErrorKind::Misuse);
  EXPECT_EQ(kindOf(device.free(memory + 1)), DeviceErrorKind::Misuse);
  EXPECT_EQ(kindOf(peer.free(memory)), DeviceErrorKind::Misuse);
  EXPECT_EQ(kindOf(peer.finish(DeviceQueue{12345})), DeviceErrorKind::Misuse);
  EXPECT_EQ(kindOf(device.findFunction(DeviceImage{999}, "saxpy")), DeviceErrorKind::Misuse);
  const DeviceImage image = must(device.loadImage(twins));
  EXPECT_EQ(kindOf(device.findFunction(image, "untwinned")), DeviceErrorKind::BadImage);
  EXPECT_EQ(kindOf(device.findFunction(image, "nothing")), DeviceErrorKind::BadImage);
  const DeviceFunction sum = must(device.findFunction(image, "block_sum"));
  const std::array arguments{of(memory), of(memory)};
  EXPECT_EQ(kindOf(device.launch(queue, sum, {{1, 1, 1}, {2048, 1, 1}, {}, 0}, arguments)), DeviceErrorKind::Misuse);
  EXPECT_EQ(kindOf(device.launch(queue, sum, {{1, 1, 1}, {64, 32, 1}, {}, 0}, arguments)), DeviceErrorKind::Misuse);
  EXPECT_EQ(kindOf(device.launch(queue, sum, {{0, 1, 1}, {1, 1, 1}, {}, 0}, arguments)), DeviceErrorKind::Misuse);
  EXPECT_EQ(kindOf(device.launch(queue, sum, {{1, 1, 1}, {1, 1, 1}, 1_MiB, 0}, arguments)), DeviceErrorKind::Misuse);
  EXPECT_EQ(kindOf(device.launch(queue, sum, {}, std::span(arguments).first(1))), DeviceErrorKind::Misuse);
  must(device.destroyEvent(event));
  EXPECT_EQ(kindOf(device.record(queue, event)), DeviceErrorKind::Misuse);
  must(device.destroyQueue(queue));
  EXPECT_EQ(kindOf(device.copyToDevice(queue, memory, host.data(), line(1))), DeviceErrorKind::Misuse);
  const streamap_image ptx{STREAMAP_IMAGE_PTX, 1, "", nullptr, nullptr};
  EXPECT_EQ(kindOf(device.loadImage(ptx)), DeviceErrorKind::BadImage);
  EXPECT_FALSE(device.isLost());
  EXPECT_TRUE(device.probe());
}

std::string nameOf(const testing::TestParamInfo<const char *> &named) {
  constexpr std::array names{"Emulated", "Slow", "Host"};
  return names[named.index];
}

INSTANTIATE_TEST_SUITE_P(Device, AnyDevice,
                         testing::Values("emulated:2,memory=16MiB", "emulated:2,guard=off,latency=20", "host:2"), nameOf);

// ---- What an emulated one pretends
// -------------------------------------------------------------------------------------------------

TEST(EmulatedDevice, HasAsMuchMemoryAsWasAskedFor) {
  const auto devices = openAll("emulated:1,memory=1MiB");
  Device &device = *devices[0];
  EXPECT_EQ(must(device.memoryInfo()).total, 1_MiB);
  const DevicePointer most = must(device.allocate(1000_KiB));
  EXPECT_EQ(must(device.memoryInfo()).free, 24_KiB);
  EXPECT_EQ(kindOf(device.allocate(25_KiB)), DeviceErrorKind::OutOfMemory);
  must(device.free(most));
  must(device.free(must(device.allocate(1_MiB))));
  EXPECT_EQ(kindOf(device.allocate(Bytes{UINT64_MAX})), DeviceErrorKind::OutOfMemory);
}

TEST(EmulatedDevice, WorksWhileTheHostGoesOn) {
  const auto devices = openAll("emulated:1,latency=20000");
  Device &device = *devices[0];
  const DeviceQueue queue = must(device.createQueue());
  const DeviceEvent event = must(device.createEvent());
  EXPECT_TRUE(must(device.hasHappened(event))); // never recorded
  const DevicePointer memory = must(device.allocate(Bytes{4}));
  const auto start = std::chrono::steady_clock::now();
  must(device.fill(queue, memory, 1, Bytes{4}));
  must(device.record(queue, event));
  EXPECT_FALSE(must(device.hasHappened(event)));
  must(device.wait(event));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
  EXPECT_TRUE(must(device.hasHappened(event)));
}

TEST(EmulatedDevice, TakesTheModelledTime) {
  const auto devices = openAll("emulated:1,speed=0.01,bandwidth=1MB");
  Device &device = *devices[0];
  const DeviceQueue queue = must(device.createQueue());
  const DeviceEvent first = must(device.createEvent()), second = must(device.createEvent()), third = must(device.createEvent());
  const DevicePointer memory = must(device.allocate(100_KiB));
  const std::vector<std::byte> host(30'000);
  const DeviceFunction saxpy = must(device.findFunction(must(device.loadImage(twins)), "saxpy"));
  const std::int64_t n = 0;
  const float a = 0;
  must(device.record(queue, first));
  must(device.copyToDevice(queue, memory, host.data(), line(host.size())));
  must(device.record(queue, second));
  must(device.launch(queue, saxpy, {{1, 1, 1}, {1, 1, 1}, {}, 400'000}, std::array{of(n), of(a), of(memory), of(memory)}));
  must(device.record(queue, third));
  must(device.finish(queue));
  EXPECT_GE(must(device.elapsed(first, second)), 30ms); // 30 kB at 1 MB/s
  EXPECT_GE(must(device.elapsed(second, third)), 40ms); // 400,000 iterations at 0.01 per ns
}

TEST(EmulatedDevice, AFaultIsStickyAndComesLate) {
  const auto devices = openAll("emulated:2,fault=2");
  Device &device = *devices[0];
  const DeviceQueue queue = must(device.createQueue());
  const DevicePointer memory = must(device.allocate(Bytes{64}));
  const DeviceFunction sum = must(device.findFunction(must(device.loadImage(twins)), "saxpy"));
  const std::int64_t n = 0;
  const float a = 0;
  const std::array arguments{of(n), of(a), of(memory), of(memory)};
  must(device.launch(queue, sum, {}, arguments));
  must(device.finish(queue));
  must(device.launch(queue, sum, {}, arguments)); // its error comes out of a later call
  EXPECT_EQ(kindOf(device.finish(queue)), DeviceErrorKind::Lost);
  EXPECT_TRUE(device.isLost());
  EXPECT_NE(device.lossReason().find("emulated fault"), std::string::npos) << device.lossReason();
  EXPECT_EQ(kindOf(device.allocate(Bytes{64})), DeviceErrorKind::Lost);
  EXPECT_EQ(kindOf(device.probe()), DeviceErrorKind::Lost);
  EXPECT_TRUE(device.free(memory)); // what is left can be given back
  EXPECT_FALSE(devices[1]->isLost());
}

TEST(EmulatedDevice, AnExceptionInAKernelBreaksIt) {
  const auto devices = openAll("emulated:1");
  Device &device = *devices[0];
  const DeviceQueue queue = must(device.createQueue());
  must(device.launch(queue, must(device.findFunction(must(device.loadImage(twins)), "throwing")), {}, {}));
  const auto done = device.finish(queue);
  EXPECT_EQ(kindOf(done), DeviceErrorKind::Lost);
  EXPECT_NE(done.error().text.message.find("no luck"), std::string::npos) << done.error().text.message;
}

TEST(EmulatedDevice, SeesAWriteBehindABuffer) {
  const auto devices = openAll("emulated:1");
  Device &device = *devices[0];
  const DeviceQueue queue = must(device.createQueue());
  const DevicePointer memory = must(device.allocate(Bytes{1000}));
  const DeviceFunction overrun = must(device.findFunction(must(device.loadImage(twins)), "overrun"));
  const std::uint64_t inside = 999, behind = 1000;
  must(device.launch(queue, overrun, {}, std::array{of(memory), of(inside)}));
  must(device.finish(queue));
  must(device.free(memory));
  const DevicePointer again = must(device.allocate(Bytes{1000}));
  must(device.launch(queue, overrun, {}, std::array{of(again), of(behind)}));
  EXPECT_EQ(kindOf(device.free(again)), DeviceErrorKind::Lost);
}

TEST(EmulatedDeviceDeathTest, APageBehindABufferCannotBeTouched) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const auto devices = openAll("emulated:1");
        Device &device = *devices[0];
        const DeviceQueue queue = must(device.createQueue());
        const DevicePointer memory = must(device.allocate(Bytes{1000}));
        const std::uint64_t behind = 4096;
        must(device.launch(queue, must(device.findFunction(must(device.loadImage(twins)), "overrun")), {},
                           std::array{of(memory), of(behind)}));
        (void)device.finish(queue);
      },
      "");
}

TEST(EmulatedDevice, RanksHaveDevicesOfTheirOwnUnlessTheyAreToShare) {
  const auto uuid = [](const std::string &request, int rank, const char *host) {
    const auto backends = makeBackends(request, {host, rank, 0});
    return (*backends)[0]->discover().devices[0].uuid;
  };
  EXPECT_NE(uuid("emulated:1", 0, "a"), uuid("emulated:1", 1, "a"));
  EXPECT_EQ(uuid("emulated:1", 0, "a"), uuid("emulated:1", 0, "a"));
  EXPECT_EQ(uuid("emulated:1,per=node", 0, "a"), uuid("emulated:1,per=node", 1, "a"));
  EXPECT_NE(uuid("emulated:1,per=node", 0, "a"), uuid("emulated:1,per=node", 0, "b"));
  const auto two = openAll("emulated:1;emulated:1");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_NE(two[0]->properties().uuid, two[1]->properties().uuid);
}

// ---- The setting
// ---------------------------------------------------------------------------------------------------------------------

struct Refused {
  const char *text, *message;
};

class RefusedRequest : public testing::TestWithParam<Refused> {};

TEST_P(RefusedRequest, SaysWhy) {
  const auto backends = makeBackends(GetParam().text, {"here", 0, 0});
  ASSERT_FALSE(backends);
  EXPECT_EQ(backends.error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Device, RefusedRequest,
    testing::Values(Refused{"emulate", "'emulate' is no kind of device; did you mean 'emulated'?"},
                    Refused{"emulated:x", "a number of devices from 0 to 1024 is wanted behind 'emulated:', not 'x'"},
                    Refused{"emulated:-1", "a number of devices from 0 to 1024 is wanted behind 'emulated:', not '-1'"},
                    Refused{"emulated:2,memroy=1GiB", "emulated: unknown option 'memroy'; did you mean 'memory'?"},
                    Refused{"emulated:2,memory", "an option is key=value, not 'memory'"},
                    Refused{"emulated:2,memory=lots",
                            "emulated: memory: an amount of memory such as 4096, 256MiB or 80GB is wanted, not 'lots'"},
                    Refused{"emulated:2,memory=0", "emulated: memory: a device without memory is of no use"},
                    Refused{"emulated:2,cc=9", "emulated: cc: a compute capability such as 9.0 is wanted, not '9'"},
                    Refused{"emulated:2,cc=9.0,cc=8.0", "emulated: the option 'cc' stands there twice"},
                    Refused{"emulated:2,speed=fast", "emulated: speed: a number from 1e-06 to 1e+06 is wanted, not 'fast'"},
                    Refused{"emulated:1,per=nod",
                            "emulated: per: 'nod' is not one of its values, rank and node; did you mean 'node'?"},
                    Refused{"none;emulated", "'none' stands alone"},
                    Refused{"host,memory=1GiB", "host: unknown option 'memory'"}));

TEST(DeviceRequests, AreRead) {
  EXPECT_TRUE(parseDeviceRequests("none")->empty());
  const auto two = parseDeviceRequests(" emulated:2 , memory = 256MiB,cc=9.0,speed=4 ; host ");
  ASSERT_TRUE(two) << two.error().message;
  ASSERT_EQ(two->size(), 2u);
  EXPECT_EQ((*two)[0].count, 2);
  EXPECT_EQ((*two)[0].options[0].value, "256MiB");
  EXPECT_EQ((*two)[1].backend->name, "host");
  EXPECT_EQ((*two)[1].count, -1);
  for (const BackendEntry &entry : backendTable())
    EXPECT_EQ(parseDeviceRequests(entry.name)->at(0).backend, &entry);
}

TEST(DeviceUuids, AreReadAndWritten) {
  const char *const text = "GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77";
  EXPECT_EQ(describe(*parseDeviceUuid(text)), text);
  EXPECT_EQ(parseDeviceUuid("GPU-5D5BA0D6-D33D-2B2C-524D-9E3D8D2B8A77"), parseDeviceUuid(text));
  EXPECT_NE(parseDeviceUuid("MIG-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77"), parseDeviceUuid(text));
  for (const char *wrong : {"", "GPU-", "5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77", "GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a7",
                            "GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a7g", "GPU-5d5ba0d6xd33d-2b2c-524d-9e3d8d2b8a77"})
    EXPECT_FALSE(parseDeviceUuid(wrong)) << wrong;
}

TEST(AmountsOfMemory, AreReadAndWritten) {
  EXPECT_EQ(*parseBytes("1.5GiB"), Bytes{3ull << 29});
  EXPECT_EQ(*parseBytes("80GB"), Bytes{80'000'000'000});
  EXPECT_EQ(*parseBytes("12"), Bytes{12});
  for (const char *wrong : {"", "-1", "1 GiB", "GiB", "1e30GiB", "1gib", "0x10", "nan"})
    EXPECT_FALSE(parseBytes(wrong)) << wrong;
  EXPECT_EQ(describe(Bytes{4096}), "4096 bytes");
  EXPECT_EQ(describe(Bytes{3ull << 29}), "1.50 GiB");
  EXPECT_EQ(describe(256_MiB), "256 MiB");
  EXPECT_EQ(describe(80_GiB), "80.0 GiB");
}

} // namespace
} // namespace streamap
