// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Detects the sanitizers of this build: g++ defines a macro, clang before 20 a feature.

#if defined(__SANITIZE_ADDRESS__)
#define FERNWOOD_ADDRESS_SANITIZER
#endif
#if defined(__SANITIZE_THREAD__)
#define FERNWOOD_THREAD_SANITIZER
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(FERNWOOD_ADDRESS_SANITIZER)
#define FERNWOOD_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer) && !defined(FERNWOOD_THREAD_SANITIZER)
#define FERNWOOD_THREAD_SANITIZER
#endif
#endif
