// StreamMAP runtime: which sanitizer this is compiled with. gcc says it with macros, Clang with features.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STREAMAP_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define STREAMAP_THREAD_SANITIZER 1
#endif
#endif

#if defined(__SANITIZE_ADDRESS__) && !defined(STREAMAP_ADDRESS_SANITIZER)
#define STREAMAP_ADDRESS_SANITIZER 1
#endif
#if defined(__SANITIZE_THREAD__) && !defined(STREAMAP_THREAD_SANITIZER)
#define STREAMAP_THREAD_SANITIZER 1
#endif

/// For a function that calls others through pointers of a wider type on purpose, as libc calls main.
#if defined(__clang__)
#define STREAMAP_CALLS_ANY_TYPE __attribute__((no_sanitize("function")))
#else
#define STREAMAP_CALLS_ANY_TYPE
#endif
