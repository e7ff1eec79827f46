// StreamMAP runtime: which bytes must travel for a task, and from whom.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "head/transfers.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <tuple>

#include "head/state.h"

namespace streamap {

/// Makes the latest version of \p run valid on the rank of \p place for \p task: events to await there go to \p after, bytes to
/// send to \p groups.
void HeadState::fetch(ByteRun run, Place place, Task &task, std::vector<EventId> &after, TransferGroups &groups) {
  const Rank to = place.rank;
  directory.edit(run, asksDone(), [&](ByteRun part, Piece &piece) {
    if (piece.validAt(to)) {
      Copy *const here = piece.copyAt(to);
      if (!done(here->ready))
        after.push_back(here->ready);
      if (place.memory != hostMemory)
        here->memory = place.memory;
      return;
    }
    const Copy source = chooseSource(piece, to, groups);
    Copy *old = piece.copyAt(to);
    // Home alone compares hashes, by version; between other ranks bytes of all versions go in one order.
    bool byVersion = source.rank == headRank || to == headRank;
    TransferGroups::Group &group =
        groups.of(source.rank, byVersion ? piece.version : Version{}, old && source.rank == headRank ? old->version : Version{});
    SendOrder &order = group.order;
    if (order.transfer == happened) {
      order.transfer = log.add(&task, source.rank);
      order.to = {to, hostMemory};
      order.version = piece.version;
      order.receiverHas = old && source.rank == headRank ? old->version : Version{};
      ++outstandingSends[static_cast<std::size_t>(source.rank.value)];
    }
    if (!order.runs.empty() && order.runs.back().hi == part.lo)
      order.runs.back().hi = part.hi;
    else
      order.runs.push_back(part);
    if (!done(source.ready))
      order.after.push_back(source.ready);
    directory.forEachLeftReader(part, to, asksDone(), [&](EventId reader) {
      order.after.push_back(reader);
      tell(*log[reader].task, source.rank);
    });
    Copy fresh{to, done(source.ready) ? 1 : source.hops + 1, piece.version, order.transfer, place.memory};
    if (old) {
      *old = fresh;
    } else {
      piece.copies.push_back(fresh);
      std::sort(piece.copies.begin(), piece.copies.end(), [](const Copy &a, const Copy &b) { return a.rank < b.rank; });
    }
  });
}

/// The holder that can send soonest, as far as is known: few transfers queued there, and few on the way to it. So data that many
/// ranks want spreads like a tree.
Copy HeadState::chooseSource(const Piece &piece, Rank to, const TransferGroups &groups) const {
  auto cost = [&](const Copy &copy) {
    auto rank = static_cast<std::size_t>(copy.rank.value);
    bool ready = done(copy.ready);
    std::uint32_t queued = outstandingSends[rank];
    if (queued > 0 && groups.uses(copy.rank))
      --queued; // it travels in an order that is there already
    bool sameNode = setup.ranks[rank].node == setup.ranks[static_cast<std::size_t>(to.value)].node;
    return std::tuple(queued + (ready ? 0 : copy.hops), !ready, !sameNode, copy.rank);
  };
  const Copy *best = nullptr;
  for (const Copy &copy : piece.copies)
    if (piece.isValid(copy) && (!best || cost(copy) < cost(*best)))
      best = &copy;
  assert(best && "bytes that nobody holds");
  return *best;
}

/// Gives the planned orders out; \p task waits for them and knows them as its own. Returns the bytes that travel.
std::uint64_t HeadState::giveOut(TransferGroups &groups, Task &task) {
  std::uint64_t bytes = 0;
  for (TransferGroups::Group &group : groups.groups) {
    SendOrder &order = group.order;
    std::sort(order.after.begin(), order.after.end());
    order.after.erase(std::unique(order.after.begin(), order.after.end()), order.after.end());
    bytes += totalBytes(order.runs);
    task.transfers.push_back(order.transfer);
    setup.desk.send(group.source, std::move(order));
  }
  return bytes;
}

/// A transfer is known to have arrived.
void HeadState::transferDone(EventId transfer) {
  if (log.done(transfer))
    return;
  Rank sender = log[transfer].sender;
  --outstandingSends[static_cast<std::size_t>(sender.value)];
  if (sender == headRank)
    departed(transfer);
  log.setDone(transfer);
}

} // namespace streamap
