// How fast a device is through the runtime, beside the driver used by hand.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>

#include "checks.h"
#include "device/cuda/driver.h"

namespace streamap::gpu {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t copied = std::size_t{256} << 20;
constexpr std::size_t numbers = std::size_t{1} << 24;
constexpr int rounds = 5, launches = 200;

template <class T> KernelArgument argument(const T &value) {
  return {&value, sizeof value};
}

double seconds(const std::function<void()> &work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of several rounds, after one that warms up.
double median(const std::function<void()> &work) {
  work();
  std::array<double, rounds> times{};
  for (double &time : times)
    time = seconds(work);
  std::sort(times.begin(), times.end());
  return times[rounds / 2];
}

std::string text(const char *format, double a, double b = 0, double c = 0) {
  char line[160];
  std::snprintf(line, sizeof line, format, a, b, c);
  return line;
}

void must(cuda::CUresult result) {
  if (result != cuda::CUDA_SUCCESS)
    throw std::runtime_error("by hand: error " + std::to_string(static_cast<unsigned>(result)));
}

/// Times of both directions in seconds.
struct Directions {
  double toDevice = 0, toHost = 0;
};

Directions through(Device &device, DeviceQueue queue, DevicePointer memory, void *host) {
  Directions times;
  times.toDevice = median([&] {
    need(device.copyToDevice(queue, memory, host, {Bytes{copied}}));
    need(device.finish(queue));
  });
  times.toHost = median([&] {
    need(device.copyToHost(queue, host, memory, {Bytes{copied}}));
    need(device.finish(queue));
  });
  return times;
}

Directions byHand(const cuda::Driver &driver, cuda::CUstream stream, DevicePointer memory, void *host) {
  Directions times;
  times.toDevice = median([&] {
    must(driver.cuMemcpyHtoDAsync_v2(memory.value, host, copied, stream));
    must(driver.cuStreamSynchronize(stream));
  });
  times.toHost = median([&] {
    must(driver.cuMemcpyDtoHAsync_v2(host, memory.value, copied, stream));
    must(driver.cuStreamSynchronize(stream));
  });
  return times;
}

void copies(Device &device, const cuda::Driver &driver, Table &table) {
  const DeviceQueue queue = need(device.createQueue());
  auto *const stream = static_cast<cuda::CUstream>(device.nativeQueue(queue));
  const DevicePointer memory = need(device.allocate(Bytes{copied}));
  std::byte *const pinned = need(device.allocatePinned(Bytes{copied}));
  std::fill_n(pinned, copied, std::byte{1});
  std::vector<std::byte> ordinary(copied, std::byte{2});
  const auto report = [&](const std::string &kind, const Directions &ours, const Directions &theirs) {
    constexpr double gb = copied / 1e9;
    table.pass(kind + " to the device, GB/s", text("%.1f (by hand %.1f)", gb / ours.toDevice, gb / theirs.toDevice));
    table.pass(kind + " to the host, GB/s", text("%.1f (by hand %.1f)", gb / ours.toHost, gb / theirs.toHost));
  };
  report("pinned memory", through(device, queue, memory, pinned), byHand(driver, stream, memory, pinned));
  report("ordinary memory", through(device, queue, memory, ordinary.data()), byHand(driver, stream, memory, ordinary.data()));
  need(device.freePinned(pinned));
  need(device.free(memory));
  need(device.destroyQueue(queue));
}

/// A kernel's own time and a launch's, and whether copies hide behind kernels.
void kernels(Device &device, const cuda::Driver &driver, const streamap_image &image, Table &table) {
  const DeviceFunction saxpy = need(device.findFunction(need(device.loadImage(image)), "saxpy"));
  const DeviceQueue queue = need(device.createQueue()), other = need(device.createQueue());
  const DevicePointer x = need(device.allocate(Bytes{numbers * 4})), y = need(device.allocate(Bytes{numbers * 4}));
  need(device.fill(queue, x, 0, Bytes{numbers * 4}));
  need(device.fill(queue, y, 0, Bytes{numbers * 4}));
  std::size_t n = numbers;
  float a = 1.0F;
  std::array arguments{argument(n), argument(a), argument(x.value), argument(y.value)};
  LaunchShape shape;
  shape.grid[0] = static_cast<std::uint32_t>(device.properties().multiprocessors) * 8;
  shape.block[0] = 256;
  const auto kernelTime = [&] {
    return median([&] {
      for (int i = 0; i < launches; ++i)
        need(device.launch(queue, saxpy, shape, arguments));
      need(device.finish(queue));
    });
  };
  const double ours = kernelTime();

  auto *const stream = static_cast<cuda::CUstream>(device.nativeQueue(queue));
  cuda::CUmodule module = nullptr;
  cuda::CUfunction function = nullptr;
  must(driver.cuModuleLoadDataEx(&module, image.data, 0, nullptr, nullptr));
  must(driver.cuModuleGetFunction(&function, module, "saxpy"));
  std::uint64_t xs = x.value, ys = y.value;
  std::array<void *, 4> parameters{&n, &a, &xs, &ys};
  const double theirs = median([&] {
    for (int i = 0; i < launches; ++i)
      must(driver.cuLaunchKernel(function, shape.grid[0], 1, 1, 256, 1, 1, 0, stream, parameters.data(), nullptr));
    must(driver.cuStreamSynchronize(stream));
  });
  must(driver.cuModuleUnload(module));
  table.pass("saxpy of 16 Mi numbers, us", text("%.1f (by hand %.1f): %.0f GB/s", ours / launches * 1e6, theirs / launches * 1e6,
                                                3.0 * numbers * 4 * launches / ours / 1e9));
  n = 1;
  const double launchTime = kernelTime();
  table.pass("a launch of next to nothing, us", text("%.2f", launchTime / launches * 1e6));
  n = numbers;

  std::byte *const pinned = need(device.allocatePinned(Bytes{copied}));
  std::fill_n(pinned, copied, std::byte{3});
  const DevicePointer memory = need(device.allocate(Bytes{copied}));
  const double copy = through(device, other, memory, pinned).toDevice;
  const double both = median([&] {
    for (int i = 0; i < launches; ++i)
      need(device.launch(queue, saxpy, shape, arguments));
    need(device.copyToDevice(other, memory, pinned, {Bytes{copied}}));
    need(device.finish(other));
    need(device.finish(queue));
  });
  const double hidden = (ours + copy - both) / std::min(ours, copy);
  table.pass("a copy beside kernels",
             text("%.0f %% of it hidden (%.2f ms alone, %.2f ms together with kernels)", hidden * 100, copy * 1e3, both * 1e3));
  need(device.freePinned(pinned));
}

} // namespace

void measure(Bench &bench, Table &table) {
  const auto driver = cuda::Driver::open(bench.driver);
  if (!driver) {
    table.fail("the driver by hand", driver.error().message);
    return;
  }
  try {
    copies(*bench.devices[0], **driver, table);
    kernels(*bench.devices[0], **driver, bench.image, table);
  } catch (const std::exception &error) {
    table.fail("measuring", error.what());
  }
}

} // namespace streamap::gpu
