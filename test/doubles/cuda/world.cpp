// The CUDA double: everything a driver knows.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "world.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "device_memory.h"
#include "module.h"

namespace doubles {

World::World(Settings given)
    : settings(std::move(given)), ledger(settings.ledger, settings.devices.size()), random_(settings.seed) {
  if (settings.log.empty())
    return;
  std::string path = settings.log;
  if (const auto place = path.find("%p"); place != std::string::npos)
    path.replace(place, 2, std::to_string(getpid()));
  log_ = std::fopen(path.c_str(), "a");
  if (log_)
    std::setvbuf(log_, nullptr, _IOLBF, 0);
}

World::~World() {
  if (log_)
    std::fclose(log_);
}

CUresult World::countCall(const std::string &name) {
  const std::uint64_t nth = ++calls_[name];
  const auto [first, last] = settings.injections.equal_range(name);
  for (auto entry = first; entry != last; ++entry) {
    const Injection &injection = entry->second;
    if (nth >= injection.nth && nth - injection.nth < injection.count) {
      log("injected: " + name + " number " + std::to_string(nth) + " gives " + std::to_string(injection.result));
      return static_cast<CUresult>(injection.result);
    }
  }
  return CUDA_SUCCESS;
}

bool World::failsInStream(Context &context, const char *name) {
  const std::lock_guard lock(mutex);
  const CUresult result = countCall(name);
  if (result != CUDA_SUCCESS)
    context.sticky = result;
  return result != CUDA_SUCCESS;
}

void World::misuse(const std::string &what) {
  ++misuses_;
  log("misuse: " + what);
}

void World::log(const std::string &line) {
  if (log_)
    std::fprintf(log_, "%ld %s\n", syscall(SYS_gettid), line.c_str());
}

DoubleReport World::report() const {
  DoubleReport report{};
  const auto usable = [](const Context *context) { return context->alive && context->sticky == 0; };
  for (const auto &[handle, context] : contexts.live())
    report.contexts += usable(context.get());
  for (const auto &[handle, stream] : streams.live())
    report.streams += usable(stream->context);
  for (const auto &[handle, event] : events.live())
    report.events += usable(event->context);
  for (const auto &[handle, module] : modules.live())
    report.modules += usable(module->context);
  for (const auto &[pointer, buffer] : buffers) {
    report.deviceBuffers += usable(buffer.context);
    report.deviceBytes += usable(buffer.context) ? buffer.bytes : 0;
  }
  for (const auto &[pointer, range] : hostRanges)
    report.hostBuffers += usable(range.context);
  report.misuses = misuses_;
  report.pageableCopies = pageableCopies_;
  return report;
}

std::string World::callCounts() const {
  std::ostringstream text;
  for (const auto &[name, count] : calls_)
    text << name << ' ' << count << '\n';
  return text.str();
}

std::unique_ptr<Stream> World::makeStream(Context &context, unsigned flags) {
  return std::make_unique<Stream>(&context, flags, [this]() -> std::chrono::microseconds {
    if (settings.delayMicroseconds == 0)
      return std::chrono::microseconds(0);
    const std::lock_guard lock(delayMutex_);
    return std::chrono::microseconds(random_() % (settings.delayMicroseconds + 1));
  });
}

std::shared_ptr<Operation> World::enqueue(Context &context, Stream *stream, std::function<void()> work,
                                          std::vector<std::shared_ptr<Operation>> after) {
  // The null stream and the streams that were not made non-blocking wait for each other.
  const auto add = [&](const std::shared_ptr<Operation> &operation) {
    if (operation && !operation->finished())
      after.push_back(operation);
  };
  if (!stream) {
    for (const auto &[handle, other] : streams.live())
      if (other->context == &context && !(other->flags & CU_STREAM_NON_BLOCKING))
        add(other->queue.tail());
  } else if (!(stream->flags & CU_STREAM_NON_BLOCKING)) {
    add(context.legacy->queue.tail());
  }
  auto operation = std::make_shared<Operation>(std::move(after), [&context, work = std::move(work)] {
    if (context.sticky == 0 && work)
      work();
  });
  (stream ? *stream : *context.legacy).queue.add(operation);
  return operation;
}

std::vector<std::shared_ptr<Operation>> World::tails(const Context &context) const {
  std::vector<std::shared_ptr<Operation>> list;
  const auto add = [&](const Stream &stream) {
    if (auto tail = stream.queue.tail())
      list.push_back(std::move(tail));
  };
  for (const auto &[handle, stream] : streams.live())
    if (stream->context == &context)
      add(*stream);
  if (context.legacy)
    add(*context.legacy);
  return list;
}

void World::waitFor(std::unique_lock<std::mutex> &lock, const std::vector<std::shared_ptr<Operation>> &operations) {
  lock.unlock();
  for (const auto &operation : operations)
    operation->wait();
  lock.lock();
}

void World::destroyContext(Context &context) {
  const auto belongs = [&](const auto &object) { return object.context == &context; };
  events.killIf(belongs, [](Event &event) { event.record.reset(); });
  functions.killIf([&](const Function &function) { return function.module->context == &context; }, [](Function &) {});
  modules.killIf(belongs, unloadModule);
  for (auto buffer = buffers.begin(); buffer != buffers.end();)
    buffer = buffer->second.context == &context ? releaseBuffer(*this, buffer) : std::next(buffer);
  std::erase_if(hostRanges, [&](const auto &entry) {
    if (entry.second.context == &context && !entry.second.registered)
      releaseHostRange(entry.first, entry.second);
    return entry.second.context == &context;
  });
  streams.killIf(belongs, [](Stream &stream) { stream.queue.close(); });
  context.legacy.reset();
  context.alive = false;
  contexts.kill(&context, [](Context &) {});
}

namespace {

std::atomic<World *> current{nullptr};

World &makeWorld(Settings settings) {
  // Never freed: threads of an earlier one may still look at it.
  static std::vector<World *> &worlds = *new std::vector<World *>;
  World *const made = worlds.emplace_back(new World(std::move(settings)));
  current.store(made);
  return *made;
}

/// What the end of the process says. A driver is loaded last, so this runs after the program's own ends.
struct AtExit {
  ~AtExit() {
    World *const last = current.load();
    if (!last)
      return;
    const std::lock_guard lock(last->mutex);
    const DoubleReport report = last->report();
    std::ostringstream text;
    text << "CUDA double at exit: " << report.contexts << " contexts, " << report.streams << " streams, " << report.events
         << " events, " << report.modules << " modules, " << report.deviceBuffers << " device buffers (" << report.deviceBytes
         << " bytes), " << report.hostBuffers << " pinned host buffers left; " << report.misuses << " misuses";
    last->log(text.str());
    if (report.contexts + report.streams + report.events + report.modules + report.deviceBuffers + report.hostBuffers +
            report.misuses >
        0)
      std::fprintf(stderr, "%s\n", text.str().c_str());
    last->initialised = false;
  }
} atExit;

std::string &lastText() {
  static std::string text;
  return text;
}

} // namespace

World &world() {
  if (World *const made = current.load())
    return *made;
  static std::mutex making;
  const std::lock_guard lock(making);
  if (World *const made = current.load())
    return *made;
  try {
    return makeWorld(settingsFromEnvironment());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what()); // a test with a slip in its settings must not pass by chance
    std::abort();
  }
}

