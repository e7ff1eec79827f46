// The CUDA double: modules, functions, launches.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlfcn.h>
#include <signal.h>

#include <cstring>
#include <numeric>
#include <span>

#include "device_memory.h"
#include "functions.h"
#include "lookup.h"
#include "module.h"
#include "run_kernel.h"

namespace doubles {
namespace {

constexpr int maximumThreads = 1024, threadsPerSm = 2048, blocksPerSm = 32;
constexpr std::size_t sharedPerSm = std::size_t{99} << 10;

/// Puts the log where the caller wants it, cut to the room that there is.
void giveLog(const std::string &log, std::span<const CUjit_option> options, void **values) {
  char *buffer = nullptr;
  void **sizePlace = nullptr;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      buffer = static_cast<char *>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      sizePlace = &values[i];
  }
  if (!buffer || !sizePlace)
    return;
  const auto room = reinterpret_cast<std::uintptr_t>(*sizePlace) & 0xffffffffU;
  const std::size_t bytes = room == 0 ? 0 : std::min<std::size_t>(log.size(), room - 1);
  std::memcpy(buffer, log.data(), bytes);
  if (room > 0)
    buffer[bytes] = '\0';
  *sizePlace = reinterpret_cast<void *>(bytes); // how much there is comes back in the value itself
}

CUresult load(Call &call, CUmodule *module, const void *image, std::span<const CUjit_option> options, void **values) {
  if (!module || !image)
    return call.misused(CUDA_ERROR_INVALID_VALUE, "null");
  LoadedImage loaded = loadImage(call.world, *call.context->device, image);
  giveLog(loaded.log, options, values);
  if (!loaded.log.empty())
    call.world.log("image: " + loaded.log);
  if (loaded.result != CUDA_SUCCESS)
    return loaded.result;
  auto made = std::make_unique<Module>();
  made->context = call.context;
  made->library = loaded.library;
  made->kernels = std::move(loaded.kernels);
  *module = reinterpret_cast<CUmodule>(call.world.modules.add(std::move(made)));
  return CUDA_SUCCESS;
}

CUresult findModule(Call &call, CUmodule handle, Module *&module) {
  module = call.world.modules.find(handle);
  if (!module)
    return call.misused(CUDA_ERROR_INVALID_HANDLE, call.world.modules.wasAlive(handle) ? "a dead module" : "no module");
  return module->context == call.context ? CUDA_SUCCESS : call.misused(CUDA_ERROR_INVALID_HANDLE, "a module of another context");
}

CUresult findFunction(Call &call, CUfunction handle, Function *&function) {
  function = call.world.functions.find(handle);
  if (!function)
    return call.misused(CUDA_ERROR_INVALID_HANDLE,
                        call.world.functions.wasAlive(handle) ? "a function of a dead module" : "no function");
  return function->module->context == call.context ? CUDA_SUCCESS
                                                   : call.misused(CUDA_ERROR_INVALID_HANDLE, "a function of another context");
}

/// Offsets of parameters in a device's parameter buffer: each aligned to its size, up to 8.
std::size_t parameterOffset(const streamap_kernel &kernel, std::size_t index) {
  std::size_t offset = 0;
  for (std::size_t i = 0; i <= index; ++i) {
    std::size_t alignment = 1;
    while (alignment < 8 && kernel.argument_sizes[i] % (2 * alignment) == 0)
      alignment *= 2;
    offset = (offset + alignment - 1) / alignment * alignment;
    if (i < index)
      offset += kernel.argument_sizes[i];
  }
  return offset;
}

int activeBlocks(int threads, std::size_t shared) {
  const std::size_t byShared = shared == 0 ? blocksPerSm : sharedPerSm / shared;
  return static_cast<int>(std::min<std::size_t>({static_cast<std::size_t>(threadsPerSm / threads), blocksPerSm, byShared}));
}

CUresult checkShape(Call &call, const Function &function, const streamap_dim3 &grid, const streamap_dim3 &block,
                    std::size_t shared) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || threads == 0)
    return call.misused(CUDA_ERROR_INVALID_VALUE, "an empty grid or block");
  if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535 || block.x > 1024 || block.y > 1024 || block.z > 64 ||
      threads > maximumThreads)
    return call.misused(CUDA_ERROR_INVALID_VALUE, "a grid or block beyond the limits");
  if (shared > static_cast<std::size_t>(function.maximumDynamicShared))
    return call.misused(CUDA_ERROR_INVALID_VALUE, "more shared memory than the function may have");
  return CUDA_SUCCESS;
}

