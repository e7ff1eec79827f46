// Our declarations of the CUDA driver API against NVIDIA's own, while this compiles. Built only where there is a toolkit.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <type_traits>

#include "device/cuda/driver_types.h"

namespace streamap::cuda {
#define CUDA_FUNCTION(name, parameters) CUresult name parameters;
#include "device/cuda/driver_functions.def"
#include "other_functions.def"
#undef CUDA_FUNCTION

// Macros in cuda.h, so they are kept before it comes.
constexpr unsigned hostAllocPortable = CU_MEMHOSTALLOC_PORTABLE, hostAllocMapped = CU_MEMHOSTALLOC_DEVICEMAP;
constexpr unsigned hostRegisterPortable = CU_MEMHOSTREGISTER_PORTABLE, hostRegisterMapped = CU_MEMHOSTREGISTER_DEVICEMAP;
} // namespace streamap::cuda

// NVIDIA's own switch: every version of a call is declared under its own symbol, and no macro stands for another.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

namespace ours = streamap::cuda;

namespace {

/// The same to a caller: pointers, functions apart from data, and numbers of the same size.
template <class A, class B>
constexpr bool alike = sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
                       std::is_function_v<std::remove_pointer_t<A>> == std::is_function_v<std::remove_pointer_t<B>> &&
                       std::is_floating_point_v<A> == std::is_floating_point_v<B>;

template <class Ours, class Theirs> constexpr bool sameCall = false;
template <class R, class... A, class S, class... B>
  requires(sizeof...(A) == sizeof...(B))
constexpr bool sameCall<R(A...), S(B...)> = alike<R, S> && (alike<A, B> && ...);

#define CUDA_FUNCTION(name, parameters) static_assert(sameCall<decltype(ours::name), decltype(::name)>, #name);
#include "device/cuda/driver_functions.def"
#include "other_functions.def"
#undef CUDA_FUNCTION

#define SAME_NUMBER(name, value) static_assert(static_cast<int>(ours::name) == static_cast<int>(::name), #name);
STREAMAP_CUDA_RESULTS(SAME_NUMBER)
STREAMAP_CUDA_DEVICE_ATTRIBUTES(SAME_NUMBER)
#undef SAME_NUMBER
#define SAME_ENUMERATOR(type, name, value) static_assert(static_cast<int>(ours::name) == static_cast<int>(::name), #name);
STREAMAP_CUDA_OTHER_NUMBERS(SAME_ENUMERATOR)
#undef SAME_ENUMERATOR
static_assert(ours::hostAllocPortable == CU_MEMHOSTALLOC_PORTABLE && ours::hostAllocMapped == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(ours::hostRegisterPortable == CU_MEMHOSTREGISTER_PORTABLE &&
              ours::hostRegisterMapped == CU_MEMHOSTREGISTER_DEVICEMAP);
#define SAME_FLAG(name) static_assert(ours::name == static_cast<unsigned>(::name), #name);
SAME_FLAG(CU_CTX_SCHED_AUTO)
SAME_FLAG(CU_CTX_SCHED_SPIN)
SAME_FLAG(CU_CTX_SCHED_YIELD)
SAME_FLAG(CU_CTX_SCHED_BLOCKING_SYNC)
SAME_FLAG(CU_STREAM_DEFAULT)
SAME_FLAG(CU_STREAM_NON_BLOCKING)
SAME_FLAG(CU_EVENT_DEFAULT)
SAME_FLAG(CU_EVENT_BLOCKING_SYNC)
SAME_FLAG(CU_EVENT_DISABLE_TIMING)
#undef SAME_FLAG

#define SAME_FIELD(field) static_assert(offsetof(ours::CUDA_MEMCPY2D, field) == offsetof(::CUDA_MEMCPY2D, field), #field);
static_assert(sizeof(ours::CUDA_MEMCPY2D) == sizeof(::CUDA_MEMCPY2D));
SAME_FIELD(srcXInBytes)
SAME_FIELD(srcY)
SAME_FIELD(srcMemoryType)
SAME_FIELD(srcHost)
SAME_FIELD(srcDevice)
SAME_FIELD(srcPitch)
SAME_FIELD(dstXInBytes)
SAME_FIELD(dstY)
SAME_FIELD(dstMemoryType)
SAME_FIELD(dstHost)
SAME_FIELD(dstDevice)
SAME_FIELD(dstPitch)
SAME_FIELD(WidthInBytes)
SAME_FIELD(Height)
#undef SAME_FIELD
static_assert(sizeof(ours::CUuuid) == sizeof(::CUuuid));

} // namespace
