//===- BuildTask.h - From a checked directive to the task model -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_BUILDTASK_H
#define STREAMAP_FRONTEND_BUILDTASK_H

#include "frontend/Binding.h"
#include "frontend/Probe.h"
#include "frontend/SplitLoops.h"
#include "frontend/TaskModel.h"

namespace streamap {

/// Text between the parentheses of \p Function's parameter list; empty for
/// (void). Nothing when its tokens were not seen.
std::optional<std::string> parameterListText(const clang::FunctionDecl &Function, const TokenStream &Stream);

/// Whether each parameter of \p Function has a name.
bool namesItsParameters(const clang::FunctionDecl &Function);

/// Adds every expression of \p Pragma to \p P.
void addFragments(const Directive &D, Probe &P);

/// The split variable of \p D; empty if it has none.
std::string splitVariableOf(const Directive &D);

/// A model with what was needed on the way to it.
struct BuiltTask {
  TaskModel Model;
  SplitLoops Loops; ///< of the definition
};

/// Where a task's clauses come from.
struct TaskSources {
  const BuiltTask *Base = nullptr; ///< of a call: the task itself, where its definition is in sight
  const BoundTask *Task = nullptr;
  const Probe *TaskProbe = nullptr;
  const clang::FunctionDecl *Function = nullptr; ///< whose parameter names count: the definition, or what a call can see
  const BoundCall *Call = nullptr;               ///< or null
  const Probe *CallProbe = nullptr;              ///< with it
  std::vector<const clang::VarDecl *> Captured;  ///< variables of the caller that the call's directive mentions
};

/// Makes the model; reports whatever is wrong, and then what is returned is
/// not to be used.
BuiltTask buildTask(const TaskSources &Sources, const Bindings &Bound, const TokenStream &Stream, Reporter &Report);

/// The variables of the function around \p Call that are in scope at it, and
/// whose names \p Pragma mentions though they are no parameter of \p Callee.
std::vector<const clang::VarDecl *> capturedVariables(const BoundCall &Call, const clang::FunctionDecl &Callee);

/// `T name`, for a captured variable as a parameter; arrays as pointers.
std::string declaredParameter(const clang::VarDecl &Variable, const std::string &Name);

} // namespace streamap

#endif