CUresult errorOf(int signal) {
  return signal == SIGSEGV || signal == SIGBUS ? CUDA_ERROR_ILLEGAL_ADDRESS
         : signal == SIGILL                    ? CUDA_ERROR_ILLEGAL_INSTRUCTION
                                               : CUDA_ERROR_LAUNCH_FAILED;
}

void runInStream(World &world, Context &context, const KernelLaunch &launch) {
  if (world.failsInStream(context, "kernel"))
    return;
  const ActingAsDevice access(world, context);
  if (const int signal = runKernel(launch))
    context.sticky = errorOf(signal);
}

} // namespace

DOUBLE_API CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return callApi(
      "cuModuleLoadData", Needs::Context, [&](Call &call) { return load(call, module, image, {}, nullptr); }, module, image);
}

DOUBLE_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options,
                                       void **values) {
  return callApi(
      "cuModuleLoadDataEx", Needs::Context, [&](Call &call) { return load(call, module, image, {options, count}, values); },
      module, image, count, options, values);
}

DOUBLE_API CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return callApi(
      "cuModuleLoadFatBinary", Needs::Context, [&](Call &call) { return load(call, module, image, {}, nullptr); }, module, image);
}

DOUBLE_API CUresult cuModuleUnload(CUmodule module) {
  return callApi(
      "cuModuleUnload", Needs::Context,
      [&](Call &call) -> CUresult {
        Module *found = nullptr;
        if (const CUresult result = findModule(call, module, found); result != CUDA_SUCCESS)
          return result;
        call.wait(call.world.tails(*call.context)); // code that may be running
        call.world.functions.killIf([&](const Function &function) { return function.module == found; }, [](Function &) {});
        call.world.modules.kill(found, unloadModule);
        return CUDA_SUCCESS;
      },
      module);
}

DOUBLE_API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  return callApi(
      "cuModuleGetFunction", Needs::Context,
      [&](Call &call) -> CUresult {
        Module *found = nullptr;
        if (const CUresult result = findModule(call, module, found); result != CUDA_SUCCESS)
          return result;
        if (!function || !name)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "null");
        const auto kernel = std::find_if(found->kernels.begin(), found->kernels.end(),
                                         [&](const streamap_kernel &k) { return std::strcmp(k.name, name) == 0; });
        if (kernel == found->kernels.end() || !kernel->twin)
          return CUDA_ERROR_NOT_FOUND;
        Function *&place = found->functions[name];
        if (!place) {
          auto made = std::make_unique<Function>();
          made->module = found;
          made->kernel = &*kernel;
          place = call.world.functions.add(std::move(made));
        }
        *function = reinterpret_cast<CUfunction>(place);
        return CUDA_SUCCESS;
      },
      function, module, name);
}

DOUBLE_API CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, std::size_t *bytes, CUmodule module, const char *name) {
  return callApi(
      "cuModuleGetGlobal_v2", Needs::Context,
      [&](Call &call) -> CUresult {
        Module *found = nullptr;
        if (const CUresult result = findModule(call, module, found); result != CUDA_SUCCESS)
          return result;
        return CUDA_ERROR_NOT_FOUND; // twins export no variables
      },
      pointer, bytes, module, name);
}

DOUBLE_API CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  return callApi(
      "cuFuncGetAttribute", Needs::Context,
      [&](Call &call) -> CUresult {
        Function *found = nullptr;
        if (const CUresult result = findFunction(call, function, found); result != CUDA_SUCCESS)
          return result;
        const DeviceSettings &device = *call.context->device->settings;
        if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
          *value = maximumThreads;
        else if (attribute == CU_FUNC_ATTRIBUTE_NUM_REGS)
          *value = 32;
        else if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
          *value = found->maximumDynamicShared;
        else if (attribute == CU_FUNC_ATTRIBUTE_BINARY_VERSION || attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION)
          *value = device.ccMajor * 10 + device.ccMinor;
        else if (attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES || attribute == CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES ||
                 attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
          *value = 0;
        else
          return CUDA_ERROR_INVALID_VALUE;
        return CUDA_SUCCESS;
      },
      value, static_cast<unsigned>(attribute), function);
}

