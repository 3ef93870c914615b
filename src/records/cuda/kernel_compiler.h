// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// NVRTC, the compiler for kernels made while the program runs; loaded when it is first needed, so that nobody else has
// to have it.

#include <string>
#include <vector>

namespace fernwood::records {

/// Why nothing can be compiled here, as the rest of a sentence; empty when it can.
std::string compiler_obstacle();

/// Machine code for GPUs of a compute capability, such as 90; needs no GPU.
/// @throws Error(kRuntime) when the source does not compile.
std::vector<char> compile_kernel(const std::string& source, int capability);

}  // namespace fernwood::records
