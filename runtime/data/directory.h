// StreamMAP runtime: which memory holds which version of which bytes.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directory is as of the tasks that have been placed: a copy may be valid only once its event has happened. Bytes that no
// piece covers are at home, in the version `original`, and nowhere else. With a single memory there is no directory at all.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/inline_vector.h"
#include "base/interval_map.h"

namespace streamap {

/// What bytes are before the first task has touched them.
inline constexpr Version originalVersion{1};

/// One rank's bytes. If the version is older than the piece's, they are worth knowing only because home may prove that nothing
/// has changed since (SendOrder::receiverHas).
struct Copy {
  Rank rank;
  std::uint32_t hops = 0; ///< transfers behind each other until it is there, while they are not known to be done
  Version version;
  EventId ready = happened; ///< the write or transfer that makes it
  MemoryIndex memory;       ///< of the rank's, the one where they were written or read last; a hint for placement, no more
  friend bool operator==(const Copy &, const Copy &) = default;
};

/// The state of a run of bytes.
struct Piece {
  Version version = originalVersion;
  InlineVector<Copy, 2> copies;

  /// At home only.
  Piece() { copies.push_back({headRank, 0, originalVersion, happened}); }

  Copy *copyAt(Rank rank) {
    for (Copy &copy : copies)
      if (copy.rank == rank)
        return &copy;
    return nullptr;
  }
  const Copy *copyAt(Rank rank) const { return const_cast<Piece *>(this)->copyAt(rank); }
  bool isValid(const Copy &copy) const { return copy.version == version; }
  const Copy *validAt(Rank rank) const {
    const Copy *copy = copyAt(rank);
    return copy && isValid(*copy) ? copy : nullptr;
  }
  friend bool operator==(const Piece &a, const Piece &b) { return a.version == b.version && a.copies == b.copies; }
};

/// A task that still needs an old version in the memory of \p rank (its own, or one that sends to it) although main has been
/// given the bytes back.
struct LeftReader {
  Rank rank;
  EventId task;
};

/// Not thread-safe. Functions named `done` say whether an event is known to have happened.
class Directory {
public:
  /// Calls \p visit(ByteRun, const Piece&) so that the calls cover \p run.
  template <class Visit> void look(ByteRun run, Visit visit) const {
    static const Piece untouched;
    pieces.forEachIn(run, visit, [&](ByteRun gap) { visit(gap, untouched); });
  }

  /// Calls \p edit(ByteRun, Piece&) so that the calls cover \p run, then joins what has become equal. Copies known to be there
  /// are normalised first, so that neighbours can become equal.
  template <class Done, class Edit> void edit(ByteRun run, const Done &done, Edit edit) {
    pieces.edit(run, [&](ByteRun part, Piece &piece) {
      for (Copy &copy : piece.copies)
        if (copy.ready != happened && done(copy.ready)) {
          copy.ready = happened;
          copy.hops = 0;
        }
      edit(part, piece);
    });
    pieces.mergeIn(run);
  }

  /// \p run is written by the task \p writer in \p place: from then on only that copy is valid.
  template <class Done> void wrote(ByteRun run, Place place, Version version, EventId writer, const Done &done) {
    edit(run, done, [&](ByteRun, Piece &piece) { overwrite(piece, place, version, writer); });
  }

  /// All of \p run is at home and main's from now on: whatever it becomes is called \p version.
  template <class Done> void returned(ByteRun run, Version version, const Done &done) {
    edit(run, done, [&](ByteRun, Piece &piece) { overwrite(piece, home, version, happened); });
  }

  /// Drops the pieces that only home holds. What other ranks still had of older versions is lost with them, no more.
  template <class Done> void prune(const Done &done) {
    pieces.eraseIf([&](ByteRun, Piece &piece) {
      bool elsewhere = false, atHome = false;
      for (const Copy &copy : piece.copies)
        if (piece.isValid(copy))
          (copy.rank == headRank && done(copy.ready) ? atHome : elsewhere) = true;
      return atHome && !elsewhere;
    });
  }

  /// Nothing about \p run is of value any more.
  void forget(ByteRun run) { pieces.erase(run); }

  /// \p task goes on needing \p run in the memory of \p rank although the bytes have been returned.
  void leaveReader(ByteRun run, Rank rank, EventId task) {
    leftReaders.edit(run, [&](ByteRun, LeftReaders &readers) { readers.push_back({rank, task}); });
  }

  /// Calls \p visit(EventId) for the readers left on \p rank in \p run that may not be done: before the bytes there are
  /// overwritten, they must be.
  template <class Done, class Visit> void forEachLeftReader(ByteRun run, Rank rank, const Done &done, Visit visit) {
    if (leftReaders.empty())
      return;
    bool stale = false;
    leftReaders.forEachIn(run, [&](ByteRun, const LeftReaders &readers) {
      for (LeftReader reader : readers) {
        if (done(reader.task))
          stale = true;
        else if (reader.rank == rank)
          visit(reader.task);
      }
    });
    if (stale)
      dropLeftReaders(done);
  }

  /// Pieces kept now, for tests.
  std::size_t size() const { return pieces.size(); }

private:
  using LeftReaders = InlineVector<LeftReader, 2>;

  static void overwrite(Piece &piece, Place place, Version version, EventId writer);

  template <class Done> void dropLeftReaders(const Done &done) {
    leftReaders.eraseIf([&](ByteRun, LeftReaders &readers) {
      for (std::uint32_t k = readers.size(); k-- > 0;)
        if (done(readers[k].task))
          readers.eraseUnordered(k);
      return readers.empty();
    });
  }

  IntervalMap<Piece> pieces;
  IntervalMap<LeftReaders> leftReaders;
};

} // namespace streamap
