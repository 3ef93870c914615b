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

/// Makes a GPU the calling thread's own for as long as this lives, and then the one before again: for entry points
/// whose callers use GPUs themselves.
class ScopedGpu {
 public:
  explicit ScopedGpu(int gpu);
  ~ScopedGpu();
  ScopedGpu(const ScopedGpu&) = delete;
  ScopedGpu& operator=(const ScopedGpu&) = delete;

 private:
  int gpu_, before_ = 0;
};

/// Most shared memory that one block can have on the GPU in use, and how many multiprocessors it has.
std::size_t block_shared_bytes();
unsigned num_multiprocessors();

/// Owner of a stream, unless it is borrowed: work in it runs in order, work of different streams side by side.
class Stream {
 public:
  Stream();
  ~Stream();
  /// Its work goes before that of other streams, once these have room to spare.
  static Stream urgent();
  /// One of somebody else, who keeps it for as long as this is used. Null: the default stream.
  static Stream borrowed(cudaStream_t stream) { return Stream(stream, false); }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)), is_owner_(other.is_owner_) {}
  Stream& operator=(Stream&&) = delete;

  operator cudaStream_t() const { return stream_; }
  /// Waits on the host until all work so far is done.
  void synchronize() const;
  /// Whether all work so far is done.
  bool is_idle() const;

 private:
  Stream(cudaStream_t stream, bool is_owner) : stream_(stream), is_owner_(is_owner) {}

  cudaStream_t stream_ = nullptr;
  bool is_owner_ = true;
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
  void wait_event(const Stream& stream) const;
  void synchronize() const;
  /// Seconds from `start` to this point; both must have passed.
  double seconds_since(const Event& start) const;

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace fernwood::cuda
