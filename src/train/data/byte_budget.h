// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <cstddef>

namespace fernwood::train {

/// Memory that things may take which are kept as far as it goes. For many threads.
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Whether there is room for so much more, which then is taken.
  bool take(std::size_t size_bytes) {
    if (taken_bytes_.fetch_add(size_bytes) + size_bytes <= most_bytes_) return true;
    taken_bytes_ -= size_bytes;
    return false;
  }
  void give_back(std::size_t size_bytes) { taken_bytes_ -= size_bytes; }

  /// May leave more taken than there is room for.
  void set_most(std::size_t most_bytes) { most_bytes_ = most_bytes; }
  bool is_exceeded() const { return taken_bytes_ > most_bytes_; }
  std::size_t taken_bytes() const { return taken_bytes_; }

 private:
  std::size_t most_bytes_;
  std::atomic<std::size_t> taken_bytes_ = 0;
};

}  // namespace fernwood::train
