//===- Passing.h - How a parameter leads to its elements --------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_PASSING_H
#define STREAMAP_FRONTEND_PASSING_H

#include "frontend/TaskModel.h"

#include "clang/AST/Type.h"

namespace streamap {

/// How a parameter of \p Type leads to the elements of its sections.
Passing passingOf(clang::QualType Type);

/// The element type of std::span; null for another type.
clang::QualType spanElement(clang::QualType Type);

/// What the first subscript of a parameter of \p Type gives: the pointee, the
/// element of a span or of the array that is referred to. The referred type
/// itself where there is no subscript. Null for a value.
clang::QualType elementsOf(clang::QualType Type);

} // namespace streamap

#endif