DOUBLE_API CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return callApi(
      "cuFuncSetAttribute", Needs::Context,
      [&](Call &call) -> CUresult {
        Function *found = nullptr;
        if (const CUresult result = findFunction(call, function, found); result != CUDA_SUCCESS)
          return result;
        if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
            static_cast<std::size_t>(value) > sharedPerSm)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "an attribute or a value that cannot be set");
        found->maximumDynamicShared = value;
        return CUDA_SUCCESS;
      },
      function, static_cast<unsigned>(attribute), value);
}

DOUBLE_API CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t *offset, std::size_t *size) {
  return callApi(
      "cuFuncGetParamInfo", Needs::Context,
      [&](Call &call) -> CUresult {
        Function *found = nullptr;
        if (const CUresult result = findFunction(call, function, found); result != CUDA_SUCCESS)
          return result;
        if (index >= found->kernel->nargs)
          return CUDA_ERROR_INVALID_VALUE; // how programs count parameters
        *offset = parameterOffset(*found->kernel, index);
        if (size)
          *size = found->kernel->argument_sizes[index];
        return CUDA_SUCCESS;
      },
      function, index, offset, size);
}

DOUBLE_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                                std::size_t shared) {
  return callApi(
      "cuOccupancyMaxActiveBlocksPerMultiprocessor", Needs::Context,
      [&](Call &call) -> CUresult {
        Function *found = nullptr;
        if (const CUresult result = findFunction(call, function, found); result != CUDA_SUCCESS)
          return result;
        if (threads < 1 || threads > maximumThreads)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "threads");
        *blocks = activeBlocks(threads, shared);
        return CUDA_SUCCESS;
      },
      blocks, function, threads, shared);
}

DOUBLE_API CUresult cuOccupancyMaxPotentialBlockSize(int *minimumGrid, int *block, CUfunction function,
                                                     CUoccupancyB2DSize sharedOf, std::size_t shared, int limit) {
  return callApi(
      "cuOccupancyMaxPotentialBlockSize", Needs::Context,
      [&](Call &call) -> CUresult {
        Function *found = nullptr;
        if (const CUresult result = findFunction(call, function, found); result != CUDA_SUCCESS)
          return result;
        *block = limit > 0 ? std::min(limit, maximumThreads) : maximumThreads;
        *minimumGrid = activeBlocks(*block, sharedOf ? sharedOf(*block) : shared) * call.context->device->settings->sms;
        return CUDA_SUCCESS;
      },
      minimumGrid, block, function, sharedOf, shared, limit);
}

DOUBLE_API CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                                   unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void **parameters,
                                   void **extra) {
  return callApi(
      "cuLaunchKernel", Needs::Context,
      [&](Call &call) -> CUresult {
        Function *found = nullptr;
        Stream *foundStream = nullptr;
        if (const CUresult result = findFunction(call, function, found); result != CUDA_SUCCESS)
          return result;
        if (const CUresult result = findStream(call, stream, foundStream); result != CUDA_SUCCESS)
          return result;
        KernelLaunch launch{found->kernel, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, {}};
        if (const CUresult result = checkShape(call, *found, launch.grid, launch.block, sharedBytes); result != CUDA_SUCCESS)
          return result;
        if (extra)
          return call.misused(CUDA_ERROR_NOT_SUPPORTED, "the double takes parameters one by one only");
        if (!parameters && launch.kernel->nargs > 0)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "no parameters");
        for (std::uint32_t i = 0; i < launch.kernel->nargs; ++i) {
          const auto *const bytes = static_cast<const unsigned char *>(parameters[i]);
          launch.arguments.emplace_back(bytes, bytes + launch.kernel->argument_sizes[i]);
        }
        Context &context = *call.context;
        call.world.enqueue(context, foundStream,
                           [&world = call.world, &context, launch = std::move(launch)] { runInStream(world, context, launch); });
        return CUDA_SUCCESS;
      },
      function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, parameters, extra);
}

} // namespace doubles
