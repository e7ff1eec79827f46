// StreamMAP runtime: sections of the C ABI -> byte runs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/sections.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/export.h"

namespace streamap {
namespace {

__extension__ using Wide = __int128;

/// Products of two 64-bit numbers are below 2^126. What exceeds this bound is beyond every address anyway, and sums of a few
/// values below it cannot overflow.
constexpr Wide wideLimit = Wide{1} << 120;

constexpr std::uint32_t maxAxes = 16;

/// Elements [lo, hi) of one axis.
struct Interval {
  std::int64_t lo = 0, hi = 0;
  bool empty() const { return lo >= hi; }
};

bool moves(const streamap_axis &axis) {
  return axis.lower_step != 0 || axis.length_step != 0;
}

/// Builds the runs of one section into the sink's `box`.
class SectionBuilder {
public:
  SectionBuilder(streamap_sink &into, const void *base, std::span<const streamap_axis> all)
      : sink(into), baseAddress(reinterpret_cast<std::uintptr_t>(base)), axes(all) {}

  SectionFault build() {
    sink.box.clear();
    auto moving = std::count_if(axes.begin(), axes.end(), moves);
    if (moving == 0)
      buildBoxes(axes.size(), {});
    else if (moving == 1)
      buildAlongOneAxis(static_cast<std::size_t>(std::find_if(axes.begin(), axes.end(), moves) - axes.begin()));
    else
      buildByIndex();
    normalise(sink.box);
    return fault;
  }

private:
  void fail(SectionFault why) {
    if (fault == SectionFault::None)
      fault = why;
  }

  /// lower and upper bound (exclusive) of the axis at split index i, before clipping.
  std::pair<Wide, Wide> boundsAt(const streamap_axis &axis, Wide i) {
    Wide lower = axis.lower + axis.lower_step * i;
    Wide length = axis.length + axis.length_step * i;
    if (lower > wideLimit || lower < -wideLimit || length > wideLimit || length < -wideLimit) {
      fail(SectionFault::Overflow);
      return {0, 0};
    }
    return {lower, lower + length};
  }

  /// Clips to the extent; empty when nothing is left.
  Interval clip(const streamap_axis &axis, Wide lo, Wide hi) {
    if (axis.extent_length >= 0) {
      lo = std::max<Wide>(lo, axis.extent_lower);
      hi = std::min<Wide>(hi, Wide{axis.extent_lower} + axis.extent_length);
    }
    if (lo >= hi)
      return {};
    if (lo < INT64_MIN || hi > INT64_MAX) {
      fail(SectionFault::Overflow);
      return {};
    }
    return {static_cast<std::int64_t>(lo), static_cast<std::int64_t>(hi)};
  }

  /// The indices of the grid at which the axis is not empty, as positions [first, last] in the grid; {0, -1} if there are none.
  /// The length is linear in the position, so they are one stretch.
  std::pair<std::int64_t, std::int64_t> filled(const streamap_axis &axis, const streamap_grid &grid) {
    Wide atFirst = axis.length + Wide{axis.length_step} * grid.first;
    Wide change = Wide{axis.length_step} * grid.step;
    if (atFirst > wideLimit || atFirst < -wideLimit || change > wideLimit || change < -wideLimit) {
      fail(SectionFault::Overflow);
      return {0, -1};
    }
    std::int64_t last = grid.count - 1;
    if (change == 0)
      return atFirst > 0 ? std::pair<std::int64_t, std::int64_t>{0, last} : std::pair<std::int64_t, std::int64_t>{0, -1};
    if (change > 0) {
      if (atFirst > 0)
        return {0, last};
      Wide first = -atFirst / change + 1;
      return first > last ? std::pair<std::int64_t, std::int64_t>{0, -1}
                          : std::pair<std::int64_t, std::int64_t>{static_cast<std::int64_t>(first), last};
    }
    if (atFirst <= 0)
      return {0, -1};
    Wide end = (atFirst - 1) / -change;
    return {0, static_cast<std::int64_t>(std::min<Wide>(end, last))};
  }

  static Wide indexAt(const streamap_grid &grid, Wide position) { return grid.first + grid.step * position; }

