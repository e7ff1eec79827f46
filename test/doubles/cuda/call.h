// The CUDA double: what every call has in common.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sstream>
#include <type_traits>

#include "world.h"

/// In front of the definition of a call of the API.
#define DOUBLE_API extern "C" __attribute__((visibility("default")))

namespace doubles {

enum class Needs {
  Nothing, ///< works before cuInit
  Init,
  Device, ///< Init; a broken context does not matter
  Context ///< a current context that is alive and not broken
};

/// A call in progress: holds the world's mutex, unless it waits.
struct Call {
  World &world;
  std::unique_lock<std::mutex> lock;
  Context *context = nullptr; ///< the calling thread's current one; may be null unless the call Needs::Context
  CUresult early = CUDA_SUCCESS;

  Call(const char *name, Needs needs);

  /// Notes a misuse and gives the error to return.
  CUresult misused(CUresult result, const std::string &what) {
    world.misuse(std::string(name) + ": " + what);
    return result;
  }
  void wait(const std::vector<std::shared_ptr<Operation>> &operations) { World::waitFor(lock, operations); }

  const char *name;
};

inline void describe(std::ostream &out, const char *text) {
  out << (text ? text : "(null)");
}
template <class T> void describe(std::ostream &out, const T &value) {
  if constexpr (std::is_function_v<std::remove_pointer_t<T>>)
    out << reinterpret_cast<const void *>(value);
  else if constexpr (std::is_pointer_v<T>)
    out << static_cast<const void *>(value);
  else if constexpr (std::is_same_v<T, CUdeviceptr>)
    out << "0x" << std::hex << value << std::dec;
  else
    out << +value;
}

/// Runs \p body, which takes a Call& and gives a CUresult, with what all calls do around it: counting, injected errors, checks,
/// the log.
template <class Body, class... Arguments>
CUresult callApi(const char *name, Needs needs, Body &&body, const Arguments &...arguments) {
  Call call(name, needs);
  const CUresult result = call.early != CUDA_SUCCESS ? call.early : body(call);
  if (!call.world.settings.log.empty()) {
    std::ostringstream line;
    line << name << '(';
    [[maybe_unused]] const char *separator = "";
    ((line << std::exchange(separator, ", "), describe(line, arguments)), ...);
    line << ") = " << static_cast<int>(result);
    if (!call.lock.owns_lock())
      call.lock.lock();
    call.world.log(line.str());
  }
  return result;
}

} // namespace doubles
