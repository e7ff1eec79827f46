// StreamMAP runtime: an exception that a task has thrown, in words.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/exception_text.h"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <typeinfo>

namespace streamap {

std::string describeException() {
  const std::type_info *const type = abi::__cxa_current_exception_type();
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, &status) : nullptr, &std::free);
  std::string text = std::string("an exception of type ") + (name ? name.get() : "unknown") + " left it";
  try {
    throw;
  } catch (const std::exception &e) {
    text += std::string(": ") + e.what();
  } catch (...) { // no text to add
  }
  return text;
}

} // namespace streamap
