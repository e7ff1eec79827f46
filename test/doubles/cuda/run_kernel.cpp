// The CUDA double: running a kernel's host twin.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of a block that wait for each other are fibres; without barriers they run one after the other on a single fibre. It is
// a fibre all the same, because a thread that faults is left behind where it is: the signal's handler makes it go back to the
// block.
#include "run_kernel.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "faults.h"
#include "fibre.h"

namespace doubles {
namespace {

constexpr std::size_t alignment = 64;

/// A launch that is running on this thread.
struct Run {
  const KernelLaunch *launch = nullptr;
  std::vector<void *> arguments;
  std::vector<streamap_twin_thread> threads; ///< of the block that runs; one if there are no barriers
  std::vector<bool> done;
  std::size_t current = 0; ///< of threads, which runs
  FibreContext home;
  FibreStacks *stacks = nullptr;
  std::vector<FibreContext *> fibres;
  volatile int signal = 0;
};

thread_local Run *running = nullptr;

streamap_dim3 position(std::uint64_t number, const streamap_dim3 &size) {
  return {static_cast<std::uint32_t>(number % size.x), static_cast<std::uint32_t>(number / size.x % size.y),
          static_cast<std::uint32_t>(number / size.x / size.y)};
}

std::size_t threadsOf(const streamap_dim3 &block) {
  return std::size_t{block.x} * block.y * block.z;
}

void goHome(Run &run, bool last) {
  switchFibre(*run.fibres[run.current], run.home, last);
}

void waitForBlock(streamap_twin_thread *) {
  goHome(*running, false);
}

[[noreturn]] void endThread(Run &run) {
  run.done[run.current] = true;
  goHome(run, true);
  std::abort(); // nobody comes back
}

/// A thread of a block with barriers.
void runOneThread() {
  Run &run = *running;
  fibreStarted(run.home);
  run.launch->kernel->twin(&run.threads[run.current], run.arguments.data());
  endThread(run);
}

/// All threads of a block without.
void runAllThreads() {
  Run &run = *running;
  fibreStarted(run.home);
  streamap_twin_thread &thread = run.threads[0];
  const std::size_t count = threadsOf(thread.block);
  for (std::size_t i = 0; i < count; ++i) {
    thread.thread_index = position(i, thread.block);
    run.launch->kernel->twin(&thread, run.arguments.data());
  }
  endThread(run);
}

[[noreturn]] void abandon() {
  endThread(*running);
}

/// Async-signal-safe: the thread that has faulted goes on in abandon().
void onFault(int signal, ucontext_t &interrupted, void *data) {
  Run &run = *static_cast<Run *>(data);
  run.signal = signal;
  auto &registers = interrupted.uc_mcontext.gregs;
  const bool barriers = run.launch->kernel->flags & STREAMAP_KERNEL_BARRIERS;
  registers[REG_RSP] = reinterpret_cast<greg_t>(run.stacks->top(barriers ? run.current : 0));
  registers[REG_RIP] = reinterpret_cast<greg_t>(&abandon);
}

/// Runs the fibres in turn until all are done; whoever is still there has come to the barrier, or ended.
void runBlock(Run &run, const streamap_dim3 &block, void *shared) {
  const bool barriers = run.launch->kernel->flags & STREAMAP_KERNEL_BARRIERS;
  for (std::size_t i = 0; i < run.threads.size(); ++i) {
    run.threads[i] = {
        run.launch->grid, run.launch->block, block, position(i, run.launch->block), shared, barriers ? waitForBlock : nullptr};
    run.done[i] = false;
    run.fibres[i] = &run.stacks->prepare(i, barriers ? runOneThread : runAllThreads);
  }
  for (std::size_t left = run.threads.size(); left > 0 && run.signal == 0;)
    for (std::size_t i = 0; i < run.threads.size() && run.signal == 0; ++i) {
      if (run.done[i])
        continue;
      run.current = i;
      switchFibre(run.home, *run.fibres[i]);
      left -= run.done[i];
    }
}

} // namespace

int runKernel(const KernelLaunch &launch) {
  static thread_local FibreStacks stacks;
  Run run;
  run.launch = &launch;
  run.stacks = &stacks;
  // Each launch has its own copies, for a twin may change its parameters; each thread would see the change, so twins must not.
  for (const auto &argument : launch.arguments)
    run.arguments.push_back(const_cast<unsigned char *>(argument.data()));
  const std::size_t fibres = launch.kernel->flags & STREAMAP_KERNEL_BARRIERS ? threadsOf(launch.block) : 1;
  run.threads.resize(fibres);
  run.done.resize(fibres);
  run.fibres.resize(fibres);
  std::vector<unsigned char> memory(launch.sharedBytes + alignment);
  void *const shared =
      reinterpret_cast<void *>((reinterpret_cast<std::uintptr_t>(memory.data()) + alignment - 1) / alignment * alignment);
  running = &run;
  const FaultsLand landing(onFault, &run);
  const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  for (std::uint64_t block = 0; block < blocks && run.signal == 0; ++block) {
    std::memset(shared, 0, launch.sharedBytes);
    runBlock(run, position(block, launch.grid), shared);
  }
  running = nullptr;
  return run.signal;
}

} // namespace doubles
