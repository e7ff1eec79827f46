// StreamMAP runtime: a kernel's host twin.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/twin.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cassert>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#if defined(__SANITIZE_THREAD__) || (defined(__has_feature) && __has_feature(thread_sanitizer))
#include <sanitizer/tsan_interface.h>
#define STREAMAP_TSAN_FIBRES 1
#endif
#if defined(__SANITIZE_ADDRESS__) || (defined(__has_feature) && __has_feature(address_sanitizer))
#include <sanitizer/common_interface_defs.h>
#define STREAMAP_ASAN_FIBRES 1
#endif

namespace streamap {
namespace {

/// A kernel has no recursion and no large arrays: what a GPU gives a thread is less.
constexpr std::size_t stackBytes = std::size_t{64} << 10;

/// The threads of one block that may wait for each other, as contexts that the calling thread runs in turns. Made once a launch.
class Fibres {
public:
  Fibres(const streamap_kernel &kernel, void *const *arguments, std::size_t threads)
      : kernel_(kernel), arguments_(arguments), fibres_(threads) {
    const std::size_t bytes = threads * stackBytes;
    stacks_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks_ == MAP_FAILED)
      throw std::bad_alloc();
  }
  ~Fibres() { munmap(stacks_, fibres_.size() * stackBytes); }
  Fibres(const Fibres &) = delete;
  Fibres &operator=(const Fibres &) = delete;

  streamap_twin_thread &thread(std::size_t k) { return fibres_[k].thread; }

  /// All threads of the block from their beginning to their end.
  void runBlock() {
    for (std::size_t k = 0; k < fibres_.size(); ++k)
      begin(k);
    for (bool some = true; some;) {
      some = false;
      for (Fibre &fibre : fibres_)
        if (!fibre.done) {
          resume(fibre);
          some |= !fibre.done;
        }
      if (thrown_)
        break;
    }
    for (Fibre &fibre : fibres_)
      end(fibre);
    if (thrown_)
      std::rethrow_exception(thrown_);
  }

private:
  struct Fibre {
    streamap_twin_thread thread{}; // first: barrier() finds the fibre by it
    ucontext_t context{}, back{};
    Fibres *owner = nullptr;
    void *stack = nullptr;
    bool done = false;
#ifdef STREAMAP_TSAN_FIBRES
    void *sanitizer = nullptr, *sanitizerBack = nullptr;
#endif
#ifdef STREAMAP_ASAN_FIBRES
    void *fake = nullptr;
    const void *backStack = nullptr;
    std::size_t backBytes = 0;
#endif
  };

  void begin(std::size_t k) {
    Fibre &fibre = fibres_[k];
    fibre.owner = this;
    fibre.done = false;
    fibre.stack = static_cast<std::byte *>(stacks_) + k * stackBytes;
    fibre.thread.barrier = barrier;
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp = fibre.stack;
    fibre.context.uc_stack.ss_size = stackBytes;
    fibre.context.uc_link = nullptr;
    // makecontext hands over ints only
    const auto address = reinterpret_cast<std::uintptr_t>(&fibre);
    makecontext(&fibre.context, reinterpret_cast<void (*)()>(enter), 2, static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address));
#ifdef STREAMAP_TSAN_FIBRES
    fibre.sanitizer = __tsan_create_fiber(0);
#endif
  }

  static void end([[maybe_unused]] Fibre &fibre) {
#ifdef STREAMAP_TSAN_FIBRES
    __tsan_destroy_fiber(fibre.sanitizer);
#endif
  }

  static void resume(Fibre &fibre) {
#ifdef STREAMAP_TSAN_FIBRES
    fibre.sanitizerBack = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fibre.sanitizer, 0);
#endif
#ifdef STREAMAP_ASAN_FIBRES
    void *mine = nullptr;
    __sanitizer_start_switch_fiber(&mine, fibre.stack, stackBytes);
#endif
    swapcontext(&fibre.back, &fibre.context);
#ifdef STREAMAP_ASAN_FIBRES
    __sanitizer_finish_switch_fiber(mine, nullptr, nullptr);
#endif
  }

  static void leave(Fibre &fibre) {
#ifdef STREAMAP_TSAN_FIBRES
    __tsan_switch_to_fiber(fibre.sanitizerBack, 0);
#endif
#ifdef STREAMAP_ASAN_FIBRES
    __sanitizer_start_switch_fiber(fibre.done ? nullptr : &fibre.fake, fibre.backStack, fibre.backBytes);
#endif
    swapcontext(&fibre.context, &fibre.back);
#ifdef STREAMAP_ASAN_FIBRES
    __sanitizer_finish_switch_fiber(fibre.fake, &fibre.backStack, &fibre.backBytes);
#endif
  }

  static void barrier(streamap_twin_thread *thread) { leave(*reinterpret_cast<Fibre *>(thread)); }

  static void enter(unsigned high, unsigned low) {
    auto &fibre = *reinterpret_cast<Fibre *>(std::uintptr_t{high} << 32 | low); // NOLINT(performance-no-int-to-ptr)
#ifdef STREAMAP_ASAN_FIBRES
    __sanitizer_finish_switch_fiber(nullptr, &fibre.backStack, &fibre.backBytes);
#endif
    try {
      fibre.owner->kernel_.twin(&fibre.thread, fibre.owner->arguments_);
    } catch (...) {
      fibre.owner->thrown_ = std::current_exception();
    }
    fibre.done = true;
    leave(fibre);
    assert(false && "a thread of a kernel that has ended runs again");
    std::abort();
  }

  const streamap_kernel &kernel_;
  void *const *arguments_;
  std::vector<Fibre> fibres_;
  void *stacks_ = nullptr;
  std::exception_ptr thrown_;
};

template <class Visit> void forEach(const std::array<std::uint32_t, 3> &extent, Visit visit) {
  for (std::uint32_t z = 0; z < extent[2]; ++z)
    for (std::uint32_t y = 0; y < extent[1]; ++y)
      for (std::uint32_t x = 0; x < extent[0]; ++x)
        visit(streamap_dim3{x, y, z});
}

struct AlignedFree {
  void operator()(void *memory) const { std::free(memory); }
};

} // namespace

void runTwin(const streamap_kernel &kernel, const LaunchShape &shape, void *const *arguments) {
  constexpr std::size_t alignment = 64;
  const std::size_t shared = (shape.shared.value + alignment - 1) / alignment * alignment;
  const std::unique_ptr<void, AlignedFree> block(shared > 0 ? std::aligned_alloc(alignment, shared) : nullptr);
  streamap_twin_thread thread{};
  thread.grid = {shape.grid[0], shape.grid[1], shape.grid[2]};
  thread.block = {shape.block[0], shape.block[1], shape.block[2]};
  thread.shared = block.get();
  std::unique_ptr<Fibres> fibres;
  if ((kernel.flags & STREAMAP_KERNEL_BARRIERS) != 0)
    fibres = std::make_unique<Fibres>(kernel, arguments, std::size_t{shape.block[0]} * shape.block[1] * shape.block[2]);
  forEach(shape.grid, [&](streamap_dim3 blockIndex) {
    thread.block_index = blockIndex;
    if (block)
      std::fill_n(static_cast<std::byte *>(block.get()), shared, std::byte{});
    std::size_t number = 0;
    forEach(shape.block, [&](streamap_dim3 threadIndex) {
      thread.thread_index = threadIndex;
      if (fibres)
        fibres->thread(number++) = thread;
      else
        kernel.twin(&thread, arguments);
    });
    if (fibres)
      fibres->runBlock();
  });
}

} // namespace streamap
