// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <cstddef>

#include "fernwood/core/device.h"
#include "fernwood/core/platform.h"

namespace fernwood {

/// `parts` of `all` equal parts of the available memory.
struct MemoryShare {
  std::size_t parts, all;
};

/// Limit of one use of memory: the one that the user chose, or else a share of what is available now, on the host
/// within the limits of the process, or on a GPU.
/// @param chosen_bytes  Value of an option, such as --memory-budget; 0: automatic.
inline std::size_t memory_limit(std::size_t chosen_bytes, MemoryShare share, Device device = {}) {
  if (chosen_bytes > 0) return chosen_bytes;
  const std::size_t available =
      device.is_cpu() ? platform::available_memory_bytes() : gpu_memory(device.gpu).free_bytes;
  return available / share.all * share.parts;
}

/// Counts the memory that objects take against a limit. Thread-safe, except for set_limit().
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  /// Reserves memory. @return  Whether the limit allowed it; if not, nothing is reserved.
  bool take(std::size_t size_bytes) {
    std::size_t taken = taken_bytes_;
    do {
      if (taken + size_bytes > limit_bytes_) return false;
    } while (!taken_bytes_.compare_exchange_weak(taken, taken + size_bytes));
    return true;
  }
  void give_back(std::size_t size_bytes) { taken_bytes_ -= size_bytes; }

  /// The limit may be set below what is already taken.
  void set_limit(std::size_t limit_bytes) { limit_bytes_ = limit_bytes; }
  bool is_exceeded() const { return taken_bytes_ > limit_bytes_; }
  std::size_t limit_bytes() const { return limit_bytes_; }
  std::size_t taken_bytes() const { return taken_bytes_; }

 private:
  std::size_t limit_bytes_;
  std::atomic<std::size_t> taken_bytes_ = 0;
};

}  // namespace fernwood
