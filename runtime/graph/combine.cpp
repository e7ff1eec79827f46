// StreamMAP runtime: the internal task that puts a reduction's partials together.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <complex>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "graph/reduction.h"

namespace streamap {
namespace {

/// The fixed part of the pack. The target's runs follow it.
struct CombineHeader {
  const std::byte *target;   ///< first byte of the hull
  const std::byte *partials; ///< first byte of the first partial
  std::int64_t blocks;
  std::uint64_t stride;
  std::uint64_t runs;
  std::uint8_t op, scalar;
};

/// Bytes [offset, offset + bytes) of the hull.
struct CombineRun {
  std::uint64_t offset, bytes;
};

template <class T> struct IsComplex : std::false_type {};
template <class T> struct IsComplex<std::complex<T>> : std::true_type {};

/// a op b as C computes it in the type of the target.
template <class T> T applied(std::uint8_t op, T a, T b) {
  if (op == STREAMAP_OP_ADD)
    return static_cast<T>(a + b);
  if constexpr (IsComplex<T>::value) {
    // C's product: NaNs aside it is this, and it is the same on every rank.
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    switch (op) {
    case STREAMAP_OP_MUL:
      return static_cast<T>(a * b);
    case STREAMAP_OP_MIN:
      return b < a ? b : a;
    case STREAMAP_OP_MAX:
      return b > a ? b : a;
    case STREAMAP_OP_AND:
      return static_cast<T>(a && b);
    case STREAMAP_OP_OR:
      return static_cast<T>(a || b);
    default:
      if constexpr (std::is_integral_v<T>) {
        if (op == STREAMAP_OP_BITAND)
          return static_cast<T>(a & b);
        if (op == STREAMAP_OP_BITOR)
          return static_cast<T>(a | b);
        return static_cast<T>(a ^ b);
      }
      return a;
    }
  }
}

template <class T> void combineRun(const CombineHeader &pack, const CombineRun &run) {
  auto *target = const_cast<std::byte *>(pack.target) + run.offset;
  for (std::int64_t block = 0; block < pack.blocks; ++block) {
    const std::byte *partial = pack.partials + static_cast<std::uint64_t>(block) * pack.stride + run.offset;
    for (std::uint64_t at = 0; at + sizeof(T) <= run.bytes; at += sizeof(T)) {
      T a, b;
      std::memcpy(&a, target + at, sizeof(T));
      std::memcpy(&b, partial + at, sizeof(T));
      // Wraps around where C's signed overflow would be undefined: the order of the additions is ours, not the program's.
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        if (pack.op == STREAMAP_OP_ADD || pack.op == STREAMAP_OP_MUL) {
          auto wide = [](T v) { return static_cast<std::uint64_t>(v); };
          a = static_cast<T>(pack.op == STREAMAP_OP_ADD ? wide(a) + wide(b) : wide(a) * wide(b));
          std::memcpy(target + at, &a, sizeof(T));
          continue;
        }
      }
      a = applied<T>(pack.op, a, b);
      std::memcpy(target + at, &a, sizeof(T));
    }
  }
}

void combineBody(const void *packed) {
  CombineHeader pack;
  std::memcpy(&pack, packed, sizeof pack);
  const auto *runs = reinterpret_cast<const CombineRun *>(static_cast<const std::byte *>(packed) + sizeof pack);
  for (std::uint64_t k = 0; k < pack.runs; ++k) {
    switch (pack.scalar) {
#define STREAMAP_COMBINE(scalar, type)                                                                                           \
  case scalar:                                                                                                                   \
    combineRun<type>(pack, runs[k]);                                                                                             \
    break;
      STREAMAP_COMBINE(STREAMAP_I8, std::int8_t)
      STREAMAP_COMBINE(STREAMAP_U8, std::uint8_t)
      STREAMAP_COMBINE(STREAMAP_I16, std::int16_t)
      STREAMAP_COMBINE(STREAMAP_U16, std::uint16_t)
      STREAMAP_COMBINE(STREAMAP_I32, std::int32_t)
      STREAMAP_COMBINE(STREAMAP_U32, std::uint32_t)
      STREAMAP_COMBINE(STREAMAP_I64, std::int64_t)
      STREAMAP_COMBINE(STREAMAP_U64, std::uint64_t)
      STREAMAP_COMBINE(STREAMAP_F32, float)
      STREAMAP_COMBINE(STREAMAP_F64, double)
      STREAMAP_COMBINE(STREAMAP_F80, long double)
      STREAMAP_COMBINE(STREAMAP_C32, std::complex<float>)
      STREAMAP_COMBINE(STREAMAP_C64, std::complex<double>)
      STREAMAP_COMBINE(STREAMAP_BOOL, bool)
#undef STREAMAP_COMBINE
    default:
      break;
    }
  }
}

constexpr streamap_param combineParams[] = {
    {"target", offsetof(CombineHeader, target), sizeof(void *), 1, STREAMAP_INOUT, STREAMAP_OP_NONE, STREAMAP_NOT_SCALAR},
    {"partials", offsetof(CombineHeader, partials), sizeof(void *), 1, STREAMAP_IN, STREAMAP_OP_NONE, STREAMAP_NOT_SCALAR},
};

constexpr streamap_task describeCombine() {
  streamap_task task{};
  task.abi_version = STREAMAP_ABI_VERSION;
  task.size = sizeof task;
  task.name = "reduction";
  task.file = "streamap";
  task.nparams = 2;
  task.pack_size = sizeof(CombineHeader);
  task.params = combineParams;
  task.body = combineBody;
  return task;
}

} // namespace

constinit const streamap_task combineTask = describeCombine();

std::vector<std::byte> combinePack(const ReductionPlan &plan, std::int64_t blocks) {
  CombineHeader header{};
  header.target = reinterpret_cast<const std::byte *>(plan.hull.lo);    // NOLINT(performance-no-int-to-ptr)
  header.partials = reinterpret_cast<const std::byte *>(plan.partials); // NOLINT(performance-no-int-to-ptr)
  header.blocks = blocks;
  header.stride = plan.stride;
  header.runs = plan.target.size();
  header.op = plan.op;
  header.scalar = plan.scalar;
  std::vector<std::byte> bytes(sizeof header + plan.target.size() * sizeof(CombineRun));
  std::memcpy(bytes.data(), &header, sizeof header);
  std::byte *at = bytes.data() + sizeof header;
  for (ByteRun run : plan.target) {
    CombineRun part{run.lo - plan.hull.lo, run.bytes()};
    std::memcpy(at, &part, sizeof part);
    at += sizeof part;
  }
  return bytes;
}

namespace {

/// So that every rank finds the task by its key.
__attribute__((constructor)) void registerCombine() {
  static const streamap_task *const tasks[] = {&combineTask};
  static const streamap_unit unit = {STREAMAP_ABI_VERSION, 1, "streamap", "libstreamap", tasks, nullptr, nullptr};
  streamap_register(&unit);
}

} // namespace

} // namespace streamap
