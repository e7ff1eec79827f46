// Random work for devices, and what it must come to.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_work.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "doubles.h"

namespace streamap::cuda {
namespace {

constexpr std::size_t numbers = 4000; // of a place: several pieces of a staged copy
constexpr std::size_t queuesOfDevice = 3;

} // namespace

RandomWork::RandomWork(std::vector<std::unique_ptr<Device>> &devices, std::uint64_t seed) : devices_(devices), random_(seed) {}

/// Leaves the function with a step's error.
#define DO(expression)                                                                                                           \
  do {                                                                                                                           \
    if (auto done = (expression); !done)                                                                                         \
      return tl::make_unexpected(done.error());                                                                                  \
  } while (false)

DeviceResult<void> RandomWork::prepare() {
  const auto newPlace = [&](std::size_t device) -> Place & {
    Place &place = places_.emplace_back();
    place.device = device;
    place.model.resize(numbers);
    std::generate(place.model.begin(), place.model.end(), [&] { return static_cast<std::int64_t>(random_() % 1000); });
    return place;
  };
  for (int i = 0; i < 4; ++i) {
    Place &place = newPlace(hostSide);
    if (i % 2) {
      auto pinned = devices_[0]->allocatePinned(Bytes{numbers * 8});
      DO(pinned);
      place.host = reinterpret_cast<std::int64_t *>(*pinned);
    } else {
      place.ordinary = std::make_unique<Numbers>(numbers);
      place.host = place.ordinary->data();
    }
    std::copy(place.model.begin(), place.model.end(), place.host);
  }
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    auto image = devices_[d]->loadImage(testKernels());
    DO(image);
    images_.push_back(*image);
    for (auto &[name, list] :
         {std::pair<const char *, std::vector<DeviceFunction> &>{"add", add_}, {"reverse_blocks", reverse_}}) {
      auto function = devices_[d]->findFunction(*image, name);
      DO(function);
      list.push_back(*function);
    }
    queues_.emplace_back();
    for (std::size_t q = 0; q < queuesOfDevice; ++q) {
      auto queue = devices_[d]->createQueue();
      DO(queue);
      queues_[d].push_back(*queue);
    }
    for (int i = 0; i < 2; ++i) {
      auto memory = devices_[d]->allocate(Bytes{numbers * 8});
      DO(memory);
      Place &place = newPlace(d);
      place.pointer = *memory;
      place.model = places_[0].model;
      DO(copy({&place, 0, numbers}, {&places_[0], 0, numbers}, numbers, 1));
    }
  }
  return {};
}

DeviceResult<DeviceQueue> RandomWork::anyQueue(std::size_t device) {
  DeviceQueue &queue = queues_[device][below(queuesOfDevice)];
  if (below(20) == 0) { // queues come and go
    DO(devices_[device]->finish(queue));
    DO(devices_[device]->destroyQueue(queue));
    auto made = devices_[device]->createQueue();
    DO(made);
    queue = *made;
  }
  return queue;
}

/// What is queued from now on is behind the last step that touched the place.
DeviceResult<void> RandomWork::after(std::size_t device, DeviceQueue queue, const Place &place) {
  if (place.event)
    DO(devices_[device]->waitFor(queue, *devices_[place.eventDevice], *place.event));
  return {};
}

DeviceResult<void> RandomWork::touched(std::size_t device, DeviceQueue queue, std::vector<Place *> places) {
  for (Place *const place : places) {
    auto event = devices_[device]->createEvent();
    DO(event);
    DO(devices_[device]->record(queue, *event));
    // The step waited for this one, and it is behind the step now.
    if (place->event)
      DO(devices_[place->eventDevice]->destroyEvent(*place->event));
    place->event = *event;
    place->eventDevice = device;
  }
  return {};
}

DeviceResult<void> RandomWork::copy(Part to, Part from, std::size_t width, std::size_t rows) {
  const std::size_t device = to.place->device != hostSide ? to.place->device : from.place->device;
  Device &d = *devices_[device];
  auto queue = anyQueue(device);
  DO(queue);
  DO(after(device, *queue, *to.place));
  DO(after(device, *queue, *from.place));
  const CopyShape shape{Bytes{width * 8}, rows, Bytes{to.pitch * 8}, Bytes{from.pitch * 8}};
  const DevicePointer toMemory = to.place->pointer + to.first * 8, fromMemory = from.place->pointer + from.first * 8;
  if (from.place->device == hostSide)
    DO(d.copyToDevice(*queue, toMemory, from.place->host + from.first, shape));
  else if (to.place->device == hostSide)
    DO(d.copyToHost(*queue, to.place->host + to.first, fromMemory, shape));
  else if (to.place->device == from.place->device)
    DO(d.copyWithin(*queue, toMemory, fromMemory, shape));
  else
    DO(d.copyFromPeer(*queue, toMemory, *devices_[from.place->device], fromMemory, shape));
  for (std::size_t row = 0; row < rows; ++row)
    std::copy_n(from.place->model.begin() + static_cast<std::ptrdiff_t>(from.first + row * from.pitch), width,
                to.place->model.begin() + static_cast<std::ptrdiff_t>(to.first + row * to.pitch));
  return touched(device, *queue, {to.place, from.place});
}

DeviceResult<void> RandomWork::addKernel(Place &place) {
  auto queue = anyQueue(place.device);
  DO(queue);
  DO(after(place.device, *queue, place));
  const std::size_t count = 1 + below(numbers);
  const auto by = static_cast<std::int64_t>(below(100));
  const std::array arguments{argument(count), argument(by), argument(place.pointer.value)};
  LaunchShape shape;
  shape.grid[0] = static_cast<std::uint32_t>(1 + below(4));
  shape.block[0] = static_cast<std::uint32_t>(1 + below(64));
  DO(devices_[place.device]->launch(*queue, add_[place.device], shape, arguments));
  for (std::size_t i = 0; i < count; ++i)
    place.model[i] += by;
  return touched(place.device, *queue, {&place});
}

