// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

/// The one compiler switch: marks a function that is compiled for host and device alike.
/// On the host it is always inlined, so that a file compiled for a newer instruction set never leaves a copy
/// of a shared formula behind that an older processor could run into.
#if defined(__CUDACC__)
#define FW_HD __host__ __device__ __forceinline__
#else
#define FW_HD __attribute__((always_inline)) inline
#endif
