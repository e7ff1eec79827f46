// The CUDA double: streams, events, host functions.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "functions.h"
#include "lookup.h"

namespace doubles {

CUresult findStream(Call &call, CUstream handle, Stream *&stream, bool anyContext) {
  stream = nullptr;
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number <= 1) // the null stream, and its other name CU_STREAM_LEGACY
    return CUDA_SUCCESS;
  if (number == 2)
    return call.misused(CUDA_ERROR_NOT_SUPPORTED, "the double has no per-thread streams");
  stream = call.world.streams.find(handle);
  if (!stream)
    return call.misused(CUDA_ERROR_INVALID_HANDLE, call.world.streams.wasAlive(handle) ? "a dead stream" : "no stream");
  if (!anyContext && stream->context != call.context)
    return call.misused(CUDA_ERROR_INVALID_HANDLE, "a stream of another context");
  return CUDA_SUCCESS;
}

CUresult findEvent(Call &call, CUevent handle, Event *&event) {
  event = call.world.events.find(handle);
  return event ? CUDA_SUCCESS
               : call.misused(CUDA_ERROR_INVALID_HANDLE, call.world.events.wasAlive(handle) ? "a dead event" : "no event");
}

namespace {

CUresult makeStream(Call &call, CUstream *stream, unsigned flags) {
  if (!stream || flags > CU_STREAM_NON_BLOCKING)
    return call.misused(CUDA_ERROR_INVALID_VALUE, "no place, or flags");
  *stream = reinterpret_cast<CUstream>(call.world.streams.add(call.world.makeStream(*call.context, flags)));
  return CUDA_SUCCESS;
}

const OperationQueue &queueOf(const Call &call, const Stream *stream) {
  return stream ? stream->queue : call.context->legacy->queue;
}
Context &contextOf(const Call &call, const Stream *stream) {
  return stream ? *stream->context : *call.context;
}

CUresult queueHostFunction(Call &call, CUstream stream, std::function<void()> function) {
  Stream *found = nullptr;
  if (const CUresult result = findStream(call, stream, found); result != CUDA_SUCCESS)
    return result;
  call.world.enqueue(*call.context, found, [function = std::move(function)] {
    insideHostFunction() = true;
    function();
    insideHostFunction() = false;
  });
  return CUDA_SUCCESS;
}

} // namespace

DOUBLE_API CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return callApi("cuStreamCreate", Needs::Context, [&](Call &call) { return makeStream(call, stream, flags); }, stream, flags);
}

DOUBLE_API CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  return callApi(
      "cuStreamCreateWithPriority", Needs::Context, [&](Call &call) { return makeStream(call, stream, flags); }, stream, flags,
      priority);
}

DOUBLE_API CUresult cuStreamDestroy_v2(CUstream stream) {
  return callApi(
      "cuStreamDestroy_v2", Needs::Context,
      [&](Call &call) -> CUresult {
        Stream *found = nullptr;
        if (const CUresult result = findStream(call, stream, found); result != CUDA_SUCCESS)
          return result;
        if (!found)
          return call.misused(CUDA_ERROR_INVALID_HANDLE, "the null stream");
        // What is queued still runs, and a context waits for it before it goes: the null stream takes the rest over.
        if (auto tail = found->queue.tail(); tail && !tail->finished())
          call.context->legacy->queue.add(std::make_shared<Operation>(std::vector{tail}, nullptr));
        call.world.streams.kill(found, [](Stream &dying) { dying.queue.close(); });
        return CUDA_SUCCESS;
      },
      stream);
}

DOUBLE_API CUresult cuStreamSynchronize(CUstream stream) {
  return callApi(
      "cuStreamSynchronize", Needs::Context,
      [&](Call &call) -> CUresult {
        Stream *found = nullptr;
        if (const CUresult result = findStream(call, stream, found, true); result != CUDA_SUCCESS)
          return result;
        Context &context = contextOf(call, found);
        if (const auto tail = found ? found->queue.tail() : call.world.enqueue(context, nullptr, nullptr))
          call.wait({tail});
        return static_cast<CUresult>(context.sticky.load());
      },
      stream);
}

DOUBLE_API CUresult cuStreamQuery(CUstream stream) {
  return callApi(
      "cuStreamQuery", Needs::Context,
      [&](Call &call) -> CUresult {
        Stream *found = nullptr;
        if (const CUresult result = findStream(call, stream, found, true); result != CUDA_SUCCESS)
          return result;
        const auto tail = queueOf(call, found).tail();
        if (tail && !tail->finished())
          return CUDA_ERROR_NOT_READY;
        return static_cast<CUresult>(contextOf(call, found).sticky.load());
      },
      stream);
}

DOUBLE_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return callApi(
      "cuStreamWaitEvent", Needs::Context,
      [&](Call &call) -> CUresult {
        Stream *foundStream = nullptr;
        Event *foundEvent = nullptr;
        if (const CUresult result = findStream(call, stream, foundStream); result != CUDA_SUCCESS)
          return result;
        if (const CUresult result = findEvent(call, event, foundEvent); result != CUDA_SUCCESS)
          return result;
        if (flags != 0)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "flags");
        if (foundEvent->record)
          call.world.enqueue(*call.context, foundStream, nullptr, {foundEvent->record});
        return CUDA_SUCCESS;
      },
      stream, event, flags);
}

