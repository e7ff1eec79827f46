// StreamMAP runtime: user mistakes as values.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace streamap {

/// What went wrong, in the user's terms, and what to do about it. Carried up, shown once.
struct Error {
  std::string message;
  std::string hint; ///< what to do; may be empty

  /// Puts the circumstances in front: "while reading x: ...".
  Error in(const std::string &context) && { return Error{context + ": " + message, std::move(hint)}; }
};

template <class T> using Result = tl::expected<T, Error>;

/// Shorthand for the failing branch of a Result.
inline tl::unexpected<Error> failure(std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(Error{std::move(message), std::move(hint)});
}

} // namespace streamap
