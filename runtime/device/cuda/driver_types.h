// StreamMAP runtime: the types of the CUDA driver API that we use, declared by ourselves.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building needs no CUDA toolkit. Names and numbers are NVIDIA's, so that its documentation can be read beside this; where a
// toolkit is there, test/doubles compares every one of them with cuda.h while it compiles.
#pragma once

#include <cstddef>

namespace streamap::cuda {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUarray = struct CUarray_st *;

struct CUuuid {
  char bytes[16];
};

#define STREAMAP_CUDA_RESULTS(X)                                                                                                 \
  X(CUDA_SUCCESS, 0)                                                                                                             \
  X(CUDA_ERROR_INVALID_VALUE, 1)                                                                                                 \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2)                                                                                                 \
  X(CUDA_ERROR_NOT_INITIALIZED, 3)                                                                                               \
  X(CUDA_ERROR_DEINITIALIZED, 4)                                                                                                 \
  X(CUDA_ERROR_STUB_LIBRARY, 34)                                                                                                 \
  X(CUDA_ERROR_DEVICE_UNAVAILABLE, 46)                                                                                           \
  X(CUDA_ERROR_NO_DEVICE, 100)                                                                                                   \
  X(CUDA_ERROR_INVALID_DEVICE, 101)                                                                                              \
  X(CUDA_ERROR_DEVICE_NOT_LICENSED, 102)                                                                                         \
  X(CUDA_ERROR_INVALID_IMAGE, 200)                                                                                               \
  X(CUDA_ERROR_INVALID_CONTEXT, 201)                                                                                             \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                                                                                           \
  X(CUDA_ERROR_ECC_UNCORRECTABLE, 214)                                                                                           \
  X(CUDA_ERROR_UNSUPPORTED_LIMIT, 215)                                                                                           \
  X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217)                                                                                     \
  X(CUDA_ERROR_INVALID_PTX, 218)                                                                                                 \
  X(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)                                                                                        \
  X(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221)                                                                                      \
  X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)                                                                                     \
  X(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223)                                                                                    \
  X(CUDA_ERROR_CONTAINED, 226)                                                                                                   \
  X(CUDA_ERROR_OPERATING_SYSTEM, 304)                                                                                            \
  X(CUDA_ERROR_INVALID_HANDLE, 400)                                                                                              \
  X(CUDA_ERROR_NOT_FOUND, 500)                                                                                                   \
  X(CUDA_ERROR_NOT_READY, 600)                                                                                                   \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                                                                                             \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)                                                                                     \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702)                                                                                              \
  X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704)                                                                                 \
  X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705)                                                                                     \
  X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708)                                                                                      \
  X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)                                                                                        \
  X(CUDA_ERROR_ASSERT, 710)                                                                                                      \
  X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712)                                                                              \
  X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713)                                                                                  \
  X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714)                                                                                        \
  X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                                                                                         \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716)                                                                                          \
  X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)                                                                                       \
  X(CUDA_ERROR_INVALID_PC, 718)                                                                                                  \
  X(CUDA_ERROR_LAUNCH_FAILED, 719)                                                                                               \
  X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720)                                                                                \
  X(CUDA_ERROR_NOT_PERMITTED, 800)                                                                                               \
  X(CUDA_ERROR_NOT_SUPPORTED, 801)                                                                                               \
  X(CUDA_ERROR_SYSTEM_NOT_READY, 802)                                                                                            \
  X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803)                                                                                      \
  X(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804)                                                                              \
  X(CUDA_ERROR_UNKNOWN, 999)

#define STREAMAP_CUDA_DEVICE_ATTRIBUTES(X)                                                                                       \
  X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)                                                                                \
  X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 2)                                                                                      \
  X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 3)                                                                                      \
  X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 4)                                                                                      \
  X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 5)                                                                                       \
  X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 6)                                                                                       \
  X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 7)                                                                                       \
  X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8)                                                                          \
  X(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 9)                                                                                \
  X(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10)                                                                                           \
  X(CU_DEVICE_ATTRIBUTE_MAX_PITCH, 11)                                                                                           \
  X(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 12)                                                                             \
  X(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13)                                                                                          \
  X(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                                                                                \
  X(CU_DEVICE_ATTRIBUTE_INTEGRATED, 18)                                                                                          \
  X(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 19)                                                                                 \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 20)                                                                                        \
  X(CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 31)                                                                                  \
  X(CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 32)                                                                                         \
  X(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 33)                                                                                          \
  X(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 34)                                                                                       \
  X(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36)                                                                                   \
  X(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37)                                                                             \
  X(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38)                                                                                       \
  X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39)                                                                      \
  X(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 40)                                                                                  \
  X(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 41)                                                                                  \
  X(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 50)                                                                                       \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                                                                            \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                                                                            \
  X(CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 78)                                                                         \
  X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81)                                                                \
  X(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 83)                                                                                      \
  X(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 95)                                                                                  \
  X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)                                                                   \
  X(CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 99)                                                                             \
  X(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 106)                                                                      \
  X(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 115)                                                                             \
  X(CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, 134)

