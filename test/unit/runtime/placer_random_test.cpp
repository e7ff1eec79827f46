// StreamMAP tests: what holds for every placement, whatever the cluster and the tasks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "assign/placer.h"
#include "test_processors.h"

namespace streamap {
namespace {

/// A cluster, tasks with dependences, shares, memory and data, finishing in any order, load and losses from outside.
class RandomDrive final : public TaskView {
public:
  RandomDrive(unsigned seed, const Policy &policy) : random(seed), table(processorsFrom(cluster())), estimates(table) {
    Placer::Setup setup;
    setup.policy = &policy;
    setup.lookahead = 1 + pick(4);
    if (pick(4) == 0)
      setup.reservation = {1 + pick(2), 3};
    reservation = setup.reservation;
    placer = std::make_unique<Placer>(table, estimates, setup);
    for (int k = 0; k < 3; ++k)
      profiles.push_back(estimates.profile(estimates.function("f" + std::to_string(k)), 1));
  }

  void look(std::uint64_t id, Ties &ties) override {
    const Task &task = tasks[id];
    ties.reads = task.reads;
    ties.held = task.held;
    for (const std::uint64_t before : task.after)
      if (tasks[before].stage == Stage::Placed)
        ties.after.push_back(tasks[before].ticket);
  }

  /// Runs to the end; what went where, or what is wrong.
  std::string run() {
    for (int step = 0; step < 400 && wrong.empty(); ++step) {
      now += pick(100) / 50.0;
      switch (pick(8)) {
      case 0:
      case 1:
      case 2:
        launch();
        break;
      case 3:
        disturb();
        break;
      default:
        finishOne();
      }
      placeAll();
      check();
    }
    while (wrong.empty() && !placed.empty()) {
      finishOne();
      placeAll();
      check();
    }
    // Nothing runs, so nothing would ever make room: whatever some processor could take must have been taken.
    for (const auto &[id, task] : tasks)
      if (wrong.empty() && task.stage == Stage::Ready && placer->canServe(task.demand))
        wrong = "task " + std::to_string(id) + " waits although nothing runs";
    return wrong.empty() ? trail : "WRONG: " + wrong;
  }

  int placements = 0;

private:
  enum class Stage { Waiting, Ready, Placed, Finished };
  struct Task {
    Demand asked;
    Judgement judgement;
    DemandId demand;
    Ticket ticket;
    Stage stage = Stage::Waiting;
    int priority = 0;
    Bytes memory;
    ProfileId profile;
    std::uint64_t reads = 0;
    std::vector<Ties::Held> held;
    std::vector<std::uint64_t> after;
    int on = -1;
  };

  int pick(int choices) { return static_cast<int>(random() % static_cast<unsigned>(choices)); }

  std::string cluster() {
    std::string text;
    const int ranks = 1 + pick(5);
    for (int rank = 0; rank < ranks; ++rank) {
      text +=
          (rank ? " " : "") + std::string(rank && pick(3) == 0 ? "&" : "") + "C" + std::to_string(rank ? pick(5) : 1 + pick(4));
      for (int k = pick(4); k > 0; --k)
        text += std::string(",") + "KGF"[pick(3)];
    }
    return text;
  }

