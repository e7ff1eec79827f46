/* The CUDA double: what a shared object with host twins of kernels exports.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The double takes such a file as an image, or in place of PTX with its hash. C11 and C++11.
 */
#ifndef STREAMAP_DOUBLES_TWINS_H
#define STREAMAP_DOUBLES_TWINS_H

#include <streamap/abi.h>

typedef struct streamap_twin_table {
  uint32_t abi_version; /* STREAMAP_ABI_VERSION */
  uint32_t nkernels;
  const streamap_kernel *kernels;
} streamap_twin_table;

#ifdef __cplusplus
extern "C" {
#endif
extern const streamap_twin_table streamap_twins;
#ifdef __cplusplus
}
#endif

#endif
