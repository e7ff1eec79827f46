// What a device must get right.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <thread>

#include "checks.h"

namespace streamap::gpu {
namespace {

template <class T> KernelArgument argument(const T &value) {
  return {&value, sizeof value};
}

void expect(bool fine, const char *what) {
  if (!fine)
    throw std::runtime_error(what);
}

/// Runs one check; whatever it throws is its failure.
void check(Table &table, const std::string &name, const std::function<std::string()> &body) {
  try {
    table.pass(name, body());
  } catch (const std::exception &error) {
    table.fail(name, error.what());
  }
}

std::string copiesOfOrdinaryMemory(Device &device) {
  std::vector<int> there(5'000'003), back(there.size()); // several pieces, and an odd rest
  std::iota(there.begin(), there.end(), 1);
  const Bytes bytes{there.size() * sizeof(int)};
  const DeviceQueue queue = need(device.createQueue());
  const DevicePointer memory = need(device.allocate(bytes));
  need(device.copyToDevice(queue, memory, there.data(), {bytes}));
  need(device.copyToHost(queue, back.data(), memory, {bytes}));
  need(device.finish(queue));
  expect(there == back, "the bytes came back changed");
  need(device.free(memory));
  need(device.destroyQueue(queue));
  return describe(bytes);
}

std::string rectangles(Device &device) {
  constexpr std::uint64_t width = 1000, rows = 700, hostPitch = 1200, devicePitch = 1024;
  std::byte *const pinned = need(device.allocatePinned(Bytes{rows * hostPitch}));
  std::vector<std::byte> back(rows * hostPitch);
  for (std::size_t i = 0; i < rows * hostPitch; ++i)
    pinned[i] = static_cast<std::byte>(i * 13 + i / 255);
  const DeviceQueue queue = need(device.createQueue());
  const DevicePointer memory = need(device.allocate(Bytes{rows * devicePitch}));
  need(device.copyToDevice(queue, memory, pinned, {Bytes{width}, rows, Bytes{devicePitch}, Bytes{hostPitch}}));
  need(device.copyToHost(queue, back.data(), memory, {Bytes{width}, rows, Bytes{hostPitch}, Bytes{devicePitch}}));
  need(device.finish(queue));
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint64_t column = 0; column < hostPitch; ++column)
      expect(back[row * hostPitch + column] == (column < width ? pinned[row * hostPitch + column] : std::byte{}),
             "the rows came back changed, or more than they");
  need(device.freePinned(pinned));
  need(device.free(memory));
  need(device.destroyQueue(queue));
  return {};
}

std::string kernels(Device &device, const streamap_image &image) {
  const DeviceImage code = need(device.loadImage(image));
  const DeviceQueue queue = need(device.createQueue());
  constexpr std::size_t n = 100'000;
  std::vector<float> x(n), y(n, 1.0F), back(n);
  std::iota(x.begin(), x.end(), 0.0F);
  const Bytes bytes{n * sizeof(float)};
  const DevicePointer xs = need(device.allocate(bytes)), ys = need(device.allocate(bytes));
  need(device.copyToDevice(queue, xs, x.data(), {bytes}));
  need(device.copyToDevice(queue, ys, y.data(), {bytes}));
  const float a = 2.0F;
  const std::array arguments{argument(n), argument(a), argument(xs.value), argument(ys.value)};
  LaunchShape shape;
  shape.grid[0] = 40;
  shape.block[0] = 128;
  need(device.launch(queue, need(device.findFunction(code, "saxpy")), shape, arguments));
  const std::array turned{argument(ys.value)};
  shape.grid[0] = n / 1000;
  shape.block[0] = 1000;
  shape.shared = 64_KiB; // more than a kernel has unless asked for
  need(device.launch(queue, need(device.findFunction(code, "reverse_blocks")), shape, turned));
  need(device.copyToHost(queue, back.data(), ys, {bytes}));
  need(device.finish(queue));
  for (std::size_t i = 0; i < n; ++i)
    expect(back[i] == 1.0F + a * x[i / 1000 * 1000 + 999 - i % 1000], "wrong numbers");
  need(device.free(xs));
  need(device.free(ys));
  need(device.destroyQueue(queue));
  need(device.unloadImage(code));
  return {};
}

std::string events(Device &device) {
  const DeviceQueue first = need(device.createQueue()), second = need(device.createQueue());
  const DeviceEvent from = need(device.createEvent()), to = need(device.createEvent());
  std::vector<char> there(8 << 20, 'a'), back(there.size());
  const Bytes bytes{there.size()};
  const DevicePointer memory = need(device.allocate(bytes));
  need(device.record(first, from));
  need(device.copyToDevice(first, memory, there.data(), {bytes}));
  need(device.record(first, to));
  need(device.waitFor(second, to));
  need(device.copyToHost(second, back.data(), memory, {bytes}));
  need(device.finish(second));
  expect(there == back, "a queue did not wait for an event of another");
  expect(need(device.hasHappened(to)), "an event has not happened that another waited for");
  const auto time = need(device.elapsed(from, to));
  expect(time.count() > 0, "no time passed");
  need(device.destroyEvent(from));
  need(device.destroyEvent(to));
  need(device.destroyQueue(first));
  need(device.destroyQueue(second));
  need(device.free(memory));
  return {};
}

std::string tooMuchMemory(Device &device) {
  const DeviceMemoryInfo info = need(device.memoryInfo());
  const auto refused = device.allocate(info.total + 1_GiB);
  expect(!refused && refused.error().kind == DeviceErrorKind::OutOfMemory, "more memory than there is was not refused as such");
  expect(!device.isLost(), "the device is lost after a refused allocation");
  return describe(info.free) + " free of " + describe(info.total);
}

std::string threads(Device &device) {
  std::vector<std::thread> list;
  std::vector<std::string> errors(4);
  for (std::size_t t = 0; t < errors.size(); ++t)
    list.emplace_back([&, t] {
      try {
        for (int i = 0; i < 20; ++i)
          copiesOfOrdinaryMemory(device);
      } catch (const std::exception &error) {
        errors[t] = error.what();
      }
    });
  for (std::thread &thread : list)
    thread.join();
  for (const std::string &error : errors)
    expect(error.empty(), error.c_str());
  return {};
}

std::string peers(Device &to, Device &from) {
  std::vector<int> there(1 << 20), back(there.size());
  std::iota(there.begin(), there.end(), 3);
  const Bytes bytes{there.size() * sizeof(int)};
  const DeviceQueue fromQueue = need(from.createQueue()), toQueue = need(to.createQueue());
  const DeviceEvent filled = need(from.createEvent());
  const DevicePointer source = need(from.allocate(bytes)), target = need(to.allocate(bytes));
  need(from.copyToDevice(fromQueue, source, there.data(), {bytes}));
  need(from.record(fromQueue, filled));
  need(to.waitFor(toQueue, from, filled));
  need(to.copyFromPeer(toQueue, target, from, source, {bytes}));
  need(to.copyToHost(toQueue, back.data(), target, {bytes}));
  need(to.finish(toQueue));
  expect(there == back, "the bytes came back changed");
  return {};
}

} // namespace

