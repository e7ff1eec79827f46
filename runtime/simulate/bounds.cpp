// StreamMAP simulator: what no assignment can beat.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/bounds.h"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace streamap::simulate {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// What a processor class can do.
struct ClassFacts {
  const ProcessorFacts *example;
  double units = 0; ///< cores, or devices
};

/// Tasks that are alike.
struct TaskKind {
  const ProgramTask *example;
  double count = 0;                ///< weighted by their stretch
  std::vector<double> unitSeconds; ///< by class: what one takes
};

class Bounding {
public:
  Bounding(const Program &launched, const ResourceTable &table) : program(launched) {
    for (const ResourceTable::Class &one : table.classes()) {
      ClassFacts facts{&table[one.example]};
      for (const ProcessorId member : one.members)
        facts.units += one.kind == ProcessorKind::Device ? 1 : table[member].lanes;
      anyDevice = anyDevice || one.kind == ProcessorKind::Device;
      classes.push_back(facts);
    }
    for (int k = 0; k < table.size(); ++k)
      if (const ProcessorFacts &facts = table[ProcessorId{k}]; facts.kind() == ProcessorKind::Device)
        linkSpeed += facts.link.bytesPerSecond > 0 ? facts.link.bytesPerSecond : never;
  }

  Bounds find() {
    followProgram();
    result.area = area();
    if (linkSpeed > 0)
      result.memory = std::max(intoDevices, outOfDevices) / linkSpeed;
    return result;
  }

private:
  struct DatumTimes {
    Seconds written = 0, read = 0; ///< when its last writer, and the last reader since, can have ended
    bool isUsed = false, onDeviceOnly = false;
  };

  static double kindOf(const ProgramTask &task, const ProcessorFacts &where) {
    return where.kind() == ProcessorKind::Device ? task.share / 100.0 : task.cores;
  }

  Seconds fastest(const ProgramTask &task) const {
    Seconds best = never;
    for (const ClassFacts &one : classes)
      if (mayRunOn(task, *one.example, anyDevice))
        best = std::min(best, runTime(program, task, *one.example));
    return best == never ? 0 : best;
  }

  /// In program order: every chain ends somewhere.
  void followProgram() {
    data.resize(program.data.size());
    Seconds main = 0, last = 0;
    for (const Step &step : program.steps) {
      main += step.before;
      switch (step.kind) {
      case Step::Kind::Launch:
        for (std::uint32_t k = 0; k < step.count; ++k)
          last = std::max(last, follow(program.tasks[step.first + k], main));
        break;
      case Step::Kind::Split:
        for (std::uint32_t k = 0; k < program.splits[step.first].blocks; ++k)
          last = std::max(last, follow(asWhole(program.splits[step.first], k), main));
        break;
      case Step::Kind::WaitOn:
        for (std::uint32_t k = 0; k < step.count; ++k)
          main = std::max(main, comesHome(program.waitedFor[step.first + k]));
        break;
      case Step::Kind::Wait:
        for (std::uint32_t datum = 0; datum < data.size(); ++datum)
          comesHome(DatumId{datum});
        main = std::max(main, last);
        break;
      case Step::Kind::Finish:
        main = std::max(main, last);
        break;
      }
    }
    result.criticalPath = std::max(main, last);
  }

  /// A block of a split launch may be run by any of its parts.
  ProgramTask asWhole(const SplitLaunch &split, std::uint32_t k) const {
    ProgramTask block = program.blocks[split.firstBlock + k];
    bool cores = false, devices = false;
    for (const Resource part : split.parts) {
      cores = cores || part != Resource::Device;
      devices = devices || part != Resource::Core;
    }
    block.resource = cores && devices ? Resource::Best : devices ? Resource::Device : Resource::Core;
    return block;
  }

  Seconds follow(const ProgramTask &task, Seconds main) {
    Seconds start = main;
    const bool onDeviceOnly = task.resource == Resource::Device && anyDevice;
    for (const Use &use : program.usesOf(task)) {
      const DatumTimes &times = data[use.datum.value];
      start = std::max(start, writes(use.mode) ? std::max(times.written, times.read) : times.written);
      if (!times.isUsed && reads(use.mode) && onDeviceOnly)
        intoDevices += static_cast<double>(program.bytesOf(use.datum));
    }
    const Seconds end = start + fastest(task);
    for (const Use &use : program.usesOf(task)) {
      DatumTimes &times = data[use.datum.value];
      times.isUsed = true;
      if (writes(use.mode)) {
        times.written = end;
        times.read = 0;
        times.onDeviceOnly = onDeviceOnly;
      } else {
        times.read = std::max(times.read, end);
      }
    }
    note(task);
    return end;
  }

  Seconds comesHome(DatumId datum) {
    DatumTimes &times = data[datum.value];
    if (times.onDeviceOnly)
      outOfDevices += static_cast<double>(program.bytesOf(datum));
    times.onDeviceOnly = false;
    return times.written;
  }

  void note(const ProgramTask &task) {
    TaskKind &kind = kinds[{task.function, task.cost, task.resource, task.cores, task.share}];
    kind.count += task.stretch;
    if (!kind.unitSeconds.empty())
      return;
    ProgramTask typical = task;
    typical.stretch = 1;
    for (const ClassFacts &one : classes)
      kind.unitSeconds.push_back(
          mayRunOn(task, *one.example, anyDevice) ? runTime(program, typical, *one.example) * kindOf(task, *one.example) : never);
  }

  /// With a price for each class, all of whose units together cost 1 a second, the work at its cheapest is a lower bound. The
  /// best prices are searched for; whatever the search finds, it is a bound.
  double area() const {
    std::vector<double> prices;
    for (const ClassFacts &one : classes)
      prices.push_back(1 / static_cast<double>(classes.size()) / one.units);
    double best = 0;
    std::vector<double> load(classes.size());
    for (int round = 0; round < rounds; ++round) {
      double bound = 0;
      std::fill(load.begin(), load.end(), 0);
      for (const auto &[key, kind] : kinds) {
        std::size_t cheapest = 0;
        for (std::size_t c = 1; c < classes.size(); ++c)
          if (kind.unitSeconds[c] * prices[c] < kind.unitSeconds[cheapest] * prices[cheapest])
            cheapest = c;
        if (kind.unitSeconds[cheapest] == never)
          continue;
        bound += kind.count * kind.unitSeconds[cheapest] * prices[cheapest];
        load[cheapest] += kind.count * kind.unitSeconds[cheapest] / classes[cheapest].units;
      }
      best = std::max(best, bound);
      raisePrices(prices, load, 2 / std::sqrt(static_cast<double>(round + 1)));
    }
    return best;
  }

  /// Classes with more to do than others become dearer.
  void raisePrices(std::vector<double> &prices, const std::vector<double> &load, double step) const {
    const double most = *std::max_element(load.begin(), load.end());
    if (most <= 0)
      return;
    double all = 0;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      prices[c] *= std::exp(step * load[c] / most);
      all += prices[c] * classes[c].units;
    }
    for (double &price : prices)
      price /= all;
  }

  static constexpr int rounds = 20000;
  const Program &program;
  std::vector<ClassFacts> classes;
  std::vector<DatumTimes> data;
  std::map<std::tuple<std::uint32_t, double, Resource, std::uint16_t, std::uint8_t>, TaskKind> kinds;
  bool anyDevice = false;
  double linkSpeed = 0, intoDevices = 0, outOfDevices = 0;
  Bounds result;
};

} // namespace

Bounds bounds(const Program &program, const ResourceTable &table) {
  return Bounding(program, table).find();
}

} // namespace streamap::simulate
