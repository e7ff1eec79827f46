/* Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <streamap/streamap.h>

/* Prints a check sum that every element and its place goes into. */
#define SHOW(name, x, n)                                                                                                         \
  do {                                                                                                                           \
    double show_sum = 0;                                                                                                         \
    for (long show_k = 0; show_k < (long)(n); show_k++)                                                                          \
      show_sum += (double)(x)[show_k] * (double)(1 + show_k % 97);                                                               \
    printf("%s %.17g\n", name, show_sum);                                                                                        \
  } while (0)
#define FILL(x, n)                                                                                                               \
  for (long fill_k = 0; fill_k < (long)(n); fill_k++)                                                                            \
  (x)[fill_k] = fill_k * 7 % 13 - 3
