// StreamMAP runtime: the OpenMP runtime of the program, if it has one.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace streamap {

/// omp_set_num_threads for the calling thread, in whichever OpenMP runtime the program has loaded; nothing where it has none.
void setTeamSize(int threads);

/// Looks for an OpenMP runtime again: at start, and after a library was loaded. Any thread.
void findOpenMp();

} // namespace streamap
