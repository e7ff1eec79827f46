// The CUDA double: calls about contexts.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_memory.h"
#include "functions.h"
#include "lookup.h"

namespace doubles {
namespace {

/// What stands in the way of a context on the device.
CUresult unavailable(const Device &device) {
  if (device.settings->broken != 0)
    return static_cast<CUresult>(device.settings->broken);
  const bool refused =
      device.settings->computeMode == static_cast<int>(CU_COMPUTEMODE_PROHIBITED) ||
      (device.settings->computeMode == static_cast<int>(CU_COMPUTEMODE_EXCLUSIVE_PROCESS) && device.settings->busy);
  return refused ? CUDA_ERROR_DEVICE_UNAVAILABLE : CUDA_SUCCESS;
}

Context &makePrimary(World &world, Device &device) {
  Context &context = *world.contexts.add(std::make_unique<Context>());
  context.device = &device;
  context.legacy = world.makeStream(context, CU_STREAM_DEFAULT);
  if (device.key == 0)
    device.key = protectionKey(device.ordinal);
  device.primary = &context;
  return context;
}

void endPrimary(Call &call, Device &device) {
  Context &context = *device.primary;
  call.wait(call.world.tails(context));
  device.primary = nullptr;
  device.retained = 0;
  call.world.destroyContext(context);
}

CUresult contextOf(Call &call, CUcontext handle, Context *&context) {
  context = call.world.contexts.find(handle);
  if (context)
    return CUDA_SUCCESS;
  return call.misused(CUDA_ERROR_INVALID_CONTEXT, call.world.contexts.wasAlive(handle) ? "a dead context" : "no context");
}

} // namespace

DOUBLE_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return callApi(
      "cuDevicePrimaryCtxRetain", Needs::Device,
      [&](Call &call) -> CUresult {
        Device *const found = findDevice(call.world, device);
        if (!found || !context)
          return call.misused(found ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE, "no device or no place");
        if (!found->primary) {
          if (const CUresult obstacle = unavailable(*found); obstacle != CUDA_SUCCESS)
            return obstacle;
          makePrimary(call.world, *found);
        }
        ++found->retained;
        *context = reinterpret_cast<CUcontext>(found->primary);
        return CUDA_SUCCESS;
      },
      context, device);
}

DOUBLE_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return callApi(
      "cuDevicePrimaryCtxRelease_v2", Needs::Device,
      [&](Call &call) -> CUresult {
        Device *const found = findDevice(call.world, device);
        if (!found)
          return call.misused(CUDA_ERROR_INVALID_DEVICE, "no device");
        if (found->retained == 0)
          return call.misused(CUDA_ERROR_INVALID_CONTEXT, "nobody retains it");
        if (found->retained == 1)
          endPrimary(call, *found);
        else
          --found->retained;
        return CUDA_SUCCESS;
      },
      device);
}

DOUBLE_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return callApi(
      "cuDevicePrimaryCtxReset_v2", Needs::Device,
      [&](Call &call) -> CUresult {
        Device *const found = findDevice(call.world, device);
        if (!found)
          return call.misused(CUDA_ERROR_INVALID_DEVICE, "no device");
        if (found->primary)
          endPrimary(call, *found);
        return CUDA_SUCCESS;
      },
      device);
}

DOUBLE_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return callApi(
      "cuDevicePrimaryCtxSetFlags_v2", Needs::Device,
      [&](Call &call) -> CUresult {
        Device *const found = findDevice(call.world, device);
        if (!found)
          return call.misused(CUDA_ERROR_INVALID_DEVICE, "no device");
        if ((flags & ~0xffU) != 0)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "flags");
        found->flags = flags;
        return CUDA_SUCCESS;
      },
      device, flags);
}

DOUBLE_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  return callApi(
      "cuDevicePrimaryCtxGetState", Needs::Device,
      [&](Call &call) -> CUresult {
        const Device *const found = findDevice(call.world, device);
        if (!found)
          return call.misused(CUDA_ERROR_INVALID_DEVICE, "no device");
        *flags = found->flags;
        *active = found->primary != nullptr;
        return CUDA_SUCCESS;
      },
      device, flags, active);
}

DOUBLE_API CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return callApi(
      "cuCtxPushCurrent_v2", Needs::Init,
      [&](Call &call) -> CUresult {
        Context *found = nullptr;
        const CUresult result = contextOf(call, context, found);
        if (result == CUDA_SUCCESS)
          contextStack().push_back(found);
        return result;
      },
      context);
}

DOUBLE_API CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  return callApi(
      "cuCtxPopCurrent_v2", Needs::Init,
      [&](Call &call) -> CUresult {
        if (contextStack().empty())
          return call.misused(CUDA_ERROR_INVALID_CONTEXT, "nothing to pop");
        if (context)
          *context = reinterpret_cast<CUcontext>(contextStack().back());
        contextStack().pop_back();
        return CUDA_SUCCESS;
      },
      context);
}

DOUBLE_API CUresult cuCtxSetCurrent(CUcontext context) {
  return callApi(
      "cuCtxSetCurrent", Needs::Init,
      [&](Call &call) -> CUresult {
        Context *found = nullptr;
        if (context)
          if (const CUresult result = contextOf(call, context, found); result != CUDA_SUCCESS)
            return result;
        if (!contextStack().empty())
          contextStack().pop_back();
        if (found)
          contextStack().push_back(found);
        return CUDA_SUCCESS;
      },
      context);
}

DOUBLE_API CUresult cuCtxGetCurrent(CUcontext *context) {
  return callApi(
      "cuCtxGetCurrent", Needs::Init,
      [&](Call &call) -> CUresult {
        *context = reinterpret_cast<CUcontext>(call.context);
        return CUDA_SUCCESS;
      },
      context);
}

DOUBLE_API CUresult cuCtxGetDevice(CUdevice *device) {
  return callApi(
      "cuCtxGetDevice", Needs::Context,
      [&](Call &call) -> CUresult {
        *device = call.context->device->ordinal;
        return CUDA_SUCCESS;
      },
      device);
}

DOUBLE_API CUresult cuCtxSynchronize() {
  return callApi("cuCtxSynchronize", Needs::Context, [&](Call &call) -> CUresult {
    call.wait(call.world.tails(*call.context));
    return static_cast<CUresult>(call.context->sticky.load());
  });
}

DOUBLE_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return callApi(
      "cuCtxEnablePeerAccess", Needs::Context,
      [&](Call &call) -> CUresult {
        Context *found = nullptr;
        if (const CUresult result = contextOf(call, peer, found); result != CUDA_SUCCESS)
          return result;
        if (flags != 0)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "flags must be 0");
        if (!canReach(call.world, *call.context->device, *found->device))
          return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
        return call.context->peers.insert(found).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
      },
      peer, flags);
}

DOUBLE_API CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return callApi(
      "cuCtxDisablePeerAccess", Needs::Context,
      [&](Call &call) -> CUresult {
        Context *found = nullptr;
        if (const CUresult result = contextOf(call, peer, found); result != CUDA_SUCCESS)
          return result;
        return call.context->peers.erase(found) ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
      },
      peer);
}

DOUBLE_API CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  return callApi(
      "cuCtxGetStreamPriorityRange", Needs::Context,
      [&](Call &) -> CUresult {
        if (least)
          *least = 0;
        if (greatest)
          *greatest = -5;
        return CUDA_SUCCESS;
      },
      least, greatest);
}

} // namespace doubles