DOUBLE_API CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  return callApi(
      "cuStreamGetCtx", Needs::Context,
      [&](Call &call) -> CUresult {
        Stream *found = nullptr;
        if (const CUresult result = findStream(call, stream, found, true); result != CUDA_SUCCESS)
          return result;
        *context = reinterpret_cast<CUcontext>(&contextOf(call, found));
        return CUDA_SUCCESS;
      },
      stream, context);
}

DOUBLE_API CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  return callApi(
      "cuLaunchHostFunc", Needs::Context,
      [&](Call &call) -> CUresult {
        if (!function)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "no function");
        return queueHostFunction(call, stream, [function, data] { function(data); });
      },
      stream, function, data);
}

DOUBLE_API CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned flags) {
  return callApi(
      "cuStreamAddCallback", Needs::Context,
      [&](Call &call) -> CUresult {
        if (!callback || flags != 0)
          return call.misused(CUDA_ERROR_INVALID_VALUE, "no function, or flags");
        return queueHostFunction(call, stream, [stream, callback, data] { callback(stream, CUDA_SUCCESS, data); });
      },
      stream, callback, data, flags);
}

DOUBLE_API CUresult cuEventCreate(CUevent *event, unsigned flags) {
  return callApi(
      "cuEventCreate", Needs::Context,
      [&](Call &call) -> CUresult {
        if (!event || flags > (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING))
          return call.misused(CUDA_ERROR_INVALID_VALUE, "no place, or flags");
        auto made = std::make_unique<Event>();
        made->context = call.context;
        made->flags = flags;
        *event = reinterpret_cast<CUevent>(call.world.events.add(std::move(made)));
        return CUDA_SUCCESS;
      },
      event, flags);
}

DOUBLE_API CUresult cuEventDestroy_v2(CUevent event) {
  return callApi(
      "cuEventDestroy_v2", Needs::Context,
      [&](Call &call) -> CUresult {
        Event *found = nullptr;
        if (const CUresult result = findEvent(call, event, found); result != CUDA_SUCCESS)
          return result;
        call.world.events.kill(found, [](Event &dying) { dying.record.reset(); });
        return CUDA_SUCCESS;
      },
      event);
}

DOUBLE_API CUresult cuEventRecord(CUevent event, CUstream stream) {
  return callApi(
      "cuEventRecord", Needs::Context,
      [&](Call &call) -> CUresult {
        Stream *foundStream = nullptr;
        Event *foundEvent = nullptr;
        if (const CUresult result = findStream(call, stream, foundStream); result != CUDA_SUCCESS)
          return result;
        if (const CUresult result = findEvent(call, event, foundEvent); result != CUDA_SUCCESS)
          return result;
        if (foundEvent->context != call.context)
          return call.misused(CUDA_ERROR_INVALID_HANDLE, "an event of another context");
        foundEvent->record = call.world.enqueue(*call.context, foundStream, nullptr);
        return CUDA_SUCCESS;
      },
      event, stream);
}

DOUBLE_API CUresult cuEventQuery(CUevent event) {
  return callApi(
      "cuEventQuery", Needs::Context,
      [&](Call &call) -> CUresult {
        Event *found = nullptr;
        if (const CUresult result = findEvent(call, event, found); result != CUDA_SUCCESS)
          return result;
        if (found->record && !found->record->finished())
          return CUDA_ERROR_NOT_READY;
        return static_cast<CUresult>(found->context->sticky.load());
      },
      event);
}

DOUBLE_API CUresult cuEventSynchronize(CUevent event) {
  return callApi(
      "cuEventSynchronize", Needs::Context,
      [&](Call &call) -> CUresult {
        Event *found = nullptr;
        if (const CUresult result = findEvent(call, event, found); result != CUDA_SUCCESS)
          return result;
        const Context &context = *found->context;
        if (const auto record = found->record)
          call.wait({record});
        return static_cast<CUresult>(context.sticky.load());
      },
      event);
}

DOUBLE_API CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return callApi(
      "cuEventElapsedTime", Needs::Context,
      [&](Call &call) -> CUresult {
        Event *events[2] = {};
        for (const auto &[handle, place] : {std::pair(start, &events[0]), std::pair(end, &events[1])}) {
          if (const CUresult result = findEvent(call, handle, *place); result != CUDA_SUCCESS)
            return result;
          if (!(*place)->record || ((*place)->flags & CU_EVENT_DISABLE_TIMING))
            return call.misused(CUDA_ERROR_INVALID_HANDLE, "an event without a time");
          if (!(*place)->record->finished())
            return CUDA_ERROR_NOT_READY;
        }
        *milliseconds = std::chrono::duration<float, std::milli>(events[1]->record->when() - events[0]->record->when()).count();
        return CUDA_SUCCESS;
      },
      milliseconds, start, end);
}

} // namespace doubles
