// StreamMAP runtime: how long tasks take, learnt from those that ran.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "assign/resources.h"

namespace streamap {

/// A task function, numbered from 0 as they become known.
using FunctionId = StrongId<struct FunctionTag, int>;

/// A task function and a size class: tasks that should take as long as each other on one class of processors.
using ProfileId = StrongId<struct ProfileTag, int>;
inline constexpr ProfileId noProfile{-1};

/// The size class of \p amount of work (cost(e), or bytes: whatever grows with it): four to each doubling.
int sizeClassOf(double amount);

/// The last run times of one profile on one class of processors.
class RunTimes {
public:
  void add(Seconds ran);
  /// A run that took longer for reasons of its own (code was loaded, memory reserved). It counts until there are others.
  void addWarmUp(Seconds ran);
  /// Median of the last runs, without those of more than five times that; of warm-ups only if there are no others. 0: no runs.
  Seconds median() const { return middle; }
  int runs() const { return counted; }
  int warmUps() const { return warmUpRuns; }
  /// The last runs, oldest first.
  std::vector<Seconds> recent() const;

  static constexpr int kept = 15;

private:
  std::array<float, kept> last{};
  int counted = 0, warmUpRuns = 0;
  Seconds middle = 0;
};

/// Everything that is known about run times. Not thread-safe.
class Estimates {
public:
  /// \p table outlives it.
  explicit Estimates(const ResourceTable &table);

  /// The function of that name: one that is the same in every run of the program.
  FunctionId function(std::string_view name);
  /// The function's profile for \p amount of work. Both are made when they are new.
  ProfileId profile(FunctionId function, double amount);

  /// Of the function's profiles the one that has run most often; noProfile: none has.
  ProfileId usual(FunctionId function) const { return functions[static_cast<std::size_t>(function.value)].usual; }

  /// A task has run for \p ran. A function's first run on a processor is a warm-up.
  void add(ProfileId profile, ProcessorId where, Seconds ran);

  struct Guess {
    Seconds time = 0;
    /// Good enough to choose by. Otherwise a task should be run there, to find out; meanwhile `time` is better than nothing.
    bool known = false;
  };
  /// How long a task takes. From runs of its size; from runs of other sizes; from its cost(e) (\p cost, 0: it has none) and the
  /// processor's speed; from other classes, as if they were as fast.
  Guess guess(ProfileId profile, ClassId where, double cost) const;

  /// Whether the profile has run on that class often enough to judge single runs by it.
  bool isMeasured(ProfileId profile, ClassId where) const { return times(profile, where).runs() >= enoughRuns; }

  // For keeping them between runs.
  struct Entry {
    std::string_view function;
    double amount;
    ClassId where;
    const RunTimes *times;
  };
  std::vector<Entry> all() const;
  /// Runs of an earlier time: they count like any others.
  void restore(ProfileId profile, ClassId where, const std::vector<Seconds> &runs);

private:
  /// One run may have been disturbed; of two the shorter is taken.
  static constexpr int enoughRuns = 2;
  struct Profile {
    FunctionId function;
    double amount;               ///< as first asked for
    std::vector<RunTimes> times; ///< by ClassId
    int runs = 0;                ///< on all of them
  };
  struct Function {
    std::string name;
    std::vector<std::pair<int, ProfileId>> sizes; ///< size class, profile
    std::vector<bool> warm;                       ///< by ProcessorId
    ProfileId usual = noProfile;
  };
  const RunTimes &times(ProfileId profile, ClassId where) const {
    return profiles[static_cast<std::size_t>(profile.value)].times[static_cast<std::size_t>(where.value)];
  }
  void count(ProfileId profile, int runs);
  Seconds scaled(const Profile &profile, ClassId where) const;

  const ResourceTable *table;
  std::vector<Function> functions;
  std::map<std::string, FunctionId, std::less<>> byName;
  std::vector<Profile> profiles;
};

} // namespace streamap