  /// Whether the axis's intervals at two neighbouring positions overlap or touch.
  bool touch(const streamap_axis &axis, const streamap_grid &grid, Wide position) {
    auto [lo, hi] = boundsAt(axis, indexAt(grid, position));
    auto [nextLo, nextHi] = boundsAt(axis, indexAt(grid, position + 1));
    return std::max(lo, nextLo) <= std::min(hi, nextHi);
  }

  /// The union of an axis's intervals over all grids, as a list that need not be sorted.
  void unionOver(const streamap_axis &axis, std::vector<Interval> &out) {
    for (const streamap_grid &grid : sink.grids) {
      if (grid.count <= 0)
        continue;
      auto [first, last] = filled(axis, grid);
      if (first > last)
        continue;
      auto add = [&](Wide lo, Wide hi) {
        if (Interval part = clip(axis, lo, hi); !part.empty())
          out.push_back(part);
      };
      // Bounds are linear in the position: if the first two and the last two touch, all in between do.
      if (first == last || (touch(axis, grid, first) && touch(axis, grid, last - 1))) {
        auto [lo, hi] = boundsAt(axis, indexAt(grid, first));
        auto [lastLo, lastHi] = boundsAt(axis, indexAt(grid, last));
        add(std::min(lo, lastLo), std::max(hi, lastHi));
        continue;
      }
      if (static_cast<std::uint64_t>(last - first) >= maxSectionRuns)
        return fail(SectionFault::TooManyRuns);
      bool ascending = axis.lower_step >= 0;
      for (std::int64_t k = first; k <= last; ++k) {
        auto [lo, hi] = boundsAt(axis, indexAt(grid, ascending ? k : last - (k - first)));
        add(lo, hi);
      }
    }
  }

  void buildAlongOneAxis(std::size_t moving) {
    std::vector<Interval> along;
    unionOver(axes[moving], along);
    if (along.size() > 1) {
      std::sort(along.begin(), along.end(), [](Interval a, Interval b) { return a.lo < b.lo; });
      std::size_t kept = 1;
      for (std::size_t k = 1; k < along.size(); ++k) {
        if (along[k].lo <= along[kept - 1].hi)
          along[kept - 1].hi = std::max(along[kept - 1].hi, along[k].hi);
        else
          along[kept++] = along[k];
      }
      along.resize(kept);
    }
    if (!along.empty())
      buildBoxes(moving, along);
  }

  /// Two or more axes move together: every index has a box of its own.
  void buildByIndex() {
    for (const streamap_grid &grid : sink.grids) {
      for (std::int64_t k = 0; k < grid.count && fault == SectionFault::None; ++k) {
        current = indexAt(grid, k);
        buildBoxes(axes.size(), {});
      }
    }
  }

  /// Appends the runs of the product of all axes' intervals. Axis \p listed has the intervals \p list; every other axis has the
  /// one of index `current` (which does not matter for an axis that does not move).
  void buildBoxes(std::size_t listed, std::span<const Interval> list) {
    std::array<Interval, maxAxes> single;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (k == listed)
        continue;
      auto [lo, hi] = boundsAt(axes[k], current);
      single[k] = clip(axes[k], lo, hi);
      if (single[k].empty())
        return;
    }
    sink.offsets.assign(1, {0, 0});
    for (std::size_t k = axes.size(); k-- > 0 && fault == SectionFault::None;)
      widen(axes[k].pitch, k == listed ? list : std::span<const Interval>(&single[k], 1), k + 1 == axes.size());
    if (fault != SectionFault::None)
      return;
    if (sink.box.size() + sink.offsets.size() > maxSectionRuns)
      return fail(SectionFault::TooManyRuns);
    for (auto [lo, hi] : sink.offsets) {
      Wide from = Wide{baseAddress} + lo, to = Wide{baseAddress} + hi;
      if (from < 0 || to > Wide{UINT64_MAX})
        return fail(SectionFault::Overflow);
      sink.box.push_back({static_cast<HomeAddress>(from), static_cast<HomeAddress>(to)});
    }
  }

