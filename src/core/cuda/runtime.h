// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What every user of the CUDA runtime needs: errors become exceptions, streams and events have owners.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

namespace fernwood::cuda {

/// @throws Error(kResource) when memory ran out, Error(kDevice) for any other failure, naming `what` was tried.
void check(cudaError_t status, const char* what);

/// Makes a GPU the calling thread's own. Every entry point of a GPU backend begins with it: callers may use threads.
void use_gpu(int gpu);

/// Most shared memory that one block can have on the GPU in use, and how many multiprocessors it has.
std::size_t block_shared_bytes();
unsigned num_multiprocessors();

/// Owner of a stream: work in it runs in order, work of different streams side by side.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&&) = delete;

  operator cudaStream_t() const { return stream_; }
  /// Waits on the host until all work so far is done.
  void synchronize() const;

 private:
  cudaStream_t stream_ = nullptr;
};

/// Owner of an event: a point in a stream that others can wait for, with its time.
class Event {
 public:
  Event();
  ~Event();
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;

  void record(const Stream& stream);
  /// Lets later work of `stream` wait for this point; no wait on the host.
  void hold_back(const Stream& stream) const;
  void synchronize() const;
  /// Seconds from `start` to this point; both must have passed.
  double seconds_since(const Event& start) const;

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace fernwood::cuda
