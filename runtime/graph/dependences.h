// StreamMAP runtime: which earlier tasks must have finished before a task may start.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/inline_vector.h"
#include "base/interval_map.h"
#include "graph/accesses.h"

namespace streamap {

/// An earlier, unfinished task.
struct Predecessor {
  EventId task;
  bool readsFrom = false; ///< bytes that it writes are read (read-after-write); otherwise only the order matters
};

/// For every byte in use: its last writer and the readers since. Program order is the order of the calls of add. Whether a task
/// has finished is asked of the caller by a function `bool finished(EventId)`; what concerns finished tasks alone is dropped on
/// the way, so the map stays as small as the work in hand. Not thread-safe.
class DependenceMap {
public:
  /// Records what \p task does, and appends the unfinished tasks that it must follow to \p out, each once.
  template <class Finished>
  void add(EventId task, std::span<const Access> accesses, const Finished &finished, std::vector<Predecessor> &out) {
    std::size_t first = out.size();
    for (const Access &access : accesses) {
      if (writes(access.mode))
        addWrite(task, access, finished, out);
      else
        addRead(task, access.run, finished, out);
    }
    deduplicate(out, first);
    if (entries.size() > sweepAt)
      sweep(finished);
  }

  /// Appends the unfinished tasks that write \p run, or, with \p readersToo, use it in any way; with repetitions.
  template <class Finished> void users(ByteRun run, bool readersToo, const Finished &finished, std::vector<EventId> &out) const {
    entries.forEachIn(run, [&](ByteRun, const Entry &entry) {
      if (!finished(entry.writer))
        out.push_back(entry.writer);
      if (readersToo)
        for (EventId reader : entry.readers)
          if (!finished(reader))
            out.push_back(reader);
    });
  }

  /// Pieces kept now, for tests.
  std::size_t size() const { return entries.size(); }

private:
  struct Entry {
    EventId writer = happened;
    InlineVector<EventId, 2> readers; ///< since that writer
  };

  template <class Finished> void addRead(EventId task, ByteRun run, const Finished &finished, std::vector<Predecessor> &out) {
    entries.edit(run, [&](ByteRun, Entry &entry) {
      if (finished(entry.writer))
        entry.writer = happened;
      else
        out.push_back({entry.writer, true});
      // Before the list grows, those that have finished leave it.
      if (entry.readers.size() >= 2 && (entry.readers.size() & (entry.readers.size() - 1)) == 0)
        dropFinished(entry.readers, finished);
      entry.readers.push_back(task);
    });
  }

  template <class Finished>
  void addWrite(EventId task, const Access &access, const Finished &finished, std::vector<Predecessor> &out) {
    entries.forEachIn(access.run, [&](ByteRun, const Entry &entry) {
      if (!finished(entry.writer))
        out.push_back({entry.writer, reads(access.mode)});
      for (EventId reader : entry.readers)
        if (!finished(reader))
          out.push_back({reader, false});
    });
    entries.assign(access.run, Entry{task, {}});
  }

  template <class Finished> static void dropFinished(InlineVector<EventId, 2> &list, const Finished &finished) {
    auto kept = std::remove_if(list.begin(), list.end(), finished);
    list.truncate(static_cast<std::uint32_t>(kept - list.begin()));
  }

  static void deduplicate(std::vector<Predecessor> &all, std::size_t first) {
    if (all.size() - first < 2)
      return;
    auto from = all.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(from, all.end(), [](Predecessor a, Predecessor b) { return a.task < b.task; });
    auto kept = from;
    for (auto at = from + 1; at != all.end(); ++at) {
      if (at->task == kept->task)
        kept->readsFrom |= at->readsFrom;
      else
        *++kept = *at;
    }
    all.erase(kept + 1, all.end());
  }

  template <class Finished> void sweep(const Finished &finished) {
    entries.eraseIf([&](ByteRun, Entry &entry) {
      dropFinished(entry.readers, finished);
      return entry.readers.empty() && finished(entry.writer);
    });
    sweepAt = std::max(smallest, 2 * entries.size());
  }

  static constexpr std::size_t smallest = 4096; ///< pieces below which nothing is swept
  std::size_t sweepAt = smallest;
  IntervalMap<Entry> entries;
};

} // namespace streamap
