// StreamMAP runtime: which bytes of home lie where on one rank, when it has devices.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/residency.h"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace streamap {

// ---- Segments
// ---------------------------------------------------------------------------------------------------------------------

SegmentId Residency::add(int device, ByteRun run, DevicePointer address, DevicePointer block) {
  assert(device >= 0 && run.lo < run.hi);
  const SegmentId id{++lastId_};
  Segment &segment = segments_[id.value];
  segment.device = device;
  segment.run = run;
  segment.address = address;
  segment.block = block;
  segment.lastUse = ++uses_;
  return id;
}

std::uint64_t Residency::heldBytes(SegmentId id, ByteRun run) const {
  std::uint64_t bytes = 0;
  pieces_.forEachIn(run, [&](ByteRun part, const Holders &holders) { bytes += holders.has(id) ? part.bytes() : 0; });
  return bytes;
}

std::optional<SegmentId> Residency::covering(int device, ByteRun run) const {
  std::optional<SegmentId> best;
  std::tuple<std::uint64_t, std::uint64_t> bestRank;
  for (const auto &[number, segment] : segments_) {
    if (segment.device != device || segment.run.lo > run.lo || segment.run.hi < run.hi)
      continue;
    const std::tuple rank{heldBytes(SegmentId{number}, run), UINT64_MAX - segment.run.bytes()};
    if (!best || rank > bestRank) {
      best = SegmentId{number};
      bestRank = rank;
    }
  }
  return best;
}

void Residency::pin(SegmentId id) {
  if (id == onHost)
    return;
  Segment &segment = segments_.at(id.value);
  ++segment.pins;
  segment.lastUse = ++uses_;
}

void Residency::unpin(SegmentId id) {
  if (id == onHost)
    return;
  Segment &segment = segments_.at(id.value);
  assert(segment.pins > 0);
  --segment.pins;
}

void Residency::remove(SegmentId id) {
  const Segment &segment = segments_.at(id.value);
  assert(segment.pins == 0 && onlyIn(id, segment).empty());
  const ByteRun run = segment.run;
  pieces_.editCovered(run, [&](ByteRun, Holders &holders) {
    for (std::uint32_t k = holders.ids.size(); k-- > 0;)
      if (holders.ids[k] == id)
        holders.ids.eraseUnordered(k);
  });
  segments_.erase(id.value);
  tidy(run);
}

RunSet Residency::removeAll(int device) {
  RunSet lost;
  for (auto at = segments_.begin(); at != segments_.end();) {
    if (at->second.device != device) {
      ++at;
      continue;
    }
    const SegmentId id{at->first};
    for (const ByteRun run : onlyIn(id, at->second)) {
      lost.push_back(run);
      hostOnly(run);
    }
    at->second.pins = 0;
    ++at;
    remove(id);
  }
  normalise(lost);
  return lost;
}

bool Residency::anyPinned(int device, std::span<const SegmentId> besides) const {
  return std::any_of(segments_.begin(), segments_.end(), [&](const auto &entry) {
    const auto ours = static_cast<std::uint32_t>(std::count(besides.begin(), besides.end(), SegmentId{entry.first}));
    return entry.second.device == device && entry.second.pins > ours;
  });
}

// ---- Bytes
// ------------------------------------------------------------------------------------------------------------------------

bool Residency::holds(SegmentId id, ByteRun run) const {
  return missing(id, {&run, 1}).empty();
}

RunSet Residency::missing(SegmentId id, std::span<const ByteRun> runs) const {
  RunSet parts;
  for (const ByteRun run : runs)
    pieces_.forEachIn(
        run,
        [&](ByteRun part, const Holders &holders) {
          if (!holders.has(id))
            parts.push_back(part);
        },
        [&](ByteRun gap) {
          if (id != onHost)
            parts.push_back(gap);
        });
  normalise(parts);
  return parts;
}

SegmentId Residency::best(const Holders &holders, int device) const {
  const auto rank = [&](SegmentId id) {
    const int at = deviceOf(id);
    return std::tuple{at == device ? 0 : id == onHost ? 1 : 2, id};
  };
  SegmentId found = holders.ids[0];
  for (const SegmentId id : holders.ids)
    if (rank(id) < rank(found))
      found = id;
  return found;
}

std::vector<Residency::Source> Residency::sources(SegmentId id, std::span<const ByteRun> runs) const {
  std::vector<Source> found;
  const auto add = [&](ByteRun run, SegmentId from) {
    if (!found.empty() && found.back().from == from && found.back().run.hi == run.lo)
      found.back().run.hi = run.hi;
    else
      found.push_back({run, from});
  };
  const int device = deviceOf(id);
  for (const ByteRun run : missing(id, runs))
    pieces_.forEachIn(
        run, [&](ByteRun part, const Holders &holders) { add(part, best(holders, device)); },
        [&](ByteRun gap) { add(gap, onHost); });
  return found;
}

void Residency::copied(SegmentId to, ByteRun run) {
  pieces_.edit(run, [&](ByteRun, Holders &holders) {
    if (!holders.has(to))
      holders.ids.push_back(to);
    std::sort(holders.ids.begin(), holders.ids.end()); // so that neighbours compare equal
  });
  tidy(run);
}

void Residency::wrote(SegmentId by, ByteRun run) {
  if (by == onHost)
    return pieces_.erase(run);
  Holders only;
  only.ids[0] = by;
  pieces_.assign(run, only);
  tidy(run);
}

void Residency::tidy(ByteRun run) {
  pieces_.mergeIn(run);
  std::vector<ByteRun> plain;
  pieces_.forEachIn(run, [&](ByteRun part, const Holders &holders) {
    if (holders.isHostOnly())
      plain.push_back(part);
  });
  for (const ByteRun part : plain)
    pieces_.erase(part);
}

// ---- Making room
// ------------------------------------------------------------------------------------------------------------------

RunSet Residency::onlyIn(SegmentId id, const Segment &segment) const {
  RunSet runs;
  pieces_.forEachIn(segment.run, [&](ByteRun part, const Holders &holders) {
    if (holders.ids.size() == 1 && holders.ids[0] == id)
      runs.push_back(part);
  });
  normalise(runs);
  return runs;
}

std::optional<Residency::Victim> Residency::victim(int device) const {
  std::optional<Victim> found;
  std::tuple<bool, std::uint64_t> foundRank;
  for (const auto &[number, segment] : segments_) {
    if (segment.device != device || segment.pins > 0)
      continue;
    RunSet only = onlyIn(SegmentId{number}, segment);
    const std::tuple rank{!only.empty(), segment.lastUse};
    if (!found || rank < foundRank) {
      found = Victim{SegmentId{number}, std::move(only)};
      foundRank = rank;
    }
  }
  return found;
}

} // namespace streamap
