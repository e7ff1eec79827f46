// StreamMAP simulator: the graph of a tiled Cholesky factorisation.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include "simulate/generate.h"

namespace streamap::simulate {
namespace {

constexpr std::array<Parameter, 5> parameters{{
    {"tiles", 40, 1, 2000, "tiles in each direction"},
    {"size", 1024, 1, 65536, "rows of a tile, of 8-byte numbers"},
    {"urgent", 1, 0, 1, "1: priorities grow along the critical path, as a programmer would set them"},
    {"home", 0, 0, 1, "1: the matrix begins at home and is waited for; 0: tasks fill it where they run"},
    {"panel", 1, 0.01, 1, "how much of its speed a GPU reaches in the two panel kernels"},
}};

class Cholesky {
public:
  explicit Cholesky(const Parameters &given)
      : tiles(given.whole("tiles")), urgent(given.real("urgent") > 0), resource(given.resource) {
    const double size = given.real("size");
    cube = size * size * size;
    fill = program.addFunction("fill");
    potrf = program.addFunction("potrf", given.real("panel"));
    trsm = program.addFunction("trsm", given.real("panel"));
    syrk = program.addFunction("syrk");
    gemm = program.addFunction("gemm");
    program.addData(tiles * (tiles + 1) / 2, static_cast<std::uint64_t>(size * size * 8));
    if (given.real("home") == 0)
      for (std::uint32_t row = 0; row < tiles; ++row)
        for (std::uint32_t column = 0; column <= row; ++column)
          launch(fill, size * size, column, {{tile(row, column), AccessMode::Write}});
    factor();
    program.step(given.real("home") > 0 ? Step::Kind::Wait : Step::Kind::Finish);
  }

  Program program;

private:
  DatumId tile(std::uint32_t row, std::uint32_t column) const { return DatumId{row * (row + 1) / 2 + column}; }

  /// \p column: the step that waits for it.
  void launch(std::uint32_t function, double cost, std::uint32_t column, std::initializer_list<Use> uses) {
    ProgramTask task;
    task.function = function;
    task.resource = resource;
    task.cost = cost;
    task.priority = urgent ? static_cast<std::int32_t>(3 * (tiles - column)) + (function == potrf  ? 2
                                                                                : function == trsm ? 1
                                                                                                   : 0)
                           : 0;
    program.launch(task, uses);
  }

  void factor() {
    for (std::uint32_t k = 0; k < tiles; ++k) {
      launch(potrf, cube / 3, k, {{tile(k, k), AccessMode::ReadWrite}});
      for (std::uint32_t i = k + 1; i < tiles; ++i)
        launch(trsm, cube, k, {{tile(k, k), AccessMode::Read}, {tile(i, k), AccessMode::ReadWrite}});
      for (std::uint32_t i = k + 1; i < tiles; ++i) {
        for (std::uint32_t j = k + 1; j < i; ++j)
          launch(gemm, 2 * cube, j,
                 {{tile(i, k), AccessMode::Read}, {tile(j, k), AccessMode::Read}, {tile(i, j), AccessMode::ReadWrite}});
        launch(syrk, cube, i, {{tile(i, k), AccessMode::Read}, {tile(i, i), AccessMode::ReadWrite}});
      }
    }
  }

  std::uint32_t tiles;
  bool urgent;
  Resource resource;
  double cube = 0;
  std::uint32_t fill = 0, potrf = 0, trsm = 0, syrk = 0, gemm = 0;
};

} // namespace

const Generator cholesky{"cholesky", "a tiled Cholesky factorisation: potrf, trsm, syrk, gemm", parameters,
                         [](const Parameters &given) { return Cholesky(given).program; }};

} // namespace streamap::simulate