/// Turns blocks of ints around, of which there are two in a number.
DeviceResult<void> RandomWork::reverseKernel(Place &place) {
  auto queue = anyQueue(place.device);
  DO(queue);
  DO(after(place.device, *queue, place));
  constexpr std::uint32_t blocks = 3, threads = 64;
  const std::array arguments{argument(place.pointer.value)};
  LaunchShape shape;
  shape.grid[0] = blocks;
  shape.block[0] = threads;
  shape.shared = below(2) ? Bytes{threads * 4} : 64_KiB; // more than 48 KiB must be asked for
  DO(devices_[place.device]->launch(*queue, reverse_[place.device], shape, arguments));
  std::vector<std::int32_t> ints(blocks * threads);
  std::memcpy(ints.data(), place.model.data(), ints.size() * 4);
  for (std::uint32_t block = 0; block < blocks; ++block)
    std::reverse(ints.begin() + block * threads, ints.begin() + (block + 1) * threads);
  std::memcpy(place.model.data(), ints.data(), ints.size() * 4);
  return touched(place.device, *queue, {&place});
}

DeviceResult<void> RandomWork::fill(Place &place) {
  auto queue = anyQueue(place.device);
  DO(queue);
  DO(after(place.device, *queue, place));
  const std::size_t first = below(numbers), count = 1 + below(numbers - first);
  const auto value = static_cast<std::uint8_t>(below(256));
  DO(devices_[place.device]->fill(*queue, place.pointer + first * 8, value, Bytes{count * 8}));
  std::memset(place.model.data() + first, value, count * 8);
  return touched(place.device, *queue, {&place});
}

RandomWork::Place &RandomWork::anyPlace(bool onDevice) {
  for (;;)
    if (Place &place = places_[below(places_.size())]; (place.device != hostSide) == onDevice)
      return place;
}

RandomWork::Part RandomWork::anyPart(Place &place, std::size_t width, std::size_t rows) {
  const std::size_t pitch = rows == 1 ? width : width + below(numbers / rows - width + 1);
  const std::size_t reach = (rows - 1) * pitch + width;
  return {&place, below(numbers - reach + 1), pitch};
}

DeviceResult<void> RandomWork::step() {
  const std::size_t kind = below(10);
  if (kind < 2)
    return addKernel(anyPlace(true));
  if (kind == 2)
    return reverseKernel(anyPlace(true));
  if (kind == 3)
    return fill(anyPlace(true));
  const std::size_t rows = below(2) ? 1 : 2 + below(20), width = 1 + below(numbers / rows);
  Place &one = anyPlace(true);
  Place &other = anyPlace(below(3) == 0);
  if (&one == &other)
    return {};
  if (below(2))
    return copy(anyPart(one, width, rows), anyPart(other, width, rows), width, rows);
  return copy(anyPart(other, width, rows), anyPart(one, width, rows), width, rows);
}

/// Brings all to the host, each place of a device into memory of its own, and waits for everything.
DeviceResult<void> RandomWork::fetchAll() {
  for (std::size_t i = 0, count = places_.size(); i < count; ++i)
    if (places_[i].device != hostSide) {
      Place &home = places_.emplace_back();
      home.device = hostSide;
      home.model.resize(numbers);
      home.ordinary = std::make_unique<Numbers>(numbers);
      home.host = home.ordinary->data();
      DO(copy({&home, 0, numbers}, {&places_[i], 0, numbers}, numbers, 1));
    }
  for (const Place &place : places_)
    if (place.event)
      DO(devices_[place.eventDevice]->wait(*place.event));
  for (std::size_t d = 0; d < devices_.size(); ++d)
    for (const DeviceQueue queue : queues_[d])
      DO(devices_[d]->finish(queue));
  return {};
}

#undef DO

std::optional<std::string> RandomWork::compare() const {
  for (std::size_t p = 0; p < places_.size(); ++p)
    if (const Place &place = places_[p]; place.device == hostSide)
      for (std::size_t i = 0; i < numbers; ++i)
        if (place.host[i] != place.model[i])
          return "wrong: number " + std::to_string(i) + " of place " + std::to_string(p) + " is " +
                 std::to_string(place.host[i]) + ", not " + std::to_string(place.model[i]);
  return std::nullopt;
}

/// Waits for all that is queued, as far as that can still be done.
void RandomWork::finishQueues() {
  for (std::size_t d = 0; d < queues_.size(); ++d)
    for (const DeviceQueue queue : queues_[d])
      if (!devices_[d]->finish(queue)) // perhaps it is the waiting that was to fail
        static_cast<void>(devices_[d]->finish(queue));
}

std::optional<std::string> RandomWork::run(int steps) {
  const auto all = [&]() -> DeviceResult<void> {
    if (auto done = prepare(); !done)
      return done;
    for (int i = 0; i < steps; ++i)
      if (auto done = step(); !done)
        return done;
    return fetchAll();
  };
  if (auto done = all(); !done) {
    // Memory of this object may still be read and written, memory of a device by its peers, and pinned memory, which is the first
    // device's, by all: that one goes last.
    const std::string message = done.error().text.message;
    finishQueues();
    while (!devices_.empty())
      devices_.pop_back();
    return message;
  }
  return compare();
}

} // namespace streamap::cuda
