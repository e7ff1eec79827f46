// StreamMAP runtime: values over disjoint byte intervals.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <utility>

#include "base/ids.h"
#include "base/node_pool.h"

namespace streamap {

/// An ordered map of disjoint, non-empty byte intervals ("pieces"), each with a value. Finding a piece is O(log pieces). Pieces
/// are split where an operation begins or ends inside one; equal neighbours are joined only when asked (mergeIn). Not
/// thread-safe.
template <class Value> class IntervalMap {
public:
  IntervalMap() : pieces(std::less<HomeAddress>(), NodeAllocator<typename Map::value_type>(pool)) {}
  IntervalMap(const IntervalMap &) = delete;
  IntervalMap &operator=(const IntervalMap &) = delete;

  std::size_t size() const noexcept { return pieces.size(); }
  bool empty() const noexcept { return pieces.empty(); }
  void clear() noexcept { pieces.clear(); }

  /// Calls \p visit(ByteRun, const Value&) for every piece that overlaps \p run, clipped to it, in ascending order.
  template <class Visit> void forEachIn(ByteRun run, Visit visit) const {
    for (auto at = firstBehind(run.lo); at != pieces.end() && at->first < run.hi; ++at)
      visit(ByteRun{std::max(at->first, run.lo), std::min(at->second.hi, run.hi)}, at->second.value);
  }

  /// Like forEachIn, and calls \p gap(ByteRun) for the parts of \p run that no piece covers.
  template <class Visit, class Gap> void forEachIn(ByteRun run, Visit visit, Gap gap) const {
    HomeAddress from = run.lo;
    forEachIn(run, [&](ByteRun part, const Value &value) {
      if (from < part.lo)
        gap(ByteRun{from, part.lo});
      visit(part, value);
      from = part.hi;
    });
    if (from < run.hi)
      gap(ByteRun{from, run.hi});
  }

  /// Calls \p visit(ByteRun, const Value&) for all pieces.
  template <class Visit> void forEach(Visit visit) const {
    for (const auto &[lo, piece] : pieces)
      visit(ByteRun{lo, piece.hi}, piece.value);
  }

  /// Calls \p edit(ByteRun, Value&) so that the calls cover exactly \p run: pieces are split at its ends, gaps become new pieces
  /// with the value Value{}.
  template <class Edit> void edit(ByteRun run, Edit edit) {
    editExisting(run, edit, [&](auto where, ByteRun gap) {
      edit(gap, pieces.emplace_hint(where, gap.lo, Piece{gap.hi, {}})->second.value);
    });
  }

  /// Like edit, without filling gaps.
  template <class Edit> void editCovered(ByteRun run, Edit edit) {
    editExisting(run, edit, [](auto, ByteRun) {});
  }

  /// Makes \p run one piece with \p value, whatever was there.
  void assign(ByteRun run, Value value) {
    if (run.lo >= run.hi)
      return;
    auto at = splitAt(run.lo);
    if (at != pieces.end() && at->first == run.lo) {
      if (at->second.hi > run.hi)
        splitWithin(at, run.hi);
      auto rest = std::next(at);
      at->second.value = std::move(value);
      if (at->second.hi < run.hi) {
        rest = eraseUpTo(rest, run.hi);
        at->second.hi = run.hi;
      }
      return;
    }
    at = eraseUpTo(at, run.hi);
    pieces.emplace_hint(at, run.lo, Piece{run.hi, std::move(value)});
  }

  /// Leaves nothing in \p run.
  void erase(ByteRun run) {
    if (run.lo < run.hi)
      eraseUpTo(splitAt(run.lo), run.hi);
  }

  /// Removes the pieces for which \p condemned(ByteRun, Value&) is true. Visits all.
  template <class Condemned> void eraseIf(Condemned condemned) {
    for (auto at = pieces.begin(); at != pieces.end();)
      at = condemned(ByteRun{at->first, at->second.hi}, at->second.value) ? pieces.erase(at) : std::next(at);
  }

  /// Joins pieces that touch and have equal values, from the piece before \p run to the one behind it.
  void mergeIn(ByteRun run) {
    auto at = firstBehind(run.lo);
    if (at != pieces.begin())
      --at;
    while (at != pieces.end() && at->first <= run.hi) {
      auto next = std::next(at);
      if (next == pieces.end())
        return;
      if (next->first == at->second.hi && next->first <= run.hi && at->second.value == next->second.value) {
        at->second.hi = next->second.hi;
        pieces.erase(next);
      } else {
        at = next;
      }
    }
  }

private:
  struct Piece {
    HomeAddress hi;
    Value value;
  };
  using Map = std::map<HomeAddress, Piece, std::less<HomeAddress>, NodeAllocator<std::pair<const HomeAddress, Piece>>>;
  using Iterator = typename Map::iterator;

  /// The first piece that ends behind \p address.
  template <class M> static auto firstBehindIn(M &map, HomeAddress address) {
    auto at = map.upper_bound(address);
    if (at != map.begin()) {
      auto before = std::prev(at);
      if (before->second.hi > address)
        return before;
    }
    return at;
  }
  auto firstBehind(HomeAddress address) { return firstBehindIn(pieces, address); }
  auto firstBehind(HomeAddress address) const { return firstBehindIn(pieces, address); }

  /// Cuts \p at at \p address, which lies inside it. \p at keeps the lower part.
  Iterator splitWithin(Iterator at, HomeAddress address) {
    assert(at->first < address && address < at->second.hi);
    HomeAddress hi = std::exchange(at->second.hi, address);
    return pieces.emplace_hint(std::next(at), address, Piece{hi, at->second.value});
  }

  /// The first piece at or behind \p address, after cutting one that \p address lies inside.
  Iterator splitAt(HomeAddress address) {
    Iterator at = firstBehind(address);
    return at != pieces.end() && at->first < address ? splitWithin(at, address) : at;
  }

  /// Erases from \p at, whose start is not cut, up to \p hi.
  Iterator eraseUpTo(Iterator at, HomeAddress hi) {
    while (at != pieces.end() && at->first < hi) {
      if (at->second.hi > hi) {
        Iterator rest = splitWithin(at, hi);
        pieces.erase(at);
        return rest;
      }
      at = pieces.erase(at);
    }
    return at;
  }

  template <class Edit, class Gap> void editExisting(ByteRun run, Edit &edit, Gap gap) {
    if (run.lo >= run.hi)
      return;
    Iterator at = splitAt(run.lo);
    HomeAddress from = run.lo;
    for (; at != pieces.end() && at->first < run.hi; ++at) {
      if (from < at->first)
        gap(at, ByteRun{from, at->first});
      if (at->second.hi > run.hi)
        splitWithin(at, run.hi);
      from = at->second.hi;
      edit(ByteRun{at->first, from}, at->second.value);
    }
    if (from < run.hi)
      gap(at, ByteRun{from, run.hi});
  }

  NodePool pool; ///< before pieces: it outlives them
  Map pieces;
};

} // namespace streamap
