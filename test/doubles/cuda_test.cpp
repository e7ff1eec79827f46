// The CUDA double against what NVIDIA's documentation says of the driver.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cuda/control.h"
#include "device/cuda/driver_types.h"

namespace streamap::cuda {
namespace {

/// The double as a program would see the driver: by name from the library.
struct Driver {
#define CUDA_FUNCTION(name, parameters) CUresult(*name) parameters = nullptr;
#include "cuda/other_functions.def"
#include "device/cuda/driver_functions.def"
#undef CUDA_FUNCTION
  decltype(&cudaDoubleConfigure) configure = nullptr;
  decltype(&cudaDoubleReport) reportTo = nullptr;
  decltype(&cudaDoubleCalls) calls = nullptr;
  decltype(&cudaDoubleTwinFile) twinFile = nullptr;

  Driver() {
    void *const library = dlopen(STREAMAP_CUDA_DOUBLE, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      ADD_FAILURE() << dlerror();
      return;
    }
#define CUDA_FUNCTION(name, parameters) bind(library, #name, name);
#include "cuda/other_functions.def"
#include "device/cuda/driver_functions.def"
#undef CUDA_FUNCTION
    bind(library, "cudaDoubleConfigure", configure);
    bind(library, "cudaDoubleReport", reportTo);
    bind(library, "cudaDoubleCalls", calls);
    bind(library, "cudaDoubleTwinFile", twinFile);
  }
  template <class Call> static void bind(void *library, const char *name, Call &call) {
    call = reinterpret_cast<Call>(dlsym(library, name));
    EXPECT_NE(call, nullptr) << name;
  }
  DoubleReport report() const {
    DoubleReport report;
    reportTo(&report);
    return report;
  }
};

Driver &driver() {
  static Driver loaded;
  return loaded;
}

std::vector<char> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CudaDouble : public testing::Test {
protected:
  void SetUp() override { start(""); }
  void TearDown() override { unsetenv("CUDA_VISIBLE_DEVICES"); }

  void start(const std::string &settings) {
    const char *const error = cu.configure(settings.c_str());
    ASSERT_EQ(error, nullptr) << error;
  }
  /// cuInit, and the primary context of device 0 made current.
  void startWithContext(const std::string &settings) {
    start(settings);
    ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuCtxPushCurrent_v2(context), CUDA_SUCCESS);
  }
  CUfunction kernel(const char *name) {
    static const std::vector<char> image = readFile(STREAMAP_TEST_KERNELS);
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    EXPECT_EQ(cu.cuModuleLoadData(&module, image.data()), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    return function;
  }
  CUdeviceptr allocate(std::size_t bytes) {
    CUdeviceptr pointer = 0;
    EXPECT_EQ(cu.cuMemAlloc_v2(&pointer, bytes), CUDA_SUCCESS);
    return pointer;
  }
  CUstream stream() {
    CUstream made = nullptr;
    EXPECT_EQ(cu.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    return made;
  }
  CUevent event(unsigned flags = CU_EVENT_DEFAULT) {
    CUevent made = nullptr;
    EXPECT_EQ(cu.cuEventCreate(&made, flags), CUDA_SUCCESS);
    return made;
  }
  template <class... Arguments>
  CUresult launch(CUfunction function, unsigned grid, unsigned block, unsigned shared, CUstream stream, Arguments... arguments) {
    std::array<void *, sizeof...(arguments)> pointers{&arguments...};
    return cu.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, stream, pointers.data(), nullptr);
  }

  Driver &cu = driver();
  CUcontext context = nullptr;
};

// ---- The driver and its devices

TEST_F(CudaDouble, NothingWorksBeforeInit) {
  int count = -1;
  CUcontext made = nullptr;
  EXPECT_EQ(cu.cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cu.cuDevicePrimaryCtxRetain(&made, 0), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cu.cuDriverGetVersion(&count), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuInit(1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaDouble, DevicesAreAsTheSettingsSay) {
  start("devices=3; memory=64MiB; cc=8.6; sms=30; 1.name=Other; 1.cc=12.0; 2.uuid=GPU-0123abcd-4567-89ab-cdef-0123456789ab; "
        "2.pci=0001:3b:00.0");
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  int count = 0, value = 0;
  std::size_t memory = 0;
  char text[64];
  CUuuid uuid;
  ASSERT_EQ(cu.cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(cu.cuDeviceGetName(text, sizeof text, 1), CUDA_SUCCESS);
  EXPECT_STREQ(text, "Other");
  EXPECT_EQ(cu.cuDeviceGetName(text, 4, 1), CUDA_SUCCESS);
  EXPECT_STREQ(text, "Oth");
  EXPECT_EQ(cu.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 1), CUDA_SUCCESS);
  EXPECT_EQ(value, 12);
  EXPECT_EQ(cu.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 2), CUDA_SUCCESS);
  EXPECT_EQ(value, 0x3b);
  EXPECT_EQ(cu.cuDeviceTotalMem_v2(&memory, 0), CUDA_SUCCESS);
  EXPECT_EQ(memory, std::size_t{64} << 20);
  EXPECT_EQ(cu.cuDeviceGetUuid_v2(&uuid, 2), CUDA_SUCCESS);
  EXPECT_EQ(static_cast<unsigned char>(uuid.bytes[2]), 0xab);
  EXPECT_EQ(static_cast<unsigned char>(uuid.bytes[15]), 0xab);
  EXPECT_EQ(cu.cuDeviceGetName(text, sizeof text, 3), CUDA_ERROR_INVALID_DEVICE);
  CUdevice found = -1;
  EXPECT_EQ(cu.cuDeviceGetByPCIBusId(&found, "0001:3b:00.0"), CUDA_SUCCESS);
  EXPECT_EQ(found, 2);
}

TEST_F(CudaDouble, WrongSettingsAreToldAndNothingChanges) {
  for (const char *const wrong :
       {"devices=x", "nonsense=1", "cc=9", "7.name=a", "memory=3parsecs", "fail=cuInit", "peers=0:1", "words"})
    EXPECT_NE(cu.configure(wrong), nullptr) << wrong;
}

struct Visibility {
  const char *variable;
  std::vector<int> seen; ///< by the last digit of the UUID
};

TEST_F(CudaDouble, CudaVisibleDevicesMeansWhatItMeansToTheDriver) {
  const char *const machine =
      "devices=3; 0.uuid=GPU-aaaa0000-0000-0000-0000-000000000000; 1.uuid=GPU-aaaa1111-0000-0000-0000-000000000001;"
      "2.uuid=GPU-bbbb0000-0000-0000-0000-000000000002";
  const std::vector<Visibility> table{
      {nullptr, {0, 1, 2}},
      {"0", {0}},
      {"2,0", {2, 0}},
      {"1,7,0", {1}},
      {"1,-1,0", {1}},
      {"", {}},
      {"-1", {}},
      {"0,0", {}},
      {"1x,2", {1, 2}},
      {" 1 , 2", {1, 2}},
      {"GPU-bbbb", {2}},
      {"GPU-aaaa", {}},
      {"GPU-aaaa1,GPU-bbbb", {1, 2}},
      {"GPU-bbbb,1", {2}},
      {"GPU-bbbb,GPU-bbbb", {}},
      {"1,GPU-bbbb", {1}},
      {"MIG-bbbb", {}},
      {"1,,2", {1}},
      {"NoDevFiles", {}},
  };
  for (const Visibility &row : table) {
    start(machine);
    row.variable ? setenv("CUDA_VISIBLE_DEVICES", row.variable, 1) : unsetenv("CUDA_VISIBLE_DEVICES");
    EXPECT_EQ(cu.cuInit(0), row.seen.empty() ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS) << row.variable;
    std::vector<int> seen;
    int count = 0;
    if (!row.seen.empty()) {
      EXPECT_EQ(cu.cuDeviceGetCount(&count), CUDA_SUCCESS);
    }
    for (int i = 0; i < count; ++i) {
      CUuuid uuid;
      EXPECT_EQ(cu.cuDeviceGetUuid_v2(&uuid, i), CUDA_SUCCESS);
      seen.push_back(uuid.bytes[15]);
    }
    EXPECT_EQ(seen, row.seen) << (row.variable ? row.variable : "(not set)");
  }
}

TEST_F(CudaDouble, ADeviceThatIsTakenOrBrokenHasNoContext) {
  start("devices=4; 0.mode=prohibited; 1.mode=exclusive; 1.busy=1; 2.mode=exclusive; 3.broken=999");
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  const std::array expected{CUDA_ERROR_DEVICE_UNAVAILABLE, CUDA_ERROR_DEVICE_UNAVAILABLE, CUDA_SUCCESS, CUDA_ERROR_UNKNOWN};
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(cu.cuDevicePrimaryCtxRetain(&context, i), expected[static_cast<std::size_t>(i)]) << i;
  EXPECT_EQ(cu.cuDevicePrimaryCtxRelease_v2(2), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuDevicePrimaryCtxRelease_v2(2), CUDA_ERROR_INVALID_CONTEXT);
}

// ---- Contexts

TEST_F(CudaDouble, CallsNeedAContextThatIsCurrentAndAlive) {
  start("");
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cu.cuMemAlloc_v2(&pointer, 64), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxPushCurrent_v2(context), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemAlloc_v2(&pointer, 64), CUDA_SUCCESS);
  std::thread([&] {
    EXPECT_EQ(cu.cuMemFree_v2(pointer), CUDA_ERROR_INVALID_CONTEXT);
  }).join(); // current to the other thread only
  EXPECT_EQ(cu.cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemAlloc_v2(&pointer, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cu.cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuCtxPushCurrent_v2(context), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cu.report().misuses, 4U);
}

// ---- Memory

TEST_F(CudaDouble, MemoryEndsWhereTheDeviceEnds) {
  startWithContext("memory=1MiB; taken=256KiB");
  std::size_t available = 0, total = 0;
  CUdeviceptr first = allocate(512 << 10), second = 0;
  EXPECT_EQ(cu.cuMemAlloc_v2(&second, (256 << 10) + 1), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cu.cuMemGetInfo_v2(&available, &total), CUDA_SUCCESS);
  EXPECT_EQ(available, std::size_t{256} << 10);
  EXPECT_EQ(total, std::size_t{1} << 20);
  EXPECT_EQ(cu.cuMemAlloc_v2(&second, 256 << 10), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemFree_v2(first), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemAlloc_v2(&first, 512 << 10), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemAlloc_v2(&first, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuMemFree_v2(second + 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaDouble, ProcessesShareADeviceThroughALedger) {
  const auto ledger = std::filesystem::path(testing::TempDir()) / ("ledger" + std::to_string(getpid()));
  std::filesystem::remove(ledger);
  startWithContext("memory=1MiB; ledger=" + ledger.string());
  allocate(768 << 10);
  startWithContext("memory=1MiB; ledger=" + ledger.string()); // as another process
  std::size_t available = 0, total = 0;
  EXPECT_EQ(cu.cuMemGetInfo_v2(&available, &total), CUDA_SUCCESS);
  EXPECT_EQ(available, std::size_t{256} << 10);
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cu.cuMemAlloc_v2(&pointer, 512 << 10), CUDA_ERROR_OUT_OF_MEMORY);
  std::filesystem::remove(ledger);
}

TEST_F(CudaDouble, CopiesStayWithinABuffer) {
  startWithContext("");
  std::vector<char> host(1024, 'a'), back(1024);
  const CUdeviceptr buffer = allocate(1000);
  EXPECT_EQ(cu.cuMemcpyHtoD_v2(buffer, host.data(), 1000), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemcpyDtoH_v2(back.data(), buffer + 500, 500), CUDA_SUCCESS);
  EXPECT_TRUE(std::all_of(back.begin(), back.begin() + 500, [](char c) { return c == 'a'; }));
  EXPECT_EQ(cu.cuMemcpyHtoD_v2(buffer, host.data(), 1001), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuMemcpyDtoH_v2(back.data(), buffer + 1000, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuMemFree_v2(buffer), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemcpyHtoD_v2(buffer, host.data(), 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuMemFree_v2(buffer), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.report().misuses, 4U);
}

TEST_F(CudaDouble, RectanglesAreCopiedRowByRow) {
  startWithContext("");
  constexpr std::size_t width = 5, rows = 4, pitch = 16;
  std::vector<char> host(pitch * rows), back(pitch * rows, '.');
  std::iota(host.begin(), host.end(), 0);
  const CUdeviceptr buffer = allocate(width * rows);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host.data();
  copy.srcPitch = pitch;
  copy.srcXInBytes = 3;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = buffer;
  copy.dstPitch = width;
  copy.WidthInBytes = width;
  copy.Height = rows;
  ASSERT_EQ(cu.cuMemcpy2D_v2(&copy), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyDtoH_v2(back.data(), buffer, width * rows), CUDA_SUCCESS);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < width; ++column)
      EXPECT_EQ(back[row * width + column], host[row * pitch + column + 3]);
  copy.dstPitch = width + 1; // one byte too far in the last row
  EXPECT_EQ(cu.cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.dstPitch = width - 1;
  EXPECT_EQ(cu.cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaDouble, PageableMemoryIsTakenAtTheCallAndPinnedMemoryLater) {
  startWithContext("delay_us=20000; seed=3");
  const CUdeviceptr pageableCopy = allocate(4), pinnedCopy = allocate(4);
  int pageable = 1, result = 0;
  void *pinned = nullptr;
  ASSERT_EQ(cu.cuMemHostAlloc(&pinned, 4096, 0), CUDA_SUCCESS);
  const CUstream first = stream();
  CUstream other = stream();
  const CUevent gate = event();
  std::atomic<bool> open{false};
  ASSERT_EQ(
      cu.cuLaunchHostFunc(other, [](void *flag) { static_cast<std::atomic<bool> *>(flag)->wait(false); }, &open), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(gate, other), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamWaitEvent(first, gate, 0), CUDA_SUCCESS);
  *static_cast<int *>(pinned) = 1;
  ASSERT_EQ(cu.cuMemcpyHtoDAsync_v2(pageableCopy, &pageable, 4, first), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyHtoDAsync_v2(pinnedCopy, pinned, 4, first), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamQuery(first), CUDA_ERROR_NOT_READY);
  pageable = 2;
  *static_cast<int *>(pinned) = 2;
  open = true;
  open.notify_all();
  ASSERT_EQ(cu.cuStreamSynchronize(first), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyDtoH_v2(&result, pageableCopy, 4), CUDA_SUCCESS);
  EXPECT_EQ(result, 1);
  ASSERT_EQ(cu.cuMemcpyDtoH_v2(&result, pinnedCopy, 4), CUDA_SUCCESS);
  EXPECT_EQ(result, 2);
  EXPECT_EQ(cu.report().pageableCopies, 1U);
  // Pinned in part is neither.
  EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(pinnedCopy, static_cast<char *>(pinned) + 4094, 4, first), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuMemHostRegister_v2(pinned, 8, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_EQ(cu.cuMemHostUnregister(pinned), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(cu.cuMemFreeHost(pinned), CUDA_SUCCESS);
}

TEST_F(CudaDouble, APeerCopyNamesTheContextsOfItsBuffers) {
  startWithContext("devices=2; peers=0-1");
  CUcontext other = nullptr;
  ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&other, 1), CUDA_SUCCESS);
  const CUdeviceptr here = allocate(8);
  ASSERT_EQ(cu.cuCtxPushCurrent_v2(other), CUDA_SUCCESS);
  const CUdeviceptr there = allocate(8);
  const std::uint64_t value = 42;
  std::uint64_t back = 0;
  ASSERT_EQ(cu.cuMemcpyHtoD_v2(there, &value, 8), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuCtxEnablePeerAccess(context, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED); // only 0 reaches 1
  ASSERT_EQ(cu.cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuCtxEnablePeerAccess(other, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuCtxEnablePeerAccess(other, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_EQ(cu.cuMemcpyPeerAsync(here, context, there, other, 8, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemcpyPeerAsync(here, context, there, context, 8, nullptr), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cu.cuMemcpyDtoH_v2(&back, here, 8), CUDA_SUCCESS);
  EXPECT_EQ(back, value);
}

// ---- Streams and events

TEST_F(CudaDouble, AStreamKeepsItsOrderAndEventsJoinStreams) {
  startWithContext("delay_us=300; seed=11");
  const CUfunction add = kernel("add");
  const CUdeviceptr x = allocate(8);
  const std::int64_t zero = 0;
  ASSERT_EQ(cu.cuMemcpyHtoD_v2(x, &zero, 8), CUDA_SUCCESS);
  const std::array streams{stream(), stream(), stream()};
  CUevent before = event();
  for (int i = 0; i < 60; ++i) { // the streams take turns, each behind the one before
    const CUstream now = streams[static_cast<std::size_t>(i) % streams.size()];
    ASSERT_EQ(cu.cuStreamWaitEvent(now, before, 0), CUDA_SUCCESS);
    ASSERT_EQ(launch(add, 1, 1, 0, now, std::size_t{1}, std::int64_t{1}, x), CUDA_SUCCESS);
    before = event(CU_EVENT_DISABLE_TIMING);
    ASSERT_EQ(cu.cuEventRecord(before, now), CUDA_SUCCESS);
  }
  ASSERT_EQ(cu.cuEventSynchronize(before), CUDA_SUCCESS);
  std::int64_t result = 0;
  ASSERT_EQ(cu.cuMemcpyDtoH_v2(&result, x, 8), CUDA_SUCCESS);
  EXPECT_EQ(result, 60);
}

TEST_F(CudaDouble, ADestroyedStreamStillDoesItsWork) {
  startWithContext("delay_us=5000");
  const CUdeviceptr x = allocate(8);
  const std::int64_t zero = 0;
  ASSERT_EQ(cu.cuMemcpyHtoD_v2(x, &zero, 8), CUDA_SUCCESS);
  const CUstream short_lived = stream();
  ASSERT_EQ(launch(kernel("add"), 1, 1, 0, short_lived, std::size_t{1}, std::int64_t{7}, x), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamDestroy_v2(short_lived), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(short_lived), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
  std::int64_t result = 0;
  ASSERT_EQ(cu.cuMemcpyDtoH_v2(&result, x, 8), CUDA_SUCCESS);
  EXPECT_EQ(result, 7);
}

TEST_F(CudaDouble, EventsHaveTimes) {
  startWithContext("");
  const CUstream s = stream();
  const CUevent start = event(), end = event(), timeless = event(CU_EVENT_DISABLE_TIMING), unused = event();
  float milliseconds = 0;
  ASSERT_EQ(cu.cuEventRecord(start, s), CUDA_SUCCESS);
  ASSERT_EQ(
      cu.cuLaunchHostFunc(s, [](void *) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(end, s), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(timeless, s), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuEventElapsedTime(&milliseconds, start, end), CUDA_ERROR_NOT_READY);
  ASSERT_EQ(cu.cuEventSynchronize(timeless), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuEventElapsedTime(&milliseconds, start, end), CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 5.0F);
  EXPECT_EQ(cu.cuEventElapsedTime(&milliseconds, start, timeless), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu.cuEventElapsedTime(&milliseconds, unused, end), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu.cuEventQuery(unused), CUDA_SUCCESS);
}

TEST_F(CudaDouble, TheNullStreamWaitsForBlockingStreams) {
  startWithContext("delay_us=3000; seed=5");
  const CUdeviceptr x = allocate(8);
  const std::int64_t zero = 0;
  ASSERT_EQ(cu.cuMemcpyHtoD_v2(x, &zero, 8), CUDA_SUCCESS);
  CUstream blocking = nullptr;
  ASSERT_EQ(cu.cuStreamCreate(&blocking, CU_STREAM_DEFAULT), CUDA_SUCCESS);
  const CUfunction add = kernel("add");
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(launch(add, 1, 1, 0, blocking, std::size_t{1}, std::int64_t{1}, x), CUDA_SUCCESS);
  std::int64_t result = 0;
  ASSERT_EQ(cu.cuMemcpyDtoH_v2(&result, x, 8), CUDA_SUCCESS); // no wait in between
  EXPECT_EQ(result, 5);
}

TEST_F(CudaDouble, AHostFunctionMayNotCallTheDriver) {
  startWithContext("");
  struct Seen {
    Driver *cu;
    CUresult result;
  } seen{&cu, CUDA_SUCCESS};
  ASSERT_EQ(cu.cuLaunchHostFunc(
                nullptr,
                [](void *data) {
                  auto &place = *static_cast<Seen *>(data);
                  place.result = place.cu->cuCtxSynchronize();
                },
                &seen),
            CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(seen.result, CUDA_ERROR_NOT_PERMITTED);
}

TEST_F(CudaDouble, DeadAndForeignHandlesAreRefused) {
  startWithContext("devices=2");
  const CUstream s = stream();
  const CUevent e = event();
  CUcontext other = nullptr;
  ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&other, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxPushCurrent_v2(other), CUDA_SUCCESS);
  const CUstream foreign = stream();
  EXPECT_EQ(cu.cuEventRecord(e, foreign), CUDA_ERROR_INVALID_HANDLE); // the event is the first device's
  EXPECT_EQ(cu.cuStreamWaitEvent(foreign, e, 0), CUDA_SUCCESS);       // but may be waited for everywhere
  EXPECT_EQ(cu.cuEventRecord(e, s), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cu.cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel("positions"), 1, 1, 0, foreign, CUdeviceptr{0}), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cu.cuEventDestroy_v2(e), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuEventDestroy_v2(e), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu.cuEventQuery(e), CUDA_ERROR_INVALID_HANDLE);
  int notAnEvent = 0;
  EXPECT_EQ(cu.cuEventQuery(reinterpret_cast<CUevent>(&notAnEvent)), CUDA_ERROR_INVALID_HANDLE);
}

// ---- Images and kernels

TEST_F(CudaDouble, KernelsRunWithAndWithoutBarriers) {
  startWithContext("");
  constexpr unsigned blocks = 7, threads = 256, count = blocks * threads;
  std::vector<int> host(count), back(count), sums(blocks);
  std::iota(host.begin(), host.end(), 1);
  const CUdeviceptr x = allocate(count * 4), s = allocate(blocks * 4);
  ASSERT_EQ(cu.cuMemcpyHtoD_v2(x, host.data(), count * 4), CUDA_SUCCESS);
  ASSERT_EQ(launch(kernel("block_sums"), blocks, threads, threads * 4, nullptr, x, s), CUDA_SUCCESS);
  ASSERT_EQ(launch(kernel("reverse_blocks"), blocks, threads, threads * 4, nullptr, x), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyDtoH_v2(back.data(), x, count * 4), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyDtoH_v2(sums.data(), s, blocks * 4), CUDA_SUCCESS);
  for (unsigned block = 0; block < blocks; ++block) {
    const auto first = host.begin() + block * threads;
    EXPECT_EQ(sums[block], std::accumulate(first, first + threads, 0));
    EXPECT_TRUE(std::equal(first, first + threads, std::reverse_iterator(back.begin() + (block + 1) * threads)));
  }
}

TEST_F(CudaDouble, AllThreeDimensionsCount) {
  startWithContext("");
  constexpr std::size_t count = std::size_t{3} * 2 * 4 * 5 * 2 * 3;
  CUdeviceptr out = allocate(count * 4);
  void *arguments[] = {&out};
  ASSERT_EQ(cu.cuLaunchKernel(kernel("positions"), 3, 2, 4, 5, 2, 3, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
  std::vector<std::uint32_t> back(count), expected(count);
  std::iota(expected.begin(), expected.end(), 0);
  ASSERT_EQ(cu.cuMemcpyDtoH_v2(back.data(), out, count * 4), CUDA_SUCCESS);
  EXPECT_EQ(back, expected);
}

TEST_F(CudaDouble, LaunchesBeyondTheLimitsAreRefused) {
  startWithContext("");
  const CUfunction add = kernel("add");
  CUdeviceptr x = allocate(8);
  std::size_t n = 1;
  std::int64_t by = 1;
  void *arguments[] = {&n, &by, &x};
  const auto shaped = [&](unsigned gx, unsigned gy, unsigned bx, unsigned by2, unsigned bz, unsigned shared) {
    return cu.cuLaunchKernel(add, gx, gy, 1, bx, by2, bz, shared, nullptr, arguments, nullptr);
  };
  EXPECT_EQ(shaped(1, 1, 1024, 1, 1, 0), CUDA_SUCCESS);
  EXPECT_EQ(shaped(0, 1, 1, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(shaped(1, 65536, 1, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(shaped(1, 1, 1025, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(shaped(1, 1, 1, 1, 65, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(shaped(1, 1, 33, 32, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(shaped(1, 1, 1, 1, 1, 49 << 10), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cu.cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64 << 10), CUDA_SUCCESS);
  EXPECT_EQ(shaped(1, 1, 1, 1, 1, 49 << 10), CUDA_SUCCESS);
}

TEST_F(CudaDouble, ImagesAreToldApart) {
  startWithContext("cc=8.0; driver=12080");
  CUmodule module = nullptr;
  std::vector<char> elf = readFile(STREAMAP_TEST_KERNELS);
  EXPECT_EQ(cu.cuModuleLoadData(&module, elf.data()), CUDA_SUCCESS);
  CUfunction function = nullptr;
  EXPECT_EQ(cu.cuModuleGetFunction(&function, module, "no_such_kernel"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cu.cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuModuleGetFunction(&function, module, "add"), CUDA_ERROR_INVALID_HANDLE);
  elf[18] = static_cast<char>(190); // e_machine: a cubin
  elf[19] = 0;
  EXPECT_EQ(cu.cuModuleLoadData(&module, elf.data()), CUDA_ERROR_NO_BINARY_FOR_GPU);
  elf[18] = 3;
  EXPECT_EQ(cu.cuModuleLoadData(&module, elf.data()), CUDA_ERROR_INVALID_IMAGE);
  const unsigned fatbin[4] = {0xba55ed50};
  EXPECT_EQ(cu.cuModuleLoadData(&module, fatbin), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(cu.cuModuleLoadData(&module, "no image at all"), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(cu.cuModuleLoadData(&module, "//\n.version 9.0\n.target sm_80\n"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(cu.cuModuleLoadData(&module, "//\n.version 8.0\n.target sm_80\n"), CUDA_ERROR_NO_BINARY_FOR_GPU); // no twin of it

  char log[100] = "";
  std::array options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void *, 2> values{log, reinterpret_cast<void *>(sizeof log)};
  EXPECT_EQ(cu.cuModuleLoadDataEx(&module, "//\n.version 8.0\n.target sm_90\n", 2, options.data(), values.data()),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::strstr(log, "SM version specified by .target is higher"), nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values[1]), std::strlen(log));
}

TEST_F(CudaDouble, PtxIsRunByTheTwinOfTheSameHash) {
  const std::string ptx = "//\n.version 8.0\n.target sm_75\n.address_size 64\n";
  const auto directory = std::filesystem::path(testing::TempDir()) / ("twins" + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  std::filesystem::copy_file(STREAMAP_TEST_KERNELS, directory / cu.twinFile(ptx.c_str()),
                             std::filesystem::copy_options::overwrite_existing);
  startWithContext("twins=" + directory.string());
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cu.cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuModuleGetFunction(&function, module, "add"), CUDA_SUCCESS);
  std::size_t offset = 0, size = 0;
  EXPECT_EQ(cu.cuFuncGetParamInfo(function, 2, &offset, &size), CUDA_SUCCESS);
  EXPECT_EQ(offset, 16U);
  EXPECT_EQ(size, 8U);
  EXPECT_EQ(cu.cuFuncGetParamInfo(function, 3, &offset, &size), CUDA_ERROR_INVALID_VALUE);
  std::filesystem::remove_all(directory);
}

// ---- What breaks

TEST_F(CudaDouble, AFaultBreaksTheContextForGood) {
  for (const char *const name : {"store", "store_behind_barrier"}) {
    startWithContext("");
    const CUdeviceptr x = allocate(1024), beside = allocate(8);
    ASSERT_EQ(launch(kernel(name), 1, 64, 0, nullptr, x, std::size_t{1023}), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
    ASSERT_EQ(launch(kernel(name), 1, 64, 0, nullptr, x, std::size_t{1024}), CUDA_SUCCESS); // the guard page
    EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS) << name;
    CUdeviceptr more = 0;
    EXPECT_EQ(cu.cuMemAlloc_v2(&more, 8), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cu.cuMemFree_v2(beside), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cu.report().deviceBuffers, 0U); // nobody can free them any more
    EXPECT_EQ(cu.cuDevicePrimaryCtxReset_v2(0), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuCtxSetCurrent(context), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuMemAlloc_v2(&more, 8), CUDA_SUCCESS);
  }
}

TEST_F(CudaDouble, FreedMemoryAndNullFault) {
  for (const bool freed : {true, false}) {
    startWithContext("");
    CUdeviceptr x = allocate(64);
    if (freed)
      ASSERT_EQ(cu.cuMemFree_v2(x), CUDA_SUCCESS);
    ASSERT_EQ(launch(kernel("store"), 1, 1, 0, nullptr, freed ? x : CUdeviceptr{0}, std::size_t{0}), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  }
}

TEST_F(CudaDouble, WritingIntoTheBorderIsAMisuse) {
  startWithContext("");
  const CUdeviceptr x = allocate(1000); // 24 bytes short of the guard page
  ASSERT_EQ(launch(kernel("store"), 1, 1, 0, nullptr, x, std::size_t{1000}), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemFree_v2(x), CUDA_SUCCESS);
  EXPECT_EQ(cu.report().misuses, 1U);
}

TEST_F(CudaDouble, AnotherDevicesMemoryNeedsPeerAccess) {
  for (const bool enabled : {false, true}) {
    startWithContext("devices=2");
    CUcontext other = nullptr;
    ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&other, 1), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuCtxPushCurrent_v2(other), CUDA_SUCCESS);
    const CUdeviceptr there = allocate(64);
    ASSERT_EQ(cu.cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
    if (enabled)
      ASSERT_EQ(cu.cuCtxEnablePeerAccess(other, 0), CUDA_SUCCESS);
    ASSERT_EQ(launch(kernel("store"), 1, 1, 0, nullptr, there, std::size_t{0}), CUDA_SUCCESS);
    const CUresult result = cu.cuCtxSynchronize();
    if (!enabled && result == CUDA_SUCCESS)
      GTEST_SKIP() << "this processor has no protection keys";
    EXPECT_EQ(result, enabled ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS);
  }
}

TEST_F(CudaDouble, InjectedErrorsComeWhenTheyShould) {
  startWithContext("fail=cuMemAlloc_v2:2=2,kernel:2=719,cuEventCreate:1+=1");
  CUdeviceptr x = allocate(64);
  EXPECT_EQ(cu.cuMemAlloc_v2(&x, 64), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cu.cuMemAlloc_v2(&x, 64), CUDA_SUCCESS);
  CUevent made = nullptr;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(cu.cuEventCreate(&made, 0), CUDA_ERROR_INVALID_VALUE);
  const CUfunction store = kernel("store");
  ASSERT_EQ(launch(store, 1, 1, 0, nullptr, x, std::size_t{0}), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
  ASSERT_EQ(launch(store, 1, 1, 0, nullptr, x, std::size_t{0}), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cu.cuMemFree_v2(x), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(CudaDouble, EveryCallIsLoggedAndWhatIsLeftIsCounted) {
  const auto log = std::filesystem::path(testing::TempDir()) / ("log" + std::to_string(getpid()));
  std::filesystem::remove(log);
  startWithContext("log=" + log.string());
  allocate(100);
  stream();
  event();
  cu.cuMemFree_v2(1);
  const DoubleReport report = cu.report();
  EXPECT_EQ(report.contexts, 1U);
  EXPECT_EQ(report.streams, 1U);
  EXPECT_EQ(report.events, 1U);
  EXPECT_EQ(report.deviceBuffers, 1U);
  EXPECT_EQ(report.deviceBytes, 100U);
  EXPECT_NE(std::string(cu.calls()).find("cuMemAlloc_v2 1\n"), std::string::npos);
  const std::vector<char> bytes = readFile(log.string());
  const std::string text(bytes.begin(), bytes.end());
  EXPECT_NE(text.find("cuMemFree_v2(0x1) = 1"), std::string::npos) << text;
  EXPECT_NE(text.find("misuse: cuMemFree_v2"), std::string::npos);
  EXPECT_EQ(cu.cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cu.report().contexts + cu.report().streams + cu.report().events + cu.report().deviceBuffers, 0U);
  std::filesystem::remove(log);
}

TEST_F(CudaDouble, HostThreadsCannotTouchDeviceMemory) {
  startWithContext("");
  const CUdeviceptr x = allocate(64);
  std::ifstream information("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(information), {}};
  if (text.find(" ospke") == std::string::npos)
    GTEST_SKIP() << "this processor has no protection keys";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(*reinterpret_cast<volatile char *>(x) = 1, "");
}

} // namespace
} // namespace streamap::cuda
