// StreamMAP runtime: tasks that devices may start.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <semaphore.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "exec/ready_queue.h"

namespace streamap {

/// For each device the tasks that are ready for it, and where its threads sleep until there are some. push() and pop() are not
/// thread-safe; wake() and sleep() are.
template <class Item> class DeviceLanes {
public:
  explicit DeviceLanes(int devices) {
    for (int k = 0; k < devices; ++k)
      desks_.push_back(std::make_unique<Desk>());
  }

  void push(int device, Item item, std::int32_t priority, std::uint64_t number) {
    desk(device).ready.push(item, priority, number);
  }
  /// The most urgent one, or null.
  Item pop(int device) { return desk(device).ready.empty() ? nullptr : desk(device).ready.pop(); }

  /// Once a task, and once a thread that is to end.
  void wake(int device) { sem_post(&desk(device).tasks); }
  void sleep(int device) {
    while (sem_wait(&desk(device).tasks) != 0) { // EINTR
    }
  }

private:
  struct Desk {
    Desk() { sem_init(&tasks, 0, 0); }
    ~Desk() { sem_destroy(&tasks); }
    Desk(const Desk &) = delete;
    Desk &operator=(const Desk &) = delete;
    sem_t tasks{};
    ReadyQueue<Item> ready;
  };
  Desk &desk(int device) { return *desks_[static_cast<std::size_t>(device)]; }
  std::vector<std::unique_ptr<Desk>> desks_;
};

} // namespace streamap
