// The CUDA double: everything a driver knows.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "control.h"
#include "device/cuda/driver_types.h"
#include "ledger.h"
#include "operation.h"
#include "settings.h"

namespace doubles {

using namespace streamap::cuda;

struct Context;

struct Device {
  int ordinal = 0;          ///< as this process sees it
  std::size_t position = 0; ///< in the settings
  const DeviceSettings *settings = nullptr;
  std::uint64_t used = 0;     ///< bytes of this process
  Context *primary = nullptr; ///< while somebody retains it
  unsigned retained = 0;
  unsigned flags = 0;
  int key = 0; ///< protection key of its memory: host threads have no access; 0: there is none
};

struct Stream {
  Stream(Context *owner, unsigned streamFlags, std::function<std::chrono::microseconds()> delay)
      : context(owner), flags(streamFlags), queue(std::move(delay)) {}
  Context *context;
  unsigned flags;
  OperationQueue queue;
};

struct Context {
  Device *device = nullptr;
  bool alive = true;
  std::atomic<int> sticky{0}; ///< the error that has broken it; every later call returns it
  std::set<Context *> peers;
  std::unique_ptr<Stream> legacy; ///< what the null stream is here
};

struct Event {
  Context *context = nullptr;
  unsigned flags = 0;
  std::shared_ptr<Operation> record; ///< null before the first
};

struct Module;
struct Function;

/// Device memory: pages that end at an inaccessible page, so that a kernel that runs over the end faults.
struct Buffer {
  Context *context = nullptr;
  std::size_t bytes = 0;
  void *mapping = nullptr; ///< with the inaccessible pages around
  std::size_t mappingBytes = 0;
  bool freed = false; ///< by cuMemFreeAsync, whose turn has not come
};

/// Pinned host memory.
struct HostRange {
  std::size_t bytes = 0;
  bool registered = false; ///< the program's own memory
  Context *context = nullptr;
};

/// Objects that handles stand for. A handle is never used twice, so a dead one is always recognised.
template <class T> class Handles {
public:
  T *add(std::unique_ptr<T> object) {
    T *const handle = object.get();
    live_[handle] = std::move(object);
    return handle;
  }
  /// Null for a dead or foreign handle.
  T *find(const void *handle) const {
    const auto found = live_.find(handle);
    return found == live_.end() ? nullptr : found->second.get();
  }
  bool wasAlive(const void *handle) const {
    return std::any_of(dead_.begin(), dead_.end(), [&](const auto &object) { return object.get() == handle; });
  }
  /// What the object holds beside its handle goes with \p release.
  template <class Release> void kill(T *object, Release release) {
    const auto found = live_.find(object);
    release(*object);
    dead_.push_back(std::move(found->second));
    live_.erase(found);
  }
  template <class Predicate, class Release> void killIf(Predicate predicate, Release release) {
    std::vector<T *> chosen;
    for (const auto &[handle, object] : live_)
      if (predicate(*object))
        chosen.push_back(object.get());
    for (T *const object : chosen)
      kill(object, release);
  }
  const auto &live() const { return live_; }

private:
  std::map<const void *, std::unique_ptr<T>> live_;
  std::vector<std::unique_ptr<T>> dead_;
};

class World {
public:
  explicit World(Settings given);
  ~World();
  World(const World &) = delete;
  World &operator=(const World &) = delete;

  std::mutex mutex; ///< of everything below, except where it says otherwise; never held while waiting for an operation
  Settings settings;
  bool initialised = false;
  std::vector<std::unique_ptr<Device>> devices; ///< that this process sees, by ordinal; filled by cuInit
  Handles<Context> contexts;
  Handles<Stream> streams;
  Handles<Event> events;
  Handles<Module> modules;
  Handles<Function> functions;
  std::map<CUdeviceptr, Buffer> buffers;
  std::map<std::uintptr_t, HostRange> hostRanges;
  MemoryLedger ledger;

  /// Counts a call (or "kernel", "copy"); the error that is to be returned instead of doing it, or CUDA_SUCCESS.
  CUresult countCall(const std::string &name);
  /// The same for operations in streams, which do not hold the mutex. It breaks the context if there is one.
  bool failsInStream(Context &context, const char *name);
  /// Notes what no correct program does: a dead handle, memory that is not there.
  void misuse(const std::string &what);
  void log(const std::string &line);
  DoubleReport report() const;
  std::string callCounts() const;

  /// Adds to \p stream (null: the null stream of \p context) what \p work does, behind \p after, unless the context is broken by
  /// then.
  std::shared_ptr<Operation> enqueue(Context &context, Stream *stream, std::function<void()> work,
                                     std::vector<std::shared_ptr<Operation>> after = {});
  std::unique_ptr<Stream> makeStream(Context &context, unsigned flags);
  /// The last operations of all streams of \p context.
  std::vector<std::shared_ptr<Operation>> tails(const Context &context) const;
  /// Waits for \p operations with \p lock, of this world's mutex, released.
  static void waitFor(std::unique_lock<std::mutex> &lock, const std::vector<std::shared_ptr<Operation>> &operations);
  /// Frees everything that belongs to \p context. Its operations have finished.
  void destroyContext(Context &context);
  void countPageableCopy() { ++pageableCopies_; }

private:
  std::map<std::string, std::uint64_t> calls_;
  std::uint64_t misuses_ = 0;
  std::uint64_t pageableCopies_ = 0;
  std::mutex delayMutex_; ///< of random_
  std::mt19937_64 random_;
  std::FILE *log_ = nullptr;
};

/// The process's; made from CUDA_DOUBLE on first use.
World &world();

/// Whether a context is beyond use after this error.
bool isSticky(int result);

/// The calling thread's stack of current contexts.
std::vector<Context *> &contextStack();

/// Set while the calling thread runs a program's host function, from which no call may be made.
bool &insideHostFunction();

} // namespace doubles
