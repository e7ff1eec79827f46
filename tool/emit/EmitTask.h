//===- EmitTask.h - C text of a task ----------------------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task function stays one function, with the name, linkage and attributes
// that the user gave it: its body gains one declaration that launches and
// returns, or goes on (streamap/generated.h). Beside it stand the pack, the
// thunks, and the descriptor that ties them together (streamap/abi.h).
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_EMIT_EMITTASK_H
#define STREAMAP_EMIT_EMITTASK_H

#include "emit/SourceEdits.h"
#include "frontend/TaskModel.h"

namespace streamap {

/// In front of the definition: what its first line refers to.
std::vector<GeneratedLine> emitBeforeTask(const TaskModel &Task);

/// Directly behind the body's opening brace.
std::string emitEntry(const TaskModel &Task);

/// Behind the definition: pack, thunks, descriptor, and the function that
/// launches.
std::vector<GeneratedLine> emitAfterTask(const TaskModel &Task);

/// All of these three, for a task of shape Within: behind the opening brace.
std::vector<GeneratedLine> emitWithin(const TaskModel &Task);

/// In front of the function that holds an annotated call: descriptor and stub
/// of that call. In C++, the function to call, as an expression.
std::vector<GeneratedLine> emitCall(const TaskModel &Call);

/// In C++, in front of everything: what declares the descriptor at \p Place.
std::vector<std::string> emitDeclaration(const DescriptorPlace &Place);

/// What stands for the callee's name in an annotated call, up to and with the
/// opening parenthesis and the values captured from the caller.
std::string emitCallee(const TaskModel &Call);

/// The first or second expression of a split loop in the body, of the type
/// \p Type of the index.
std::string emitLoopFirst(const SplitLoopModel &Loop, const std::string &Type);
std::string emitLoopBound(const SplitLoopModel &Loop, const std::string &Type);

/// `wait`.
std::string emitWait();

/// A region of `wait on` or `discard`.
struct RegionModel {
  std::string Base; ///< an address
  std::vector<AxisModel> Axes;
};

/// `wait on` (\p Discard: `discard`) as one statement.
std::string emitRegions(const std::vector<RegionModel> &Regions, bool Discard);

/// At the end of the main file: registration.
std::vector<GeneratedLine> emitUnit(const UnitModel &Unit, const std::string &ToolVersion);

/// A parameter that the body does not use, and where its name stands.
struct UnusedParameter {
  std::string Name;
  unsigned Line = 0, Column = 0; ///< presumed
};

/// Behind a definition: lets the host compiler say what it would say of the
/// parameters if the generated code did not use them.
std::vector<GeneratedLine> emitUnused(const std::string &Id, const std::vector<UnusedParameter> &Parameters);

/// The name of the descriptor of \p Task.
std::string descriptorName(const TaskModel &Task);

} // namespace streamap

#endif
