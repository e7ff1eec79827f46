// StreamMAP runtime: how long tasks take, learnt from those that ran.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/estimates.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>

namespace streamap {
namespace {

/// Runs of more than so many medians say nothing about the task.
constexpr Seconds outlier = 5;

/// Of an even number the smaller one in the middle: what disturbs a run makes it longer.
Seconds lowerMedian(float *first, float *last) {
  float *const middle = first + (last - first - 1) / 2;
  std::nth_element(first, middle, last);
  return *middle;
}

/// What a task is taken for while nothing is known of it: worth the way to another rank, so that the first ones spread.
constexpr Seconds unknown = 0.1;

/// A run as slow as that is no cheap way to find something out; nor is one that is many times slower than elsewhere.
constexpr Seconds dearTrial = 1;
constexpr double hopeless = 20;

} // namespace

int sizeClassOf(double amount) {
  return amount < 1 ? 0 : 1 + static_cast<int>(std::floor(4 * std::log2(amount)));
}

void RunTimes::add(Seconds ran) {
  last[static_cast<std::size_t>(counted % kept)] = static_cast<float>(ran);
  ++counted;
  std::array<float, kept> sorted = last;
  float *const end = sorted.data() + std::min(counted, kept);
  const Seconds first = lowerMedian(sorted.data(), end);
  float *const usual = std::remove_if(sorted.data(), end, [&](float time) { return time > outlier * first; });
  middle = lowerMedian(sorted.data(), usual);
}

void RunTimes::addWarmUp(Seconds ran) {
  if (counted == 0)
    middle = warmUpRuns == 0 ? ran : std::min(middle, ran);
  ++warmUpRuns;
}

std::vector<Seconds> RunTimes::recent() const {
  std::vector<Seconds> runs;
  for (int k = std::max(0, counted - kept); k < counted; ++k)
    runs.push_back(last[static_cast<std::size_t>(k % kept)]);
  return runs;
}

Estimates::Estimates(const ResourceTable &processors) : table(&processors) {}

FunctionId Estimates::function(std::string_view name) {
  if (const auto found = byName.find(name); found != byName.end())
    return found->second;
  const FunctionId id{static_cast<int>(functions.size())};
  functions.push_back({std::string(name), {}, std::vector<bool>(static_cast<std::size_t>(table->size())), noProfile});
  byName.emplace(name, id);
  return id;
}

ProfileId Estimates::profile(FunctionId function, double amount) {
  Function &owner = functions[static_cast<std::size_t>(function.value)];
  const int size = sizeClassOf(amount);
  for (const auto &[known, id] : owner.sizes)
    if (known == size)
      return id;
  const ProfileId id{static_cast<int>(profiles.size())};
  profiles.push_back({function, std::max(amount, 1.0), std::vector<RunTimes>(table->classes().size()), 0});
  owner.sizes.emplace_back(size, id);
  return id;
}

void Estimates::add(ProfileId profile, ProcessorId where, Seconds ran) {
  Profile &own = profiles[static_cast<std::size_t>(profile.value)];
  RunTimes &times = own.times[static_cast<std::size_t>(table->classOf(where).value)];
  auto warm = functions[static_cast<std::size_t>(own.function.value)].warm[static_cast<std::size_t>(where.value)];
  if (warm)
    times.add(ran);
  else
    times.addWarmUp(ran);
  warm = true;
  count(profile, 1);
}

void Estimates::count(ProfileId id, int runs) {
  Profile &profile = profiles[static_cast<std::size_t>(id.value)];
  profile.runs += runs;
  ProfileId &usual = functions[static_cast<std::size_t>(profile.function.value)].usual;
  if (usual == noProfile || profile.runs > profiles[static_cast<std::size_t>(usual.value)].runs)
    usual = id;
}

/// From the size next to it that has been measured on that class. 0: none has.
Seconds Estimates::scaled(const Profile &profile, ClassId where) const {
  double nearest = 0, ratio = 0;
  Seconds time = 0;
  for (const auto &[size, id] : functions[static_cast<std::size_t>(profile.function.value)].sizes) {
    const RunTimes &other = times(id, where);
    if (other.runs() == 0)
      continue;
    ratio = profile.amount / profiles[static_cast<std::size_t>(id.value)].amount;
    const double distance = std::abs(std::log(ratio));
    if (time > 0 && distance >= nearest)
      continue;
    nearest = distance;
    time = other.median() * ratio;
  }
  return time;
}

Estimates::Guess Estimates::guess(ProfileId id, ClassId where, double cost) const {
  const ProcessorFacts &facts = (*table)[(*table)[where].example];
  const Seconds byCost = cost > 0 && facts.speed > 0 ? cost / facts.speed : 0;
  if (id == noProfile)
    return {byCost, true};
  const Profile &profile = profiles[static_cast<std::size_t>(id.value)];
  const RunTimes &own = profile.times[static_cast<std::size_t>(where.value)];
  if (own.runs() >= enoughRuns)
    return {own.median(), true};
  if (own.runs() == 0)
    if (const Seconds other = scaled(profile, where); other > 0)
      return {other, true};
  Seconds elsewhere = 0;
  for (const RunTimes &other : profile.times)
    if (other.runs() >= enoughRuns && (elsewhere == 0 || other.median() < elsewhere))
      elsewhere = other.median();
  const Seconds time = own.median() > 0 ? own.median() : byCost > 0 ? byCost : elsewhere;
  if (time == 0)
    return {unknown, false};
  return {time, elsewhere > 0 && time > dearTrial && time > hopeless * elsewhere};
}

std::vector<Estimates::Entry> Estimates::all() const {
  std::vector<Entry> entries;
  for (const Profile &profile : profiles)
    for (std::size_t k = 0; k < profile.times.size(); ++k)
      if (profile.times[k].runs() > 0)
        entries.push_back({functions[static_cast<std::size_t>(profile.function.value)].name, profile.amount,
                           ClassId{static_cast<int>(k)}, &profile.times[k]});
  return entries;
}

void Estimates::restore(ProfileId profile, ClassId where, const std::vector<Seconds> &runs) {
  for (const Seconds ran : runs)
    profiles[static_cast<std::size_t>(profile.value)].times[static_cast<std::size_t>(where.value)].add(ran);
  count(profile, static_cast<int>(runs.size()));
}

} // namespace streamap
