// The CUDA double against what NVIDIA's documentation says of the driver: devices, contexts, memory.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <thread>
#include <vector>

#include "cuda_fixture.h"

namespace streamap::cuda {
namespace {

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

} // namespace
} // namespace streamap::cuda