  void launch() {
    static const streamap_requirement cc8{STREAMAP_REQUIRE_CC, STREAMAP_GE, 80, nullptr};
    const int count = 1 + pick(6);
    Demand asked;
    asked.onCores = pick(3) != 0;
    asked.onDevice = !asked.onCores || pick(3) == 0;
    asked.cores = 1 + (pick(4) == 0 ? pick(4) : 0);
    asked.share = pick(2) ? 100 : 1 + pick(100);
    asked.memory = Bytes{static_cast<std::uint64_t>(pick(10)) << 29};
    if (pick(4) == 0)
      asked.requirements = {&cc8, 1};
    const Judgement judgement = judge(table, asked);
    if (!judgement.anywhere()) {
      if (couldRun(asked))
        wrong = "a task that fits somewhere is said to fit nowhere";
      return;
    }
    const DemandId demand = placer->intern(judgement);
    for (int k = 0; k < count; ++k) {
      const std::uint64_t id = next++;
      Task &task = tasks[id];
      task.asked = asked;
      task.judgement = judgement;
      task.demand = demand;
      task.memory = asked.memory;
      task.priority = pick(6);
      task.profile = pick(2) ? noProfile : profiles[static_cast<std::size_t>(pick(3))];
      if (id > 0 && pick(2))
        for (int earlier = 1 + pick(2); earlier > 0; --earlier)
          task.after.push_back(id - 1 - static_cast<std::uint64_t>(pick(static_cast<int>(std::min<std::uint64_t>(id, 8)))));
      std::sort(task.after.begin(), task.after.end());
      task.after.erase(std::unique(task.after.begin(), task.after.end()), task.after.end());
      std::erase_if(task.after, [&](std::uint64_t before) { return tasks[before].stage == Stage::Finished; });
      if (pick(2)) {
        task.reads = 1 + random() % 1'000'000'000;
        std::set<int> holders;
        for (int holder = pick(3); holder > 0; --holder)
          holders.insert(pick(table.size()));
        for (const int holder : holders)
          task.held.push_back({table[ProcessorId{holder}].place, task.reads / (1 + static_cast<unsigned>(pick(3)))});
      }
      becomeReady(id);
    }
  }

  /// By the demand alone, apart from judge().
  bool couldRun(const Demand &asked) const {
    for (int k = 0; k < table.size(); ++k)
      if (mayRunOn(asked, ProcessorId{k}))
        return true;
    return false;
  }
  bool mayRunOn(const Demand &asked, ProcessorId id) const {
    const ProcessorFacts &facts = table[id];
    if (facts.kind() == ProcessorKind::Cores)
      return asked.onCores && asked.cores <= facts.lanes && facts.lanes > 0;
    return asked.onDevice && asked.memory <= facts.memory && asked.share <= 100 &&
           (asked.requirements.empty() || facts.device->capability.number() >= 80);
  }

  void becomeReady(std::uint64_t id) {
    Task &task = tasks[id];
    for (const std::uint64_t before : task.after)
      if (tasks[before].stage == Stage::Waiting || tasks[before].stage == Stage::Ready)
        return;
    task.stage = Stage::Ready;
    task.ticket = placer->ready({id, task.demand, task.profile, 0, task.priority, task.memory}, now);
  }

  void placeAll() {
    while (const auto placement = placer->next(*this, now)) {
      Task &task = tasks[placement->id];
      trail += std::to_string(placement->id) + "@" + std::to_string(placement->processor.value) + "/" +
               std::string(describe(placement->reason)).substr(0, 4) + " ";
      ++placements;
      if (task.stage != Stage::Ready || placement->ticket != task.ticket)
        wrong = "a task was placed that was not ready";
      if (!mayRunOn(task.asked, placement->processor))
        wrong = "task " + std::to_string(placement->id) + " went to " + table.describe(placement->processor) +
                ", which does not meet its demand";
      if (lost.contains(placement->processor.value))
        wrong = "a task went to a processor that was lost";
      if (isReserved(placement->processor) && task.priority < reservation.priority && hasOther(task))
        wrong = "a task that is not urgent went to a reserved device";
      if (placement->finish < placement->start || placement->start < now)
        wrong = "an estimate of the past";
      task.stage = Stage::Placed;
      task.on = placement->processor.value;
      placed.push_back(placement->id);
      for (auto &[id, other] : tasks)
        if (other.stage == Stage::Waiting &&
            std::find(other.after.begin(), other.after.end(), placement->id) != other.after.end())
          becomeReady(id);
    }
  }

  bool isReserved(ProcessorId id) const {
    int devices = 0;
    for (int k = id.value; k < table.size(); ++k)
      devices += table[ProcessorId{k}].kind() == ProcessorKind::Device;
    return table[id].kind() == ProcessorKind::Device && devices <= reservation.devices;
  }
  bool hasOther(const Task &task) const {
    for (int k = 0; k < table.size(); ++k)
      if (mayRunOn(task.asked, ProcessorId{k}) && !isReserved(ProcessorId{k}) && !lost.contains(k))
        return true;
    return false;
  }

