/* StreamMAP: what streamap-cc reads off the host compiler.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Preprocessed behind a user's -include files when streamap-cc looks for directives; never compiled.
 */
#ifdef __cplusplus
streamap_host __clang_major__ __GNUC__ __cplusplus
#else
streamap_host __clang_major__ __GNUC__ __STDC_VERSION__
#endif
