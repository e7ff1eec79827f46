// StreamMAP runtime: how long tasks take, learnt from those that ran.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "assign/resources.h"

namespace streamap {

/// A task function and a size class: tasks that should take as long as each other on one class of processors.
using ProfileId = StrongId<struct ProfileTag, int>;
inline constexpr ProfileId noProfile{-1};

/// The size class of \p amount of work (cost(e), indices or bytes; whatever grows with it): four to each doubling.
int sizeClassOf(double amount);

/// The last run times of one profile on one class of processors.
class RunTimes {
public:
  /// One run. The first on a class is a warm-up (code is loaded, memory is allocated): it counts only until there are others.
  void add(Seconds ran);
  /// Median of what is kept, without runs of more than five times that. 0: none.
  Seconds median() const { return middle; }
  int runs() const { return total; }

private:
  static constexpr int kept = 15;
  std::array<float, kept> last{};
  int total = 0; ///< runs in all
  Seconds middle = 0;
  void settle();
};

/// Everything that is known about run times. Not thread-safe.
class Estimates {
public:
  explicit Estimates(const ResourceTable &table);

  /// The profile of \p task (a name that is the same in every run of the program) for \p amount of work; made if it is new.
  ProfileId profile(const std::string &task, double amount);

  /// A task of the profile has run for \p ran.
  void add(ProfileId profile, ClassId where, Seconds ran);

  struct Guess {
    Seconds time = 0;
    bool measured = false; ///< on that class and size; otherwise from other sizes, or from cost and speed, or nothing at all
  };
  /// How long a task takes. \p cost: its cost(e), 0 if it has none. O(1) for what has been measured.
  Guess guess(ProfileId profile, ClassId where, double cost) const;

private:
  struct Profile {
    int task;
    double amount;               ///< of its size class
    std::vector<RunTimes> times; ///< by ClassId
  };
  const ResourceTable *table;
  std::map<std::pair<int, int>, ProfileId> bySize; ///< task, size class
  std::map<std::string, int> tasks;
  std::vector<Profile> profiles;
  std::vector<std::vector<ProfileId>> ofTask;
};

} // namespace streamap
