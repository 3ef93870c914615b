// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Basics for all users of the CUDA runtime: errors become exceptions, streams and events have owners.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

namespace fernwood::cuda {

/// @param what  The attempted action, for the message. @throws Error(kResource) when memory ran out, Error(kDevice) for
/// any other failure.
void check(cudaError_t status, const char* what);

/// Selects the GPU for the calling thread. Every entry point of a GPU backend begins with it, since callers may use
/// threads.
void use_gpu(int gpu);

/// Selects a GPU for the calling thread, and restores the previous one in the destructor: for entry points whose
/// callers use GPUs themselves.
class ScopedGpu {
 public:
  explicit ScopedGpu(int gpu);
  ~ScopedGpu();
  ScopedGpu(const ScopedGpu&) = delete;
  ScopedGpu& operator=(const ScopedGpu&) = delete;

 private:
  int gpu_, before_ = 0;
};

/// Maximum shared memory of a block on the GPU in use, and its number of multiprocessors.
std::size_t block_shared_bytes();
unsigned num_multiprocessors();

/// A stream, owned unless it is borrowed: work in one stream runs in order, work of different streams concurrently.
class Stream {
 public:
  Stream();
  ~Stream();
  /// A stream of high priority: its work is scheduled before that of other streams as soon as resources are free.
  static Stream urgent();
  /// A stream of the caller, which must outlive this object. Null: the default stream.
  static Stream borrowed(cudaStream_t stream) { return Stream(stream, false); }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)), is_owner_(other.is_owner_) {}
  Stream& operator=(Stream&&) = delete;

  operator cudaStream_t() const { return stream_; }
  /// Waits on the host until all work enqueued so far is done.
  void synchronize() const;
  /// Whether all work enqueued so far is done.
  bool is_idle() const;

 private:
  Stream(cudaStream_t stream, bool is_owner) : stream_(stream), is_owner_(is_owner) {}

  cudaStream_t stream_ = nullptr;
  bool is_owner_ = true;
};

/// An owned event: a point in a stream, with its time, that other streams can wait for.
class Event {
 public:
  Event();
  ~Event();
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;

  void record(const Stream& stream);
  /// Makes later work of `stream` wait for this event; the host does not wait.
  void wait_event(const Stream& stream) const;
  void synchronize() const;
  /// Seconds from `start` to this event; both must have occurred.
  double seconds_since(const Event& start) const;

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace fernwood::cuda
