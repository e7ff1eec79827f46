// StreamMAP runtime: how a reduction is cut, stored and put together again.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/reduction.h"

#include <algorithm>
#include <cassert>
#include <complex>

namespace streamap {
namespace {

constexpr std::uint64_t alignment = 64;
constexpr std::int64_t mostBlocks = 256;
constexpr std::int64_t fewestBlocks = 4;
constexpr std::uint64_t partialsBudget = std::uint64_t{256} << 20; ///< bytes that all partials together should not exceed

} // namespace

bool dependsOnOrder(std::uint8_t op, std::uint8_t scalar) {
  switch (scalar) {
  case STREAMAP_F32:
  case STREAMAP_F64:
  case STREAMAP_F80:
  case STREAMAP_C32:
  case STREAMAP_C64:
    return op == STREAMAP_OP_ADD || op == STREAMAP_OP_MUL;
  default:
    return false;
  }
}

std::size_t scalarBytes(std::uint8_t scalar) {
  switch (scalar) {
  case STREAMAP_I8:
  case STREAMAP_U8:
    return 1;
  case STREAMAP_BOOL:
    return sizeof(bool);
  case STREAMAP_I16:
  case STREAMAP_U16:
    return 2;
  case STREAMAP_I32:
  case STREAMAP_U32:
    return 4;
  case STREAMAP_I64:
  case STREAMAP_U64:
    return 8;
  case STREAMAP_F32:
    return sizeof(float);
  case STREAMAP_F64:
    return sizeof(double);
  case STREAMAP_F80:
    return sizeof(long double);
  case STREAMAP_C32:
    return sizeof(std::complex<float>);
  case STREAMAP_C64:
    return sizeof(std::complex<double>);
  default:
    return 0;
  }
}

std::int64_t reductionBlocks(std::uint64_t length, std::uint64_t bytes) {
  auto affordable =
      static_cast<std::int64_t>(std::min<std::uint64_t>(partialsBudget / std::max<std::uint64_t>(bytes, 1), mostBlocks));
  std::int64_t blocks = std::max(affordable, fewestBlocks);
  return static_cast<std::int64_t>(std::min<std::uint64_t>(length, static_cast<std::uint64_t>(blocks)));
}

void ReductionPlan::allocate(std::int64_t count) {
  assert(!target.empty() && count > 0);
  stride = (hull.bytes() + alignment - 1) / alignment * alignment;
  buffer.reset(new std::byte[static_cast<std::size_t>(count) * stride + alignment]);
  HomeAddress start = reinterpret_cast<std::uintptr_t>(buffer.get());
  partials = start + (hull.lo - start) % alignment;
}

} // namespace streamap
