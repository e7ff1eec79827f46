//===- BuildProgram.h - The directive in front of main ----------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In front of main a list means the program's MPI processes: they are decided
// before main is entered, so whatever counts them is a constant.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_BUILDPROGRAM_H
#define STREAMAP_FRONTEND_BUILDPROGRAM_H

#include "frontend/PragmaRecorder.h"
#include "frontend/Probe.h"
#include "frontend/Reporter.h"
#include "frontend/TaskModel.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace streamap {

/// What the directive in front of main asks for. \p Parsed has the directive's
/// expressions.
ProgramModel buildProgram(const RecordedPragma &Pragma, const Probe &Parsed, const clang::ASTContext &Context, Reporter &Report);

} // namespace streamap

#endif
