// The CUDA double against what NVIDIA's documentation says of the driver: streams, kernels, and what breaks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "cuda_fixture.h"

namespace streamap::cuda {
namespace {

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
    if (freed) {
      ASSERT_EQ(cu.cuMemFree_v2(x), CUDA_SUCCESS);
    }
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
    if (enabled) {
      ASSERT_EQ(cu.cuCtxEnablePeerAccess(other, 0), CUDA_SUCCESS);
    }
    ASSERT_EQ(launch(kernel("store"), 1, 1, 0, nullptr, there, std::size_t{0}), CUDA_SUCCESS);
    const CUresult result = cu.cuCtxSynchronize();
    if (!enabled && result == CUDA_SUCCESS)
      GTEST_SKIP() << "this processor has no protection keys";
    EXPECT_EQ(result, enabled ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS);
  }
}

TEST_F(CudaDouble, ACopyOutOfMemoryThatHasGoneBreaksTheContext) {
  startWithContext("devices=2");
  CUcontext other = nullptr;
  ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&other, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxPushCurrent_v2(other), CUDA_SUCCESS);
  const CUdeviceptr there = allocate(64);
  ASSERT_EQ(cu.cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
  const CUdeviceptr here = allocate(64);
  const CUstream s = stream();
  std::atomic<bool> go{false};
  ASSERT_EQ(cu.cuLaunchHostFunc(s, [](void *data) { static_cast<std::atomic<bool> *>(data)->wait(false); }, &go), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyPeerAsync(here, context, there, other, 64, s), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuDevicePrimaryCtxRelease_v2(1), CUDA_SUCCESS);
  go = true;
  go.notify_all();
  EXPECT_EQ(cu.cuStreamSynchronize(s), CUDA_ERROR_ILLEGAL_ADDRESS);
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
