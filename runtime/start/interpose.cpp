// StreamMAP runtime: the functions of the C library and of MPI that libstreamap stands in front of.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's references reach these first, since libstreamap.so comes before libc.so. Each goes on to the next definition of
// its name. Without tasks they change nothing.
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "abi/registry.h"
#include "base/export.h"
#include "base/sanitizers.h"
#include "discover/launcher.h"
#include "exec/current_task.h"
#include "observe/log.h"
#include "program/form.h"
#include "program/world.h"
#include "start/program.h"

namespace {

using streamap::MainFunction;

MainFunction programMain = nullptr;

int mainInOurPlace(int argc, char **argv, char **environment) {
  return streamap::runProgram(programMain, argc, argv, environment);
}

template <class Function> Function next(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// A program with tasks initialises MPI itself: StreamMAP does, unless main is annotated.
void refuseMpi() {
  streamap::showError({"this program calls MPI_Init and has StreamMAP tasks",
                       "put '#pragma streamap resource' before main, so that its own MPI processes are the tasks"});
  std::exit(EXIT_FAILURE);
}

/// A thread's work, and the task that it was created in.
struct ThreadStart {
  void *(*run)(void *);
  void *argument;
  const streamap::CurrentTask *lent;
};

void *startInTask(void *argument) {
  const std::unique_ptr<ThreadStart> start(static_cast<ThreadStart *>(argument));
  streamap::borrowCurrentTask(start->lent);
  return start->run(start->argument);
}

} // namespace

/// Where every program starts, whichever file or archive its main comes from.
STREAMAP_EXPORT int __libc_start_main(MainFunction main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                                      void (*rtldFini)(void), void *stackEnd) {
  using Start = int (*)(MainFunction, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
  programMain = main;
  // Programs linked before glibc 2.34 bring their own constructors' caller, which only the old version calls.
  auto start = init ? reinterpret_cast<Start>(dlvsym(RTLD_NEXT, "__libc_start_main", "GLIBC_2.2.5")) : nullptr;
  if (!start)
    start = next<Start>("__libc_start_main");
  return start(mainInOurPlace, argc, argv, init, fini, rtldFini, stackEnd);
}

namespace {

/// Whether the module that the dynamic linker finds \p name in is this one. (The address of our own function would be looked up
/// like any other, and may be another's: a variable tells which module we are.)
bool isFirst(const char *name) {
  Dl_info first{}, own{};
  return dladdr(dlsym(RTLD_DEFAULT, name), &first) != 0 && dladdr(&programMain, &own) != 0 && first.dli_fbase == own.dli_fbase;
}

/// How long other ranks wait for rank 0's message. Most launchers end the job with the first rank that fails: it must be rank 0,
/// however late that one starts. They then end the waiting ranks too; elsewhere these leave by themselves.
constexpr auto timeForTheHead = std::chrono::seconds(10);

/// Where only a shared library has tasks and cc linked main, libc.so comes before us: main cannot be kept from running on every
/// rank. One process is no worse off than the serial program; ranks of a launcher are told.
__attribute__((constructor)) void requireMain() {
  if (isFirst("__libc_start_main"))
    return;
  const auto launcher = streamap::findLauncher([](const char *name) -> const char * { return std::getenv(name); });
  if (!launcher || launcher->size == 1)
    return;
  if (launcher->rank == 0)
    streamap::showError({"a library of this program has StreamMAP tasks, but the program was linked without libstreamap",
                         "link it with streamap-cc, or with -lstreamap before other libraries"});
  else
    std::this_thread::sleep_for(timeForTheHead);
  std::_Exit(EXIT_FAILURE);
}

} // namespace

STREAMAP_EXPORT void exit(int code) {
  streamap::beforeExit(code);
  next<void (*)(int)>("exit")(code);
  __builtin_unreachable();
}

#if defined(STREAMAP_ADDRESS_SANITIZER) || defined(STREAMAP_THREAD_SANITIZER)
extern "C" __attribute__((weak)) int __interceptor_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
#endif

namespace {

using ThreadCreator = int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

#if defined(STREAMAP_ADDRESS_SANITIZER) || defined(STREAMAP_THREAD_SANITIZER)
/// Clang puts the sanitizer's version into the program itself. In a program that has ours in it as well (a unit test) that one is
/// behind ours, where dlsym does not find it; it must still hear of the thread.
ThreadCreator nextCreator() {
  return isFirst("pthread_create") ? &__interceptor_pthread_create : next<ThreadCreator>("pthread_create");
}
#else
ThreadCreator nextCreator() {
  return next<ThreadCreator>("pthread_create");
}
#endif

} // namespace

STREAMAP_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  static const auto create = nextCreator();
  const auto *const lent = streamap::lendCurrentTask();
  if (!lent)
    return create(thread, attributes, run, argument);
  auto start = std::make_unique<ThreadStart>(ThreadStart{run, argument, lent});
  const int error = create(thread, attributes, startInTask, start.get());
  if (error == 0)
    (void)start.release();
  return error;
}

STREAMAP_EXPORT int MPI_Init(int *argc, char ***argv) {
  if (streamap::programForm())
    return streamap::beginMpi(nullptr);
  if (streamap::programHasTasks())
    refuseMpi();
  return next<int (*)(int *, char ***)>("MPI_Init")(argc, argv);
}

STREAMAP_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  if (streamap::programForm())
    return streamap::beginMpi(provided);
  if (streamap::programHasTasks())
    refuseMpi();
  return next<int (*)(int *, char ***, int, int *)>("MPI_Init_thread")(argc, argv, required, provided);
}
