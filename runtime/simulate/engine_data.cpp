// StreamMAP simulator: data between ranks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cassert>
#include <tuple>

#include "simulate/engine.h"
#include "simulate/quantity.h"

namespace streamap::simulate {
namespace {

constexpr const char *lostData = "data that is still needed was only on a device or node that is lost";

} // namespace

/// One reference less; without any the version is gone from all memories.
void Engine::release(std::uint32_t number) {
  DataVersion &version = versions[number];
  if (--version.references > 0)
    return;
  for (RankCopy &copy : version.copies)
    dropFromDevices(number, copy);
  versions.give(number);
}

/// What devices have of it is worth nothing any more.
void Engine::dropFromDevices(std::uint32_t number, RankCopy &copy) {
  for (std::uint64_t left = copy.memories & ~bitOf(hostMemory); left != 0; left &= left - 1) {
    const MemoryIndex memory{static_cast<std::uint16_t>(std::countr_zero(left))};
    DeviceMemory &device = *state(table.find({copy.rank, memory})).memory;
    device.drop(versions[number].datum);
  }
  copy.memories &= bitOf(hostMemory);
}

/// Makes sure that \p to has the version or will have it, \p onHost: in its host's memory. Returns the transfer to wait for, or
/// nothing.
std::uint32_t Engine::requestCopy(std::uint32_t number, Rank to, bool onHost) {
  DataVersion &version = versions[number];
  RankCopy *const here = version.at(to);
  if (here && here->arriving != nothing)
    return here->arriving;
  const bool willBeThere = here && (here->memories != 0 || version.writer != nothing);
  if (willBeThere && (!onHost || (here->memories & bitOf(hostMemory)) != 0))
    return nothing;
  const RankCopy *const source = willBeThere ? here : chooseSource(version, to);
  if (!source) {
    stop(lostData);
    return nothing;
  }
  std::uint32_t index = 0;
  if (idleTransfers.empty()) {
    index = static_cast<std::uint32_t>(transfers.size());
    transfers.emplace_back();
  } else {
    index = idleTransfers.back();
    idleTransfers.pop_back();
  }
  Transfer &transfer = transfers[index];
  transfer.forMain = false;
  transfer.waiters.clear();
  transfer.next.clear();
  transfer.version = number;
  transfer.from = source->rank;
  transfer.to = to;
  transfer.notBefore = network.tell(headRank, source->rank, now);
  ++version.references;
  ++outstanding[static_cast<std::size_t>(source->rank.value)];
  const std::uint32_t hops = source->hops + 1, arriving = source->arriving;
  const bool exists = source->memories != 0;
  if (!here) {
    RankCopy copy;
    copy.rank = to;
    copy.hops = hops;
    copy.arriving = index;
    copy.planned = bitOf(hostMemory);
    version.copies.push_back(copy);
  } else if (!willBeThere) {
    here->arriving = index;
    here->planned |= bitOf(hostMemory);
  }
  if (arriving != nothing)
    transfers[arriving].next.push_back(index);
  else if (exists)
    startTransfer(index);
  else
    live(indexOf(version.writer)).outgoing.push_back(index);
  return index;
}

/// The holder that can send soonest, as the head sees it: few transfers queued there, and few on the way to it. So data that many
/// ranks want spreads like a tree.
RankCopy *Engine::chooseSource(DataVersion &version, Rank to) {
  RankCopy *best = nullptr;
  const auto cost = [&](const RankCopy &copy) {
    const bool ready = copy.arriving == nothing && version.writer == nothing;
    return std::tuple(outstanding[static_cast<std::size_t>(copy.rank.value)] + (ready ? 0 : copy.hops), !ready, copy.rank != to,
                      copy.rank);
  };
  for (RankCopy &copy : version.copies) {
    if (copy.memories == 0 && copy.arriving == nothing && version.writer == nothing)
      continue;
    if (!best || cost(copy) < cost(*best))
      best = &copy;
  }
  return best;
}

void Engine::startTransfer(std::uint32_t index) {
  Transfer &transfer = transfers[index];
  DataVersion &version = versions[transfer.version];
  RankCopy *source = version.at(transfer.from);
  if (!source || source->memories == 0) { // lost, or the writer has gone elsewhere: who has it now?
    source = nullptr;
    for (RankCopy &copy : version.copies)
      if (copy.memories != 0)
        source = &copy;
    if (!source)
      return stop(lostData);
    --outstanding[static_cast<std::size_t>(transfer.from.value)];
    transfer.from = source->rank;
    ++outstanding[static_cast<std::size_t>(transfer.from.value)];
  }
  const Seconds from = bringToHost(version, transfer.from, std::max(now, transfer.notBefore));
  const Seconds there =
      network.move(program.bytesOf(version.datum), {transfer.from, hostMemory}, {transfer.to, hostMemory}, from);
  events.add(there, EventKind::TransferArrives, index);
}

/// When the host of \p rank, which has a copy, has it in its own memory. A copy that is brought counts at once: who asks next
/// would not bring it again.
Seconds Engine::bringToHost(DataVersion &version, Rank rank, Seconds from) {
  RankCopy &copy = *version.at(rank);
  if ((copy.memories & bitOf(hostMemory)) != 0)
    return from;
  const MemoryIndex memory{static_cast<std::uint16_t>(std::countr_zero(copy.memories))};
  copy.memories |= bitOf(hostMemory);
  copy.planned |= bitOf(hostMemory);
  return network.move(program.bytesOf(version.datum), {rank, memory}, {rank, hostMemory}, from);
}

void Engine::transferArrives(std::uint32_t index) {
  // Nothing below refers to the transfer after its place may have been used again.
  const Transfer transfer = std::move(transfers[index]);
  idleTransfers.push_back(index);
  --outstanding[static_cast<std::size_t>(transfer.from.value)];
  DataVersion &version = versions[transfer.version];
  if (RankCopy *const copy = version.at(transfer.to)) {
    if (copy->arriving == index) {
      copy->arriving = nothing;
      copy->hops = 0;
    }
    copy->memories |= bitOf(hostMemory);
  }
  for (const std::uint32_t next : transfer.next)
    startTransfer(next);
  for (const Waiter waiter : transfer.waiters)
    if (live(waiter.task).life == waiter.life)
      oneLess(waiter.task);
  release(transfer.version);
  if (transfer.forMain) {
    --homeTransfers;
    mainWasWaiting();
  }
}

} // namespace streamap::simulate
