// StreamMAP runtime: one task's body on the calling thread.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/run_body.h"

#include <cxxabi.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <exception>
#include <memory>
#include <new>

#include "abi/base_task.h"
#include "exec/current_task.h"
#include "exec/float_mode.h"
#include "exec/openmp.h"
#include "exec/reduction.h"

namespace streamap {
namespace {

/// A pack of our own, aligned for any type that a parameter may have, with local addresses in it.
class LocalPack {
public:
  LocalPack(const LaunchPack &pack, Mirror &mirror) {
    const std::size_t size = pack.bytes.size();
    if (size > sizeof small_) {
      large_.reset(static_cast<std::byte *>(::operator new(size, std::align_val_t{alignment})));
      bytes_ = large_.get();
    }
    if (size > 0)
      std::memcpy(bytes_, pack.bytes.data(), size);
    if (mirror.kind() == Mirror::Kind::Home)
      return;
    for (std::uint32_t i = 0; i < pack.task->nparams; ++i)
      if (const auto &param = pack.task->params[i]; param.is_pointer) {
        void *address = nullptr;
        std::memcpy(&address, bytes_ + param.offset, sizeof address);
        setPointer(param, mirror.translate(address));
      }
  }

  void setPointer(const streamap_param &param, const void *address) {
    std::memcpy(bytes_ + param.offset, &address, sizeof address);
  }

  const void *data() const { return bytes_; }

private:
  static constexpr std::size_t alignment = 64;
  struct AlignedDelete {
    void operator()(std::byte *bytes) const { ::operator delete(bytes, std::align_val_t{alignment}); }
  };
  alignas(alignment) std::byte small_[448];
  std::unique_ptr<std::byte, AlignedDelete> large_;
  std::byte *bytes_ = small_;
};

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
  const streamap_task *const base = baseOf(task);
  const auto body = base ? base->body : task.body;
  const TaskShape &shape = order.shape;
  if (shape.blocks <= 1) {
    beginBlock(order, 0, pack, mirror);
    return body(pack.data());
  }
  for (std::int64_t block = 0; block < shape.blocks; ++block) {
    // Distances are unsigned: a range may be wider than INT64_MAX.
    const std::uint64_t done = static_cast<std::uint64_t>(block) * static_cast<std::uint64_t>(shape.blockLength);
    const std::uint64_t left = static_cast<std::uint64_t>(shape.hi) - static_cast<std::uint64_t>(shape.lo) - done;
    const std::int64_t lo = static_cast<std::int64_t>(static_cast<std::uint64_t>(shape.lo) + done);
    const std::uint64_t length = std::min(left, static_cast<std::uint64_t>(shape.blockLength));
    scope.setChunk(lo, static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + length));
    beginBlock(order, block, pack, mirror);
    body(pack.data());
  }
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

std::string describeException() {
  const std::type_info *const type = abi::__cxa_current_exception_type();
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, &status) : nullptr, &std::free);
  std::string text = std::string("an exception of type ") + (name ? name.get() : "unknown") + " left it";
  try {
    throw;
  } catch (const std::exception &e) {
    text += std::string(": ") + e.what();
  } catch (...) { // no text to add
  }
  return text;
}

} // namespace

std::optional<std::string> runBody(const RunOrder &order, Mirror &mirror) {
  if (auto ready = preparePartials(order, mirror); !ready)
    return ready.error().message;
  LocalPack pack(*order.pack, mirror);
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
