// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "python/common/src/gpu_answers.h"

#include <algorithm>

namespace fernwood::python {

namespace {

/// Limit for unused pieces; further ones are freed.
constexpr std::size_t kMaxFreePieces = 8;

}  // namespace

std::unique_ptr<AnswerMemory::Answer> AnswerMemory::take(Device device, std::size_t size_bytes, void* stream) {
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

void AnswerMemory::give_back(DeviceMemory memory, void* stream) noexcept {
  const std::lock_guard lock(mutex_);
  if (free_.size() == kMaxFreePieces) return;
  try {
    free_.push_back({std::move(memory), stream});
  } catch (const std::bad_alloc&) {
    // The memory is freed instead.
  }
}

}  // namespace fernwood::python
