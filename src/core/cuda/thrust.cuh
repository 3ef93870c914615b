// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Thrust's algorithms in our streams and memory.

#include <thrust/execution_policy.h>
#include <thrust/system_error.h>

#include "core/cuda/buffer.h"

namespace fernwood::cuda {

/// Enqueues Thrust's algorithms, on our streams and in our memory, without waiting for the GPU: `work` hands its
/// argument to each as the policy. What hands its answer to the host (reduce, copy_if, count) would wait all the same:
/// there CUB and kernels of our own stay.
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
