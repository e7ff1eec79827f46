// StreamMAP runtime: the life of a process, around the program's main.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace streamap {

using MainFunction = int (*)(int, char **, char **);

/// Runs the program: its main where that is this process's part, or the service of a rank. Returns main's value, after everything
/// has been brought home. A program without tasks just runs.
int runProgram(MainFunction programMain, int argc, char **argv, char **environment);

/// What exit(code) means before it ends the process: inside a task a failure, then it does not return; elsewhere a wait.
void beforeExit(int code);

/// Whether the ranks of a StreamMAP program have been started from this process.
bool programRuns();

} // namespace streamap
