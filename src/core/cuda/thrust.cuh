// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Runs Thrust's algorithms on our streams and memory.

#include <thrust/execution_policy.h>
#include <thrust/system_error.h>

#include "core/cuda/buffer.h"

namespace fernwood::cuda {

/// Enqueues Thrust's algorithms, on our streams and in our memory, without waiting for the GPU: `work` passes its
/// argument to each of them as the policy. Algorithms that return their result to the host (reduce, copy_if, count)
/// would wait all the same; use CUB or our own kernels there.
/// @param name  Of the work, for messages.
template <typename Work>
void with_thrust(const char* name, const Stream& stream, Scratch& scratch, const Work& work) {
  try {
    work(thrust::cuda::par_nosync(scratch).on(stream));
  } catch (const thrust::system_error& error) {
    check(static_cast<cudaError_t>(error.code().value()), name);
    throw;
  }
}

}  // namespace fernwood::cuda
