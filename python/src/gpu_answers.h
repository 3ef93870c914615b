// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Arrays on a GPU that predictions are left in.

#include <nanobind/ndarray.h>

#include <memory>
#include <mutex>
#include <vector>

#include "fernwood/core/device_memory.h"
#include "python/src/bindings.h"

namespace fernwood::python {

/// Memory of a GPU for answers of one size. What comes back from an array that is no longer there serves the next
/// answer in the same stream, behind all that still reads it there: so nothing is allocated frame after frame, and
/// nobody waits. Any thread may use it; it needs no GIL.
class AnswerMemory : public std::enable_shared_from_this<AnswerMemory> {
 public:
  /// Memory that a stream may write from now on; it comes back when it is destroyed.
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

  std::unique_ptr<Answer> take(Device device, std::size_t size_bytes, void* stream);

 private:
  struct Piece {
    DeviceMemory memory;
    void* stream;
  };

  void give_back(DeviceMemory memory, void* stream) noexcept;

  std::mutex mutex_;
  std::vector<Piece> free_;
};

/// An array of Python over an answer, which it keeps: an object with __dlpack__().
/// @param strides  In numbers; empty: of rows that follow each other.
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