void checkAnswers(Bench &bench, Table &table) {
  Device &device = *bench.devices[0];
  check(table, "copies of ordinary memory", [&] { return copiesOfOrdinaryMemory(device); });
  check(table, "rectangles, pinned memory", [&] { return rectangles(device); });
  check(table, "kernels, shared memory", [&] { return kernels(device, bench.image); });
  check(table, "events between queues", [&] { return events(device); });
  check(table, "more memory than there is", [&] { return tooMuchMemory(device); });
  check(table, "four threads on one device", [&] { return threads(device); });
  if (bench.devices.size() > 1)
    check(table, "copies between devices", [&] { return peers(device, *bench.devices[1]); });
  else
    table.skip("copies between devices", "there is one device");
}

void checkFault(Bench &bench, Table &table) {
  Device &device = *bench.devices[0];
  check(table, "a kernel that faults loses the device", [&]() -> std::string {
    const DeviceFunction store = need(device.findFunction(need(device.loadImage(bench.image)), "store"));
    const std::uint64_t nowhere = 0;
    const std::size_t offset = 0;
    const std::array arguments{argument(nowhere), argument(offset)};
    const DeviceQueue queue = need(device.createQueue());
    need(device.launch(queue, store, {}, arguments));
    const auto finished = device.finish(queue);
    expect(!finished && finished.error().kind == DeviceErrorKind::Lost, "the fault did not show");
    expect(device.isLost() && !device.allocate(4_KiB), "the device is used on");
    return finished.error().text.message;
  });
}

} // namespace streamap::gpu
