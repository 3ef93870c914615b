// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Owners of GPU memory and of page-locked host memory. All of it is allocated here.

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/cuda/runtime.h"
#include "fernwood/core/array.h"

namespace fernwood::cuda {

/// Bytes on the GPU in use, or page-locked bytes of the host, which copies to and from the GPU need in order to overlap
/// with other work.
enum class Place { kGpu, kPinnedHost };
void* allocate(Place place, std::size_t size_bytes);
void release(Place place, void* memory) noexcept;

/// Owner of `size` elements; does not clear them.
template <typename T, Place place>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { resize(size); }
  ~Buffer() { release(place, data_); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  /// Makes room for `size` elements. Growing loses the contents; memory is never released before destruction.
  void resize(std::size_t size) {
    if (size > capacity_) {
      release(place, std::exchange(data_, nullptr));
      size_ = capacity_ = 0;  // stays 0 if the allocation fails
      data_ = static_cast<T*>(allocate(place, size * sizeof(T)));
      capacity_ = size;
    }
    size_ = size;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t size_bytes() const { return size_ * sizeof(T); }
  View1<T> view() { return {data_, size_}; }
  View1<const T> view() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

template <typename T>
using GpuBuffer = Buffer<T, Place::kGpu>;
template <typename T>
using PinnedBuffer = Buffer<T, Place::kPinnedHost>;

/// Enqueues a copy on a stream; the host memory must remain valid until the stream has executed it.
template <typename T>
void copy_to_gpu(const T* host, std::size_t size, T* gpu, const Stream& stream) {
  if (size > 0)
    check(cudaMemcpyAsync(gpu, host, size * sizeof(T), cudaMemcpyHostToDevice, stream), "copying to the GPU");
}

template <typename T>
void copy_to_host(const T* gpu, std::size_t size, T* host, const Stream& stream) {
  if (size > 0)
    check(cudaMemcpyAsync(host, gpu, size * sizeof(T), cudaMemcpyDeviceToHost, stream), "copying from the GPU");
}

template <typename T>
void copy_on_gpu(const T* from, std::size_t size, T* to, const Stream& stream) {
  if (size > 0)
    check(cudaMemcpyAsync(to, from, size * sizeof(T), cudaMemcpyDeviceToDevice, stream), "copying on the GPU");
}

/// Copies rows of an image within GPU memory. Pitches are in bytes.
template <typename T>
void copy_rows_on_gpu(const T* from, std::size_t from_pitch, T* to, std::size_t to_pitch, std::size_t rows,
                      std::size_t cols, const Stream& stream) {
  check(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, cols * sizeof(T), rows, cudaMemcpyDeviceToDevice, stream),
        "copying rows on the GPU");
}

template <typename T>
void fill_with_zeros(View1<T> view, const Stream& stream) {
  if (view.size > 0) check(cudaMemsetAsync(view.data, 0, view.size * sizeof(T), stream), "clearing memory");
}

/// Copies `items` to the GPU, for data that is uploaded once: waits for the copy, so that `items` may be freed
/// afterwards.
template <typename T>
void upload(const std::vector<T>& items, GpuBuffer<T>& buffer, const Stream& stream) {
  buffer.resize(items.size());
  copy_to_gpu(items.data(), items.size(), buffer.data(), stream);
  stream.synchronize();
}

/// Elements on the GPU that the host rewrites repeatedly. They pass through page-locked memory of this object, so that
/// a copy overlaps with other work and the caller's items may be freed at once; the host waits only while the previous
/// copy is unfinished.
template <typename T>
class UploadedBuffer {
 public:
  /// Allocates memory for `size` elements on both sides, so that later uploads of that size need not: locking pages
  /// takes longer than copying them.
  void reserve(std::size_t size) {
    gpu_.resize(size);
    staging_.resize(std::max(size, staging_.size()));
  }

  /// Enqueues the copy. All uploads and all work on the elements must belong to one stream, or to streams that the
  /// caller synchronises with events.
  void upload(std::span<const T> items, const Stream& stream) {
    copied_.synchronize();
    if (items.size() > staging_.size()) staging_.resize(std::max({items.size(), 2 * staging_.size(), kMinStaged}));
    std::copy(items.begin(), items.end(), staging_.data());
    gpu_.resize(items.size());
    copy_to_gpu(static_cast<const T*>(staging_.data()), items.size(), gpu_.data(), stream);
    copied_.record(stream);
  }

  const T* data() const { return gpu_.data(); }
  std::size_t size() const { return gpu_.size(); }
  View1<const T> view() const { return gpu_.view(); }

 private:
  static constexpr std::size_t kMinStaged = 4096 / sizeof(T) + 1;

  PinnedBuffer<T> staging_;  // destroyed last: freeing GPU memory waits for copies to it
  GpuBuffer<T> gpu_;
  Event copied_;
};

/// Temporary memory for the algorithms of one stream, an allocator for Thrust. It is cached, so that memory that
/// sufficed for one level is available at the next; and it may be reused before the GPU is done with it, because the
/// work of a stream runs in order.
class Scratch {
 public:
  using value_type = char;

  char* allocate(std::ptrdiff_t size_bytes) {
    if (num_lent_ == pieces_.size()) pieces_.emplace_back();
    GpuBuffer<char>& piece = pieces_[num_lent_++];
    piece.resize(static_cast<std::size_t>(size_bytes));
    return piece.data();
  }
  /// Blocks are released in the reverse order of their allocation, as local variables of an algorithm are.
  void deallocate(char*, std::size_t) { --num_lent_; }

 private:
  std::vector<GpuBuffer<char>> pieces_;
  std::size_t num_lent_ = 0;
};

}  // namespace fernwood::cuda
