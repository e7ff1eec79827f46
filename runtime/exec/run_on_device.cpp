// StreamMAP runtime: one G task on a device.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/run_on_device.h"

#include <cxxabi.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <vector>

#include "base/export.h"
#include "device/launch_shape.h"
#include "exec/exception_text.h"
#include "exec/float_mode.h"
#include "exec/local_pack.h"
#include "exec/monotonic.h"
#include "exec/reduction.h"
#include "graph/descriptor.h"

/// What a G thunk launches with. Lives on the lane's stack while the thunk runs.
struct streamap_device {
  streamap::Device &device;
  streamap::DeviceQueue queue;
  const streamap_images &images;
  const std::vector<streamap::DeviceFunction> &functions;
  std::optional<streamap::DeviceError> error; ///< the first one
  streamap::DevicePointer scratch{};          ///< of the task's kernels, once they have asked for it
};

namespace streamap {
namespace {

DeviceOutcome outcomeOf(const DeviceError &error) {
  std::string what = error.text.message;
  if (!error.text.hint.empty())
    what += "; " + error.text.hint;
  return {error.kind == DeviceErrorKind::Lost ? DeviceOutcome::Kind::Lost : DeviceOutcome::Kind::Failed, std::move(what)};
}

/// Partials of reductions begin as the identity; the host's copy of that is kept until it has been read.
class Identities {
public:
  DeviceResult<void> write(const RunOrder &order, Device &device, DeviceQueue queue, const DeviceLayout &layout,
                           const StagedTask &staged) {
    const std::int64_t blocks = std::max<std::int64_t>(order.shape.blocks, 1);
    for (const DevicePointerParam &pointer : layout.pointers) {
      if (pointer.reduction < 0)
        continue;
      const ReductionPart &part = order.reductions[static_cast<std::size_t>(pointer.reduction)];
      std::vector<std::byte> &bytes = buffers_.emplace_back(static_cast<std::size_t>(blocks) * part.stride);
      for (std::int64_t block = 0; block < blocks; ++block)
        fillIdentity(bytes.data() + static_cast<std::uint64_t>(block) * part.stride, part.elements, part.op, part.scalar);
      const DeviceStretch &stretch = layout.stretches[pointer.stretch];
      const DevicePointer to = staged.addresses[pointer.stretch] + (part.partials - stretch.hull.lo);
      if (auto queued = device.copyToDevice(queue, to, bytes.data(), {Bytes{bytes.size()}, 1, {}, {}}); !queued)
        return queued;
    }
    return {};
  }

private:
  std::vector<std::vector<std::byte>> buffers_;
};

/// Points the pack at the device's copies, and at the partials of one block.
void point(LocalPack &pack, const RunOrder &order, std::int64_t block, const DeviceLayout &layout, const StagedTask &staged) {
  const streamap_task &task = *order.pack->task;
  std::uint32_t count = 0;
  const streamap_param *const params = paramsOf(task, count);
  for (const DevicePointerParam &pointer : layout.pointers) {
    const streamap_param &param = params[pointer.param];
    // Modulo 2^64: a pointer may lie in front of its sections.
    const std::uint64_t moved = staged.addresses[pointer.stretch].value - layout.stretches[pointer.stretch].hull.lo;
    HomeAddress address = 0;
    if (pointer.reduction >= 0) {
      const ReductionPart &part = order.reductions[static_cast<std::size_t>(pointer.reduction)];
      address = part.partials + static_cast<std::uint64_t>(block) * part.stride - static_cast<std::uint64_t>(part.offset);
    } else {
      std::memcpy(&address, order.pack->bytes.data() + param.offset, sizeof address);
    }
    pack.setPointer(param, address + moved);
  }
}

/// Queues all that the task does. An exception of its host code comes through.
DeviceResult<void> enqueue(const RunOrder &order, streamap_device &context, const DeviceLayout &layout,
                           const StagedTask &staged) {
  LocalPack pack(*order.pack);
  TaskScope scope(order.task, order.shape);
  forEachBlock(order.shape, scope, [&](std::int64_t block) {
    point(pack, order, block, layout, staged);
    if (!context.error)
      context.images.run(pack.data(), &context);
  });
  if (context.error)
    return tl::unexpected<DeviceError>(std::move(*context.error));
  return {};
}

/// What is queued still uses the task's memory: whatever happens, it is waited for.
DeviceResult<void> enqueueAndWait(const RunOrder &order, streamap_device &context, const DeviceLane &lane,
                                  const DeviceLayout &layout, const StagedTask &staged) {
  Identities identities;
  DeviceResult<void> done = identities.write(order, context.device, lane.queue, layout, staged);
  std::optional<std::string> thrown;
  if (done) {
    const std::uint32_t modeBefore = floatMode();
    setFloatMode(order.pack->floatMode);
    try {
      done = enqueue(order, context, layout, staged);
    } catch (abi::__forced_unwind &) { // pthread_exit or cancellation: must go on
      throw;
    } catch (...) {
      thrown = describeException();
    }
    setFloatMode(modeBefore);
  }
  auto settled = context.device.record(lane.queue, lane.event);
  if (settled)
    settled = context.device.wait(lane.event);
  if (thrown)
    return deviceFailure(DeviceErrorKind::Other, *thrown);
  return done ? settled : done;
}

} // namespace

DeviceOutcome runOnDevice(const RunOrder &order, RankMemory &memory, int device, const DeviceLane &lane, DeviceGate &gate) {
  const streamap_images *const images = thunkOf(*order.pack->task, &streamap_task::images);
  assert(images && "a task without a G version is ordered to a device");
  const auto functions = memory.code(device).load(*images);
  if (!functions)
    return outcomeOf(functions.error());
  const DeviceLayout layout = layOut(order);
  const auto staged = memory.stage(device, lane, layout);
  if (!staged)
    return outcomeOf(staged.error());
  streamap_device context{memory.device(device), lane.queue, *images, **functions, std::nullopt};
  const DeviceGate::Pass pass(gate, order.share);
  const std::int64_t start = monotonicNs();
  auto done = enqueueAndWait(order, context, lane, layout, *staged);
  const std::int64_t end = monotonicNs();
  if (context.scratch.value != 0)
    if (auto freed = context.device.free(context.scratch); done && !freed)
      done = freed;
  if (done)
    memory.done(*staged);
  else
    memory.abandoned(*staged);
  return done ? DeviceOutcome{DeviceOutcome::Kind::Done, {}, start, end} : outcomeOf(done.error());
}

} // namespace streamap

