// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <cstddef>

namespace fernwood::train {

/// Memory budget for cached objects. Thread-safe, except for set_most().
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Reserves memory. @return  Whether the budget allowed it; if not, nothing is reserved.
  bool take(std::size_t size_bytes) {
    if (taken_bytes_.fetch_add(size_bytes) + size_bytes <= most_bytes_) return true;
    taken_bytes_ -= size_bytes;
    return false;
  }
  void give_back(std::size_t size_bytes) { taken_bytes_ -= size_bytes; }

  /// Sets the limit, even below what is already reserved.
  void set_most(std::size_t most_bytes) { most_bytes_ = most_bytes; }
  bool is_exceeded() const { return taken_bytes_ > most_bytes_; }
  std::size_t taken_bytes() const { return taken_bytes_; }

 private:
  std::size_t most_bytes_;
  std::atomic<std::size_t> taken_bytes_ = 0;
};

}  // namespace fernwood::train
