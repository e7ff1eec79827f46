// StreamMAP runtime: partials of reductions.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/reduction.h"

#include <algorithm>
#include <cassert>
#include <complex>
#include <limits>
#include <type_traits>

#include "streamap/abi.h"

namespace streamap {
namespace {

template <class T> T lowest() {
  if constexpr (std::numeric_limits<T>::has_infinity)
    return -std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::lowest();
}

template <class T> T highest() {
  if constexpr (std::numeric_limits<T>::has_infinity)
    return std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::max();
}

template <class T> T allBits() {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(~T{0});
  else
    return T{1}; // bitwise operators take integers only
}

/// For sums of floating point it is -0: x + -0 is x for every x, zeros included.
template <class T> T sumIdentity() {
  if constexpr (std::is_floating_point_v<T>)
    return T{-0.0};
  else if constexpr (std::is_integral_v<T>)
    return T{0};
  else
    return T{-0.0f, -0.0f};
}

template <class T> T identity(std::uint8_t op) {
  switch (op) {
  case STREAMAP_OP_MUL:
  case STREAMAP_OP_AND:
    return T{1};
  case STREAMAP_OP_MIN:
  case STREAMAP_OP_MAX:
    if constexpr (std::is_arithmetic_v<T>)
      return op == STREAMAP_OP_MIN ? highest<T>() : lowest<T>();
    break;
  case STREAMAP_OP_BITAND:
    return allBits<T>();
  case STREAMAP_OP_BITOR:
  case STREAMAP_OP_BITXOR:
  case STREAMAP_OP_OR:
    return T{};
  case STREAMAP_OP_ADD:
    return sumIdentity<T>();
  default:
    break;
  }
  assert(false && "no such operator for this type");
  return T{};
}

template <class T> void fill(std::byte *first, std::uint64_t elements, std::uint8_t op) {
  std::fill_n(reinterpret_cast<T *>(first), elements, identity<T>(op));
}

/// bool: & and && want true, the others false.
template <> void fill<bool>(std::byte *first, std::uint64_t elements, std::uint8_t op) {
  const bool value = op == STREAMAP_OP_BITAND || op == STREAMAP_OP_AND || op == STREAMAP_OP_MUL || op == STREAMAP_OP_MIN;
  std::fill_n(reinterpret_cast<bool *>(first), elements, value);
}

} // namespace

void fillIdentity(std::byte *first, std::uint64_t elements, std::uint8_t op, std::uint8_t scalar) {
  switch (scalar) {
  case STREAMAP_I8:
    return fill<std::int8_t>(first, elements, op);
  case STREAMAP_U8:
    return fill<std::uint8_t>(first, elements, op);
  case STREAMAP_I16:
    return fill<std::int16_t>(first, elements, op);
  case STREAMAP_U16:
    return fill<std::uint16_t>(first, elements, op);
  case STREAMAP_I32:
    return fill<std::int32_t>(first, elements, op);
  case STREAMAP_U32:
    return fill<std::uint32_t>(first, elements, op);
  case STREAMAP_I64:
    return fill<std::int64_t>(first, elements, op);
  case STREAMAP_U64:
    return fill<std::uint64_t>(first, elements, op);
  case STREAMAP_F32:
    return fill<float>(first, elements, op);
  case STREAMAP_F64:
    return fill<double>(first, elements, op);
  case STREAMAP_F80:
    return fill<long double>(first, elements, op);
  case STREAMAP_C32:
    return fill<std::complex<float>>(first, elements, op);
  case STREAMAP_C64:
    return fill<std::complex<double>>(first, elements, op);
  case STREAMAP_BOOL:
    return fill<bool>(first, elements, op);
  default:
    assert(false && "a reduction has scalar elements");
  }
}

} // namespace streamap
