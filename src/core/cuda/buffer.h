// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Owners of memory that GPUs use. All of it is allocated here.

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/cuda/runtime.h"
#include "fernwood/core/array.h"

namespace fernwood::cuda {

/// Plain bytes on the GPU in use, or page-locked bytes of the host, which copies to and from it need to run beside
/// work.
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

  /// Makes room for `size` elements. Contents are lost when the room was smaller; nothing is ever given back.
  void resize(std::size_t size) {
    if (size > capacity_) {
      release(place, std::exchange(data_, nullptr));
      capacity_ = 0;
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

/// Copies in the order of a stream; the host's side must stay until the stream has passed.
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
void fill_with_zeros(View1<T> view, const Stream& stream) {
  if (view.size > 0) check(cudaMemsetAsync(view.data, 0, view.size * sizeof(T), stream), "clearing memory");
}

/// A copy of `items` on the GPU.
template <typename T>
void upload(const std::vector<T>& items, GpuBuffer<T>& buffer, const Stream& stream) {
  buffer.resize(items.size());
  copy_to_gpu(items.data(), items.size(), buffer.data(), stream);
}

}  // namespace fernwood::cuda
