// The CUDA double: many stacks on one thread.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fibre.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || (defined(__has_feature) && __has_feature(address_sanitizer))
#define DOUBLES_ASAN 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__) || (defined(__has_feature) && __has_feature(thread_sanitizer))
#define DOUBLES_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif

// Twelve instructions, where swapcontext makes two system calls: a kernel with barriers switches at each of them.
extern "C" void doublesSwitchStacks(void **saved, void *next);
asm(R"(.text
.globl doublesSwitchStacks
.hidden doublesSwitchStacks
.type doublesSwitchStacks,@function
doublesSwitchStacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size doublesSwitchStacks,.-doublesSwitchStacks)");

namespace doubles {
namespace {
constexpr std::size_t stackBytes = std::size_t{64} << 10, guardBytes = 4096;
constexpr std::size_t stacksPerMapping = 64;
} // namespace

FibreStacks::~FibreStacks() {
#ifdef DOUBLES_TSAN
  for (const auto &context : contexts_)
    __tsan_destroy_fiber(context->threadSanitizer);
#endif
  for (char *const mapping : mappings_)
    munmap(mapping, stacksPerMapping * stackBytes);
}

char *FibreStacks::stack(std::size_t index) const {
  return mappings_[index / stacksPerMapping] + index % stacksPerMapping * stackBytes;
}

void *FibreStacks::top(std::size_t index) const {
  return stack(index) + stackBytes - sizeof(void *);
}

FibreContext &FibreStacks::prepare(std::size_t index, void (*entry)()) {
  while (index >= contexts_.size()) {
    if (contexts_.size() % stacksPerMapping == 0) {
      void *const memory = mmap(nullptr, stacksPerMapping * stackBytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED)
        throw std::bad_alloc();
      mappings_.push_back(static_cast<char *>(memory));
    }
    contexts_.push_back(std::make_unique<FibreContext>());
    FibreContext &made = *contexts_.back();
    char *const bottom = stack(contexts_.size() - 1);
    mprotect(bottom, guardBytes, PROT_NONE);
    made.stackBottom = bottom + guardBytes;
    made.stackBytes = stackBytes - guardBytes;
#ifdef DOUBLES_TSAN
    made.threadSanitizer = __tsan_create_fiber(0);
#endif
  }
  FibreContext &context = *contexts_[index];
#ifdef DOUBLES_ASAN
  __asan_unpoison_memory_region(context.stackBottom, context.stackBytes); // whoever was abandoned here has not cleaned up
#endif
  void **place = static_cast<void **>(top(index));
  *place = nullptr; // the return address of entry: the end of the stack for who unwinds it
  *--place = reinterpret_cast<void *>(entry);
  for (int saved = 0; saved < 6; ++saved)
    *--place = nullptr;
  context.stackPointer = place;
  return context;
}

std::size_t FibreStacks::find(const void *address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (std::size_t i = 0; i < contexts_.size(); ++i) {
    const auto bottom = reinterpret_cast<std::uintptr_t>(stack(i));
    if (at >= bottom && at < bottom + stackBytes)
      return i;
  }
  return contexts_.size();
}

void switchFibre(FibreContext &from, FibreContext &to, [[maybe_unused]] bool last) {
#ifdef DOUBLES_TSAN
  if (!from.threadSanitizer)
    from.threadSanitizer = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.threadSanitizer, 0);
#endif
#ifdef DOUBLES_ASAN
  void *fake = nullptr;
  __sanitizer_start_switch_fiber(last ? nullptr : &fake, to.stackBottom, to.stackBytes);
#endif
  doublesSwitchStacks(&from.stackPointer, to.stackPointer);
#ifdef DOUBLES_ASAN
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

void fibreStarted([[maybe_unused]] FibreContext &from) {
#ifdef DOUBLES_ASAN
  // Says where the thread's own stack lies, to which switchFibre must point the sanitizer again.
  __sanitizer_finish_switch_fiber(nullptr, &from.stackBottom, &from.stackBytes);
#endif
}

} // namespace doubles
