// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <vector>

#include "core/cuda/runtime.h"

namespace fernwood::lab {

/// Compiles machine code for GPUs of a compute capability, such as 90, by NVRTC; needs no GPU.
/// @throws Error(kRuntime) if the source does not compile.
std::vector<char> compile_kernel(const std::string& source, int capability);

/// A kernel compiled for the GPU in use.
class CompiledKernel {
 public:
  /// @param source  CUDA C++ that defines `name` with C linkage.
  /// @throws Error(kRuntime) if it does not compile, Error(kDevice) if the GPU cannot run it with this number of
  ///         threads.
  CompiledKernel(const std::string& source, const char* name, unsigned threads);
  ~CompiledKernel();
  CompiledKernel(const CompiledKernel&) = delete;
  CompiledKernel& operator=(const CompiledKernel&) = delete;

  /// @param arguments  A pointer to each argument of the kernel, in their order.
  void launch(unsigned blocks, const cuda::Stream& stream, void** arguments) const;

 private:
  void* module_ = nullptr;
  void* function_ = nullptr;
  unsigned threads_;
};

}  // namespace fernwood::lab
