// StreamMAP runtime: one task's body on the calling thread.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/run_body.h"

#include <cxxabi.h>

#include <algorithm>
#include <complex>

#include "exec/current_task.h"
#include "exec/exception_text.h"
#include "exec/float_mode.h"
#include "exec/local_pack.h"
#include "exec/openmp.h"
#include "exec/reduction.h"

namespace streamap {
namespace {

/// Points the pack to where this rank's copies are.
void translate(LocalPack &pack, const streamap_task &task, Mirror &mirror) {
  if (mirror.kind() == Mirror::Kind::Home)
    return;
  for (std::uint32_t i = 0; i < task.nparams; ++i)
    if (const auto &param = task.params[i]; param.is_pointer) {
      void *const address = reinterpret_cast<void *>(pack.pointer(param)); // NOLINT(performance-no-int-to-ptr)
      pack.setPointer(param, mirror.translate(address));
    }
}

/// Points the pack at the partials of one block and fills them with the identity.
void beginBlock(const RunOrder &order, std::int64_t block, LocalPack &pack, Mirror &mirror) {
  for (const auto &part : order.reductions) {
    std::byte *const partial = mirror.at(part.partials) + static_cast<std::uint64_t>(block) * part.stride;
    fillIdentity(partial, part.elements, part.op, part.scalar);
    pack.setPointer(order.pack->task->params[part.param], partial - part.offset);
  }
}

void runBlocks(const RunOrder &order, TaskScope &scope, LocalPack &pack, Mirror &mirror) {
  const streamap_task &task = *order.pack->task;
  const auto body = task.base ? task.base->body : task.body;
  forEachBlock(order.shape, scope, [&](std::int64_t block) {
    beginBlock(order, block, pack, mirror);
    body(pack.data());
  });
}

Result<void> preparePartials(const RunOrder &order, Mirror &mirror) {
  for (const auto &part : order.reductions) {
    const std::uint64_t bytes = part.stride * static_cast<std::uint64_t>(std::max<std::int64_t>(order.shape.blocks, 1));
    if (auto ready =
            mirror.prepare({part.partials, part.partials + std::max<std::uint64_t>(bytes, sizeof(std::complex<double>))});
        !ready)
      return ready;
  }
  return {};
}

} // namespace

std::optional<std::string> runBody(const RunOrder &order, Mirror &mirror) {
  if (auto ready = preparePartials(order, mirror); !ready)
    return ready.error().message;
  LocalPack pack(*order.pack);
  translate(pack, *order.pack->task, mirror);
  const std::uint32_t modeBefore = floatMode();
  setFloatMode(order.pack->floatMode);
  setTeamSize(order.cores);
  std::optional<std::string> wrong;
  {
    TaskScope scope(order.task, order.shape);
    try {
      runBlocks(order, scope, pack, mirror);
    } catch (abi::__forced_unwind &) { // pthread_exit or cancellation: must go on
      throw;
    } catch (...) {
      wrong = describeException();
    }
  }
  setFloatMode(modeBefore);
  return wrong;
}

} // namespace streamap
