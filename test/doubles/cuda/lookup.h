// The CUDA double: from what a call is given to what it means.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "call.h"

namespace doubles {

/// Null if there is none.
Device *findDevice(World &world, CUdevice device);
/// Whether the hardware lets \p from reach the memory of \p to.
bool canReach(const World &world, const Device &from, const Device &to);

/// The stream that a handle stands for: null in \p stream for the null stream of the current context. Work may be queued in
/// streams of the current context only; \p anyContext: for calls that only look.
CUresult findStream(Call &call, CUstream handle, Stream *&stream, bool anyContext = false);
CUresult findEvent(Call &call, CUevent handle, Event *&event);

} // namespace doubles