bool isSticky(int result) {
  switch (result) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
    return true;
  default:
    return false;
  }
}

std::vector<Context *> &contextStack() {
  static thread_local std::vector<Context *> stack;
  return stack;
}

bool &insideHostFunction() {
  static thread_local bool inside = false;
  return inside;
}

} // namespace doubles

extern "C" __attribute__((visibility("default"))) const char *cudaDoubleConfigure(const char *settings) {
  using namespace doubles;
  try {
    World &before = world();
    {
      std::unique_lock lock(before.mutex);
      for (const auto &[handle, context] : before.contexts.live())
        World::waitFor(lock, before.tails(*context));
    }
    makeWorld(parseSettings(settings));
    contextStack().clear();
    return nullptr;
  } catch (const std::exception &error) {
    lastText() = error.what();
    return lastText().c_str();
  }
}

extern "C" __attribute__((visibility("default"))) void cudaDoubleReport(DoubleReport *report) {
  doubles::World &world = doubles::world();
  const std::lock_guard lock(world.mutex);
  *report = world.report();
}

extern "C" __attribute__((visibility("default"))) const char *cudaDoubleCalls() {
  doubles::World &world = doubles::world();
  const std::lock_guard lock(world.mutex);
  doubles::lastText() = world.callCounts();
  return doubles::lastText().c_str();
}

extern "C" __attribute__((visibility("default"))) const char *cudaDoubleTwinFile(const char *ptx) {
  doubles::lastText() = doubles::twinFileName(ptx);
  return doubles::lastText().c_str();
}
