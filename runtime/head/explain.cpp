// StreamMAP runtime: a file that says for each task why it went where it went.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "head/explain.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace streamap {
namespace {

using nlohmann::ordered_json;

constexpr double milli = 1e3;

ordered_json offerOf(const Offer &offer, const ResourceTable &processors, Seconds origin) {
  ordered_json one{{"processor", processors.describe(offer.processor)},
                   {"start_ms", (offer.start - origin) * milli},
                   {"finish_ms", (offer.finish - origin) * milli},
                   {"bringing_ms", offer.bringing * milli},
                   {"rivals", offer.rivals()},
                   {"fits", offer.fits}};
  if (!offer.open)
    one["full"] = true;
  if (offer.untried)
    one["untried"] = true;
  return one;
}

} // namespace

PlacementFile::PlacementFile(const std::string &path, const ResourceTable &table,
                             std::function<std::string(std::uint64_t id)> taskOf)
    : file(path), processors(table), nameOf(std::move(taskOf)) {}

void PlacementFile::placed(const Placement &placement, const TaskFacts &task, std::span<const Offer> offers,
                           std::span<const Rejection> rejections) {
  Seconds origin = placement.start; // times are from the earliest start that was offered
  for (const Offer &offer : offers)
    origin = std::min(origin, offer.start);
  ordered_json line{{"task", nameOf(task.id)},
                    {"priority", task.priority},
                    {"processor", processors.describe(placement.processor)},
                    {"reason", describe(placement.reason)},
                    {"offers", ordered_json::array()},
                    {"rejected", ordered_json::array()}};
  for (const Offer &offer : offers)
    line["offers"].push_back(offerOf(offer, processors, origin));
  for (const Rejection &rejection : rejections)
    line["rejected"].push_back({{"processor", processors.describe(rejection.processor)}, {"why", rejection.why}});
  file << line.dump() << '\n' << std::flush; // the program may end anyhow
}

} // namespace streamap
