// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tasks.h"
static inline void twice(int n, double *v) { scale(n, v), scale(n, v); }
