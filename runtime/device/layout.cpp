// StreamMAP runtime: what a G task needs in device memory, and where its pointers go.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "abi/sections.h"
#include "device/caching_allocator.h"
#include "exec/current_task.h"
#include "graph/descriptor.h"

namespace streamap {
namespace {

/// What one parameter does.
struct ParamUse {
  std::uint32_t param = 0;
  std::int32_t reduction = -1;
  std::uint64_t address = 0; ///< that the pack holds
  RunSet reads, writes, all;
};

std::uint64_t addressIn(const void *pack, const streamap_param &param) {
  std::uint64_t address = 0;
  std::memcpy(&address, static_cast<const std::byte *>(pack) + param.offset, sizeof address);
  return address;
}

void addRuns(RunSet &to, std::span<const ByteRun> runs) {
  to.insert(to.end(), runs.begin(), runs.end());
}

std::vector<ParamUse> usesOf(const streamap_sink &sink, const streamap_task &task, const void *pack,
                             std::span<const ReductionPart> reductions, std::int64_t blocks, bool partials) {
  std::uint32_t count = 0;
  const streamap_param *const params = paramsOf(task, count);
  std::vector<ParamUse> uses;
  const auto useOf = [&](std::uint32_t param) -> ParamUse & {
    const auto found = std::find_if(uses.begin(), uses.end(), [&](const ParamUse &use) { return use.param == param; });
    if (found != uses.end())
      return *found;
    uses.push_back({param, -1, addressIn(pack, params[param]), {}, {}, {}});
    return uses.back();
  };
  for (const Section &section : sink.sections) {
    if (section.access == STREAMAP_REDUCTION && partials)
      continue;
    ParamUse &use = useOf(section.param);
    if (section.access != STREAMAP_OUT)
      addRuns(use.reads, sink.runsOf(section));
    if (section.access != STREAMAP_IN)
      addRuns(use.writes, sink.runsOf(section));
  }
  for (std::size_t k = 0; k < reductions.size(); ++k) {
    const ReductionPart &part = reductions[k];
    ParamUse &use = useOf(part.param);
    use.reduction = static_cast<std::int32_t>(k);
    use.writes.push_back(
        {part.partials, part.partials + static_cast<std::uint64_t>(std::max<std::int64_t>(blocks, 1)) * part.stride});
  }
  for (ParamUse &use : uses) {
    normalise(use.reads);
    normalise(use.writes);
    use.all = unite(use.reads, use.writes);
  }
  std::erase_if(uses, [](const ParamUse &use) { return use.all.empty(); });
  return uses;
}

DeviceLayout layOutUses(const std::vector<ParamUse> &uses, const streamap_task &task, const void *pack) {
  DeviceLayout layout;
  if (const auto memory = thunkOf(task, &streamap_task::memory))
    layout.extra = Bytes{static_cast<std::uint64_t>(std::max<std::int64_t>(0, memory(pack)))};
  std::vector<std::size_t> group(uses.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t a = 0; a < uses.size(); ++a)
    for (std::size_t b = a + 1; b < uses.size(); ++b) {
      if (intersect(uses[a].all, uses[b].all).empty())
        continue;
      const std::size_t from = group[b], to = group[a];
      std::replace(group.begin(), group.end(), std::max(from, to), std::min(from, to));
      if (uses[a].address != uses[b].address)
        layout.aliased |= !intersect(uses[a].writes, uses[b].all).empty() || !intersect(uses[a].all, uses[b].writes).empty();
    }
  std::vector<std::uint32_t> stretchOf(uses.size());
  for (std::size_t k = 0; k < uses.size(); ++k) {
    const ParamUse &use = uses[k];
    const ByteRun hull{use.all.front().lo, use.all.back().hi};
    if (group[k] == k) {
      stretchOf[k] = static_cast<std::uint32_t>(layout.stretches.size());
      layout.stretches.push_back({hull, use.reads, use.writes});
    } else {
      stretchOf[k] = stretchOf[group[k]];
      DeviceStretch &stretch = layout.stretches[stretchOf[k]];
      stretch.hull = {std::min(stretch.hull.lo, hull.lo), std::max(stretch.hull.hi, hull.hi)};
      stretch.reads = unite(stretch.reads, use.reads);
      stretch.writes = unite(stretch.writes, use.writes);
    }
    layout.pointers.push_back({use.param, stretchOf[k], use.reduction});
  }
  return layout;
}

} // namespace

Bytes stretchBytes(std::uint64_t hull) {
  return Bytes{hull + congruence + CachingAllocator::granule};
}

Bytes DeviceLayout::bytes() const {
  Bytes sum = extra;
  for (const DeviceStretch &stretch : stretches)
    sum += stretchBytes(stretch.hull.bytes());
  return sum;
}

DeviceLayout layOut(const streamap_sink &sink, const streamap_task &task, const void *pack,
                    std::span<const ReductionPart> reductions, std::int64_t blocks) {
  return layOutUses(usesOf(sink, task, pack, reductions, blocks, !reductions.empty()), task, pack);
}

DeviceLayout layOutSections(const streamap_sink &sink, const streamap_task &task, const void *pack, bool partials) {
  return layOutUses(usesOf(sink, task, pack, {}, 1, partials), task, pack);
}

DeviceLayout layOut(const RunOrder &order) {
  const streamap_task &task = *order.pack->task;
  const void *const pack = order.pack->bytes.data();
  std::vector<streamap_grid> grids;
  if (const auto readGrids = thunkOf(task, &streamap_task::grids)) {
    grids.resize(readGrids(pack, nullptr, 0));
    readGrids(pack, grids.data(), static_cast<std::uint32_t>(grids.size()));
    if (order.shape.lo != INT64_MIN || order.shape.hi != INT64_MAX)
      for (streamap_grid &grid : grids)
        grid = streamap_grid_clip(grid, order.shape.lo, order.shape.hi);
  }
  streamap_sink sink;
  sink.begin(grids);
  if (const auto sections = thunkOf(task, &streamap_task::sections)) {
    TaskScope scope(happened, order.shape);
    sections(pack, &sink);
  }
  return layOut(sink, task, pack, order.reductions, order.shape.blocks);
}

} // namespace streamap
