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

} // namespace streamap

#endif
