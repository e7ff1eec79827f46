// StreamMAP simulator: random graphs in layers.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "simulate/generate.h"

namespace streamap::simulate {
namespace {

constexpr std::array<Parameter, 8> parameters{{
    {"tasks", 2000, 1, 1e8, "tasks in all"},
    {"width", 200, 1, 1e7, "tasks of a layer"},
    {"reads", 2, 0, 64, "tasks of the layer before whose output a task reads"},
    {"reach", 1e9, 1, 1e9, "how far to the side, in tasks, these may be"},
    {"cost", 1e9, 1, 1e18, "operations of a task, on average"},
    {"spread", 4, 1, 1000, "the dearest task's cost over the cheapest one's"},
    {"bytes", 1e6, 8, 1e12, "that a task writes"},
    {"seed", 1, 0, 4e9, "another number, another graph"},
}};

/// Costs come in eight sizes, so that there is something to learn; every other function suits GPUs badly.
class RandomGraph {
public:
  explicit RandomGraph(const Parameters &given)
      : width(given.whole("width")), numbers(static_cast<std::mt19937::result_type>(given.whole("seed"))) {
    static constexpr std::array<double, sizes> suitability{1, 0.2, 1, 0.5, 1, 0.1, 1, 1};
    for (std::uint32_t k = 0; k < sizes; ++k)
      program.addFunction("work" + std::to_string(k), suitability[k]);
    const std::uint32_t tasks = given.whole("tasks");
    const DatumId first = program.addData(tasks, given.bytes("bytes"));
    std::vector<Use> uses;
    for (std::uint32_t number = 0; number < tasks; ++number) {
      const std::uint32_t size = below(sizes);
      ProgramTask task;
      task.resource = given.resource;
      task.function = size;
      task.cost = costOf(size, given.real("cost"), given.real("spread"));
      uses.assign({{DatumId{first.value + number}, AccessMode::Write}});
      addReads(uses, first, number, given.whole("reads"), given.real("reach"));
      if (number % width == 0)
        program.launch(task, uses);
      else
        program.addTask(task, uses);
    }
    program.step(Step::Kind::Finish);
  }

  Program program;

private:
  static constexpr std::uint32_t sizes = 8;

  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>(numbers() % limit); // std::uniform_int_distribution differs from library to library
  }

  /// A geometric series with the mean \p cost.
  static double costOf(std::uint32_t size, double cost, double spread) {
    const double ratio = std::pow(spread, 1.0 / (sizes - 1));
    double sum = 0;
    for (std::uint32_t k = 0; k < sizes; ++k)
      sum += std::pow(ratio, k);
    return cost * std::pow(ratio, size) * sizes / sum;
  }

  void addReads(std::vector<Use> &uses, DatumId first, std::uint32_t number, std::uint32_t count, double reach) {
    const std::uint32_t layer = number / width;
    if (layer == 0)
      return;
    for (std::uint32_t k = 0; k < count; ++k) {
      const double side = std::min(reach, static_cast<double>(width));
      const auto offset =
          static_cast<std::int64_t>(below(static_cast<std::uint32_t>(side))) - static_cast<std::int64_t>(side / 2);
      const std::int64_t column = std::clamp<std::int64_t>(number % width + offset, 0, width - 1);
      const DatumId read{first.value + (layer - 1) * width + static_cast<std::uint32_t>(column)};
      if (std::none_of(uses.begin(), uses.end(), [&](const Use &use) { return use.datum == read; }))
        uses.push_back({read, AccessMode::Read});
    }
  }

  std::uint32_t width;
  std::mt19937 numbers;
};

} // namespace

const Generator randomGraph{"random", "layers of tasks of different sizes that read what random tasks of the layer before wrote",
                            parameters, [](const Parameters &given) { return RandomGraph(given).program; }};

} // namespace streamap::simulate