using namespace streamap;

STREAMAP_EXPORT void streamap_device_launch(streamap_device *context, uint32_t number, uint64_t iterations,
                                            void *const *arguments) {
  if (context->error || iterations == 0)
    return;
  assert(number < context->images.nkernels);
  const streamap_kernel &kernel = context->images.kernels[number];
  assert(kernel.nargs <= STREAMAP_MAX_KERNEL_ARGS);
  KernelArgument given[STREAMAP_MAX_KERNEL_ARGS];
  for (std::uint32_t k = 0; k < kernel.nargs; ++k)
    given[k] = {arguments[k], kernel.argument_sizes[k]};
  if (auto launched =
          context->device.launch(context->queue, context->functions[number], shapeFor(kernel, iterations), {given, kernel.nargs});
      !launched)
    context->error = launched.error();
}

STREAMAP_EXPORT void *streamap_device_queue(streamap_device *context) {
  return context->device.nativeQueue(context->queue);
}

STREAMAP_EXPORT void *streamap_device_scratch(streamap_device *context) {
  const Bytes size{context->images.scratch};
  if (context->scratch.value == 0 && size.value != 0 && !context->error) {
    if (auto allocated = context->device.allocate(size); allocated)
      context->scratch = *allocated;
    else
      context->error = allocated.error();
  }
  return reinterpret_cast<void *>(context->scratch.value); // NOLINT(performance-no-int-to-ptr): an address of the device
}
