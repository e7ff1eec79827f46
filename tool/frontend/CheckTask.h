//===- CheckTask.h - What a task may not do ---------------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that a task's own source can break, whatever its clauses say: its
// type, the types of its parameters and elements, the variables that it and
// its callees touch, and the places where a directive may stand.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_FRONTEND_CHECKTASK_H
#define STREAMAP_FRONTEND_CHECKTASK_H

#include "frontend/Reporter.h"

#include "llvm/ADT/DenseSet.h"

namespace clang {
class FunctionDecl;
class Stmt;
} // namespace clang

namespace streamap {

/// Canonical declarations (FunctionDecl::getCanonicalDecl) of the functions
/// that are checked where they are defined: those declared `callable`, and the
/// task functions.
using CallableSet = llvm::DenseSet<const clang::FunctionDecl *>;

/// Reports every rule that the definition \p Task breaks: its type, its
/// parameters, and what it and every visible function below it touch. One
/// report a function and variable, at the use nearest to the task.
void checkTask(const clang::FunctionDecl &Task, const CallableSet &Callable, Reporter &Report);

/// Whether \p Task is of a kind that can be a task at all; otherwise nothing but
/// that is to be said of it.
bool isTaskKind(const clang::FunctionDecl &Task);

/// Reports what a `callable` definition \p Function may not touch; says
/// nothing of its type.
void checkCallable(const clang::FunctionDecl &Function, const CallableSet &Callable, Reporter &Report);

/// A `wait`, `wait on` or `discard` and what stands behind it.
struct PlacedDirective {
  llvm::StringRef Name;         ///< as the user would say it: "wait on"
  clang::SourceLocation Pragma; ///< its first word behind `streamap`
  clang::SourceLocation Next;   ///< the first token behind the pragma
};

/// Reports each of \p Directives that is the whole body of an if, else, for,
/// while, do or switch in \p Body, or stands behind a label: another compiler
/// drops the pragma and takes the next statement there.
void checkDirectivePlaces(const clang::Stmt &Body, llvm::ArrayRef<PlacedDirective> Directives, Reporter &Report);

} // namespace streamap

#endif