  /// Repeats the offsets collected so far (of the inner axes) for every element of one axis.
  void widen(std::int64_t pitch, std::span<const Interval> intervals, bool innermost) {
    std::vector<std::pair<std::int64_t, std::int64_t>> &inner = sink.offsets, &outer = sink.wider;
    outer.clear();
    bool dense = innermost || (inner.size() == 1 && inner[0].second - inner[0].first == pitch);
    for (Interval part : intervals) {
      if (dense) {
        Wide lo = Wide{part.lo} * pitch + inner[0].first;
        Wide hi = innermost ? Wide{part.hi} * pitch : Wide{part.hi - 1} * pitch + inner[0].second;
        if (!push(lo, hi))
          return;
        continue;
      }
      if (static_cast<Wide>(inner.size()) * (Wide{part.hi} - part.lo) + static_cast<Wide>(outer.size()) > Wide{maxSectionRuns})
        return fail(SectionFault::TooManyRuns);
      for (std::int64_t element = part.lo; element < part.hi; ++element)
        for (auto [lo, hi] : inner)
          if (!push(Wide{element} * pitch + lo, Wide{element} * pitch + hi))
            return;
    }
    inner.swap(outer);
  }

  bool push(Wide lo, Wide hi) {
    if (lo < INT64_MIN || hi > INT64_MAX) {
      fail(SectionFault::Overflow);
      return false;
    }
    sink.wider.emplace_back(static_cast<std::int64_t>(lo), static_cast<std::int64_t>(hi));
    return true;
  }

  streamap_sink &sink;
  std::uintptr_t baseAddress;
  std::span<const streamap_axis> axes;
  Wide current = 0;
  SectionFault fault = SectionFault::None;
};

/// A section of one axis that does not move, the most frequent kind. False: it needs the general way.
bool buildSimple(const streamap_axis &axis, const void *base, ByteRun &run) {
  std::int64_t lo = axis.lower, hi = 0, from = 0, to = 0;
  if (axis.length <= 0) {
    run = {};
    return true;
  }
  if (__builtin_add_overflow(lo, axis.length, &hi))
    return false;
  if (axis.extent_length >= 0) {
    std::int64_t end = 0;
    if (__builtin_add_overflow(axis.extent_lower, axis.extent_length, &end))
      return false;
    lo = std::max(lo, axis.extent_lower);
    hi = std::min(hi, end);
  }
  if (lo >= hi) {
    run = {};
    return true;
  }
  auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base));
  if (__builtin_mul_overflow(lo, axis.pitch, &from) || __builtin_mul_overflow(hi, axis.pitch, &to) ||
      __builtin_add_overflow(from, address, &from) || __builtin_add_overflow(to, address, &to) || from < 0)
    return false;
  run = {static_cast<HomeAddress>(from), static_cast<HomeAddress>(to)};
  return true;
}

} // namespace

SectionFault regionRuns(const streamap_region &region, std::vector<ByteRun> &out) {
  streamap_sink sink;
  sink.begin({});
  streamap_emit(&sink, 0, STREAMAP_INOUT, region.base, region.naxes, region.axes);
  out.insert(out.end(), sink.runs.begin(), sink.runs.end());
  return sink.fault;
}

} // namespace streamap

void streamap_sink::begin(std::span<const streamap_grid> chunkGrids) {
  grids = chunkGrids;
  sections.clear();
  runs.clear();
  fault = streamap::SectionFault::None;
}

STREAMAP_EXPORT void streamap_emit(streamap_sink *sink, std::uint32_t param, std::uint32_t access, const void *base,
                                   std::uint32_t naxes, const streamap_axis *axes) {
  using namespace streamap;
  if (naxes == 0 || sink->fault != SectionFault::None)
    return;
  Section section{
      param, access, reinterpret_cast<std::uintptr_t>(base), static_cast<std::uint32_t>(axes[naxes - 1].pitch), sink->runs.size(),
      0};
  ByteRun run;
  if (naxes == 1 && !moves(axes[0]) && buildSimple(axes[0], base, run)) {
    if (run.lo == run.hi)
      return;
    section.runCount = 1;
    sink->runs.push_back(run);
    sink->sections.push_back(section);
    return;
  }
  SectionFault fault = naxes > maxAxes ? SectionFault::TooManyRuns : SectionBuilder(*sink, base, std::span(axes, naxes)).build();
  if (fault != SectionFault::None) {
    sink->fault = fault;
    sink->faultParam = param;
    return;
  }
  section.runCount = sink->box.size();
  if (section.runCount == 0)
    return;
  sink->runs.insert(sink->runs.end(), sink->box.begin(), sink->box.end());
  sink->sections.push_back(section);
}
