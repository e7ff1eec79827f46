// The CUDA double: what every call has in common.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "call.h"

namespace doubles {

Call::Call(const char *callName, Needs needs) : world(doubles::world()), lock(world.mutex), name(callName) {
  if (!contextStack().empty())
    context = contextStack().back();
  early = world.countCall(name);
  if (early != CUDA_SUCCESS) {
    if (context && isSticky(early))
      context->sticky = early;
    return;
  }
  if (insideHostFunction() && needs != Needs::Nothing)
    early = misused(CUDA_ERROR_NOT_PERMITTED, "called from a host function");
  else if (needs != Needs::Nothing && !world.initialised)
    early = CUDA_ERROR_NOT_INITIALIZED;
  else if (needs == Needs::Context) {
    if (!context)
      early = misused(CUDA_ERROR_INVALID_CONTEXT, "no context is current");
    else if (!context->alive)
      early = misused(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the current context has been destroyed");
    else if (context->sticky != 0)
      early = static_cast<CUresult>(context->sticky.load());
  }
}

} // namespace doubles
