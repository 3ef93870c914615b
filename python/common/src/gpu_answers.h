// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Arrays on a GPU that hold predictions.

#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "fernwood/core/device.h"
#include "python/common/src/bindings.h"

namespace fernwood::python {

/// A pool of GPU memory for predictions of one size. Memory of a destroyed array is reused by the next prediction in
/// the same stream, where work that still reads it comes first: frames need no allocation and no synchronization.
/// Thread-safe; needs no GIL.
class AnswerMemory : public std::enable_shared_from_this<AnswerMemory> {
 public:
  /// Memory that work in a stream may write to; the destructor returns it to the pool.
  class Answer {
   public:
    Answer(std::shared_ptr<AnswerMemory> owner, DeviceMemory memory, void* stream)
        : owner_(std::move(owner)), memory_(std::move(memory)), stream_(stream) {}
    ~Answer() { owner_->give_back(std::move(memory_), stream_); }
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;
    void* data() const { return memory_.data(); }

   private:
    std::shared_ptr<AnswerMemory> owner_;
    DeviceMemory memory_;
    void* stream_;
  };

  std::unique_ptr<Answer> take(Device device, std::size_t size_bytes, void* stream) {
    const auto fits = [&](const Piece& piece) { return piece.memory.size_bytes() == size_bytes; };
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(free_, [&](const Piece& piece) { return fits(piece) && piece.stream == stream; });
    DeviceMemory memory;
    if (found != free_.end()) {
      memory = std::move(found->memory);
      free_.erase(found);
    } else {
      std::erase_if(free_, [&](const Piece& piece) { return !fits(piece); });  // the size of frames has changed
      memory = DeviceMemory(device, size_bytes);
    }
    return std::make_unique<Answer>(shared_from_this(), std::move(memory), stream);
  }

 private:
  struct Piece {
    DeviceMemory memory;
    void* stream;
  };

  static constexpr std::size_t kMaxFreePieces = 8;

  void give_back(DeviceMemory memory, void* stream) noexcept {
    const std::lock_guard lock(mutex_);
    if (free_.size() == kMaxFreePieces) return;
    try {
      free_.push_back({std::move(memory), stream});
    } catch (const std::bad_alloc&) {
      // The memory is freed instead.
    }
  }

  std::mutex mutex_;
  std::vector<Piece> free_;
};

/// A Python array over an answer, which it owns: an object with __dlpack__().
/// @param strides  In elements; empty: contiguous.
template <typename T>
nb::object to_gpu_array(std::unique_ptr<AnswerMemory::Answer> answer, Device device,
                        const std::vector<std::size_t>& shape, const std::vector<std::int64_t>& strides = {}) {
  auto* const kept = answer.release();
  const nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<AnswerMemory::Answer*>(pointer); });
  return nb::ndarray<nb::array_api, T>(kept->data(), shape.size(), shape.data(), owner,
                                       strides.empty() ? nullptr : strides.data(), nb::dtype<T>(),
                                       nb::device::cuda::value, device.gpu)
      .cast();
}

}  // namespace fernwood::python