  /// Any one whose predecessors have.
  void finishOne() {
    if (placed.empty())
      return;
    const std::size_t first = random() % placed.size();
    for (std::size_t k = 0; k < placed.size(); ++k) {
      const std::size_t at = (first + k) % placed.size();
      Task &task = tasks[placed[at]];
      if (std::any_of(task.after.begin(), task.after.end(),
                      [&](std::uint64_t before) { return tasks[before].stage != Stage::Finished; }))
        continue;
      task.stage = Stage::Finished;
      placed.erase(placed.begin() + static_cast<std::ptrdiff_t>(at));
      placer->finished(task.ticket, now, pick(5) ? pick(100) / 100.0 : -1);
      return;
    }
    wrong = "a circle of dependences in the test";
  }

  void disturb() {
    const ProcessorId id{pick(table.size())};
    if (pick(12) == 0) {
      std::vector<Ticket> orphans;
      placer->lost(id, orphans);
      lost.insert(id.value);
      const auto had =
          std::count_if(placed.begin(), placed.end(), [&](std::uint64_t task) { return tasks[task].on == id.value; });
      if (static_cast<std::size_t>(had) != orphans.size())
        wrong = "not all tasks of a lost processor are named";
    } else {
      placer->load(id, pick(2) ? pick(10) / 10.0 : 0, Bytes{static_cast<std::uint64_t>(pick(3)) << 30});
    }
  }

  /// The ledgers are what the placed tasks add up to.
  void check() {
    std::map<int, int> units, counts;
    for (const std::uint64_t id : placed) {
      const Task &task = tasks[id];
      ++counts[task.on];
      units[task.on] += table[ProcessorId{task.on}].kind() == ProcessorKind::Device ? task.asked.share : task.asked.cores;
    }
    for (int k = 0; k < table.size(); ++k) {
      const Load &load = placer->loadOf(ProcessorId{k});
      if (load.given != units[k] || load.tasks != counts[k])
        wrong = "the ledger of " + table.describe(ProcessorId{k}) + " says " + std::to_string(load.given) + " units, not " +
                std::to_string(units[k]);
      if (load.strands < 0 || load.strands > load.tasks || load.competing < 0 || load.competing > load.given || load.work < 0 ||
          load.nodeTasks < load.tasks || (load.tasks == 0 && (load.reserved != Bytes{} || load.strands != 0)))
        wrong = "the ledger of " + table.describe(ProcessorId{k}) + " cannot be";
      if (load.tasks > 0 && load.strands == 0)
        wrong = "tasks of which each has another one behind it";
    }
    if (counts.empty() && placer->waiting() > 0)
      for (const auto &[id, task] : tasks)
        if (task.stage == Stage::Ready && placer->canServe(task.demand))
          wrong = "task " + std::to_string(id) + " waits while everything is idle";
  }

  std::mt19937 random;
  const ResourceTable table;
  Estimates estimates;
  std::unique_ptr<Placer> placer;
  Reservation reservation;
  std::vector<ProfileId> profiles;
  std::map<std::uint64_t, Task> tasks;
  std::vector<std::uint64_t> placed;
  std::set<int> lost;
  std::uint64_t next = 0;
  Seconds now = 0;
  std::string trail, wrong;
};

TEST(PlacerRandom, FiltersLedgersRepeatabilityAndNoStarvation) {
  int placements = 0;
  for (const Policy *policy : policies())
    for (unsigned seed = 0; seed < 30; ++seed) {
      RandomDrive first(seed, *policy), second(seed, *policy);
      const std::string trail = first.run();
      ASSERT_NE(trail.substr(0, 5), "WRONG") << policy->name() << ", seed " << seed << ": " << trail;
      ASSERT_EQ(trail, second.run()) << policy->name() << ", seed " << seed;
      placements += first.placements;
    }
  EXPECT_GT(placements, 5000);
}

} // namespace
} // namespace streamap