/// Enumerations of a few values each: X(enumeration, name, value).
#define STREAMAP_CUDA_OTHER_NUMBERS(X)                                                                                           \
  X(CUcomputemode, CU_COMPUTEMODE_DEFAULT, 0)                                                                                    \
  X(CUcomputemode, CU_COMPUTEMODE_PROHIBITED, 2)                                                                                 \
  X(CUcomputemode, CU_COMPUTEMODE_EXCLUSIVE_PROCESS, 3)                                                                          \
  X(CUmemorytype, CU_MEMORYTYPE_HOST, 1)                                                                                         \
  X(CUmemorytype, CU_MEMORYTYPE_DEVICE, 2)                                                                                       \
  X(CUmemorytype, CU_MEMORYTYPE_ARRAY, 3)                                                                                        \
  X(CUmemorytype, CU_MEMORYTYPE_UNIFIED, 4)                                                                                      \
  X(CUjit_option, CU_JIT_INFO_LOG_BUFFER, 3)                                                                                     \
  X(CUjit_option, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, 4)                                                                          \
  X(CUjit_option, CU_JIT_ERROR_LOG_BUFFER, 5)                                                                                    \
  X(CUjit_option, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6)                                                                         \
  X(CUfunction_attribute, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)                                                            \
  X(CUfunction_attribute, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)                                                                \
  X(CUfunction_attribute, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 2)                                                                 \
  X(CUfunction_attribute, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3)                                                                 \
  X(CUfunction_attribute, CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                                                                         \
  X(CUfunction_attribute, CU_FUNC_ATTRIBUTE_PTX_VERSION, 5)                                                                      \
  X(CUfunction_attribute, CU_FUNC_ATTRIBUTE_BINARY_VERSION, 6)                                                                   \
  X(CUfunction_attribute, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)                                                    \
  X(CUpointer_attribute, CU_POINTER_ATTRIBUTE_CONTEXT, 1)                                                                        \
  X(CUpointer_attribute, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2)                                                                    \
  X(CUpointer_attribute, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, 3)                                                                 \
  X(CUpointer_attribute, CU_POINTER_ATTRIBUTE_HOST_POINTER, 4)                                                                   \
  X(CUpointer_attribute, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9)                                                                 \
  X(CUpointer_attribute, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, 11)                                                              \
  X(CUpointer_attribute, CU_POINTER_ATTRIBUTE_RANGE_SIZE, 12)                                                                    \
  X(CUdevice_P2PAttribute, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 1)                                                          \
  X(CUdevice_P2PAttribute, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 2)                                                          \
  X(CUdevice_P2PAttribute, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, 3)

/// Flags, which are plain numbers in cuda.h or belong to enumerations that no call takes: X(name, value).
#define STREAMAP_CUDA_FLAGS(X)                                                                                                   \
  X(CU_CTX_SCHED_AUTO, 0x00)                                                                                                     \
  X(CU_CTX_SCHED_SPIN, 0x01)                                                                                                     \
  X(CU_CTX_SCHED_YIELD, 0x02)                                                                                                    \
  X(CU_CTX_SCHED_BLOCKING_SYNC, 0x04)                                                                                            \
  X(CU_STREAM_DEFAULT, 0x0)                                                                                                      \
  X(CU_STREAM_NON_BLOCKING, 0x1)                                                                                                 \
  X(CU_EVENT_DEFAULT, 0x0)                                                                                                       \
  X(CU_EVENT_BLOCKING_SYNC, 0x1)                                                                                                 \
  X(CU_EVENT_DISABLE_TIMING, 0x2)                                                                                                \
  X(CU_MEMHOSTALLOC_PORTABLE, 0x01)                                                                                              \
  X(CU_MEMHOSTALLOC_DEVICEMAP, 0x02)                                                                                             \
  X(CU_MEMHOSTREGISTER_PORTABLE, 0x01)                                                                                           \
  X(CU_MEMHOSTREGISTER_DEVICEMAP, 0x02)

// NOLINTNEXTLINE(bugprone-macro-parentheses): an enumerator
#define STREAMAP_ENUMERATOR(name, value) name = value,
enum CUresult : unsigned { STREAMAP_CUDA_RESULTS(STREAMAP_ENUMERATOR) };
enum CUdevice_attribute : unsigned { STREAMAP_CUDA_DEVICE_ATTRIBUTES(STREAMAP_ENUMERATOR) };
#undef STREAMAP_ENUMERATOR

enum CUcomputemode : unsigned;
enum CUmemorytype : unsigned;
enum CUjit_option : unsigned;
enum CUfunction_attribute : unsigned;
enum CUpointer_attribute : unsigned;
enum CUdevice_P2PAttribute : unsigned;
enum CUlimit : unsigned {};

#define STREAMAP_CONSTANT(type, name, value) inline constexpr type name{value};
STREAMAP_CUDA_OTHER_NUMBERS(STREAMAP_CONSTANT)
#undef STREAMAP_CONSTANT
#define STREAMAP_FLAG(name, value) inline constexpr unsigned name = value;
STREAMAP_CUDA_FLAGS(STREAMAP_FLAG)
#undef STREAMAP_FLAG

/// A copy of a rectangle. Only host and device memory are used; the array fields keep the layout.
struct CUDA_MEMCPY2D {
  std::size_t srcXInBytes;
  std::size_t srcY;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  std::size_t srcPitch;
  std::size_t dstXInBytes;
  std::size_t dstY;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  std::size_t dstPitch;
  std::size_t WidthInBytes;
  std::size_t Height;
};

using CUhostFn = void (*)(void *userData);
using CUstreamCallback = void (*)(CUstream stream, CUresult status, void *userData);
using CUoccupancyB2DSize = std::size_t (*)(int blockSize);

} // namespace streamap::cuda
