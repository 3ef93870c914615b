// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fernwood::objects {

inline constexpr std::uint32_t kNoRun = 0xffffffff;

/// Pixels of a row and class that are joined to their right neighbours.
struct Run {
  std::int32_t begin, end;
};

/// Disjoint sets of runs, represented by the first of each. May be used from many threads.
class RunSets {
 public:
  void reset(std::size_t count) {
    parents_ = std::vector<std::atomic<std::uint32_t>>(count);
    for (std::size_t i = 0; i < count; ++i) parents_[i].store(static_cast<std::uint32_t>(i), std::memory_order_relaxed);
  }
  std::uint32_t first_of(std::uint32_t run) const {
    for (std::uint32_t parent; (parent = parents_[run].load(std::memory_order_relaxed)) != run; run = parent) {
    }
    return run;
  }
  void unite(std::uint32_t a, std::uint32_t b) {
    while ((a = first_of(a)) != (b = first_of(b))) {
      if (a > b) std::swap(a, b);
      std::uint32_t expected = b;
      if (parents_[b].compare_exchange_strong(expected, a, std::memory_order_relaxed)) return;
    }
  }

 private:
  std::vector<std::atomic<std::uint32_t>> parents_;
};

}  // namespace fernwood::objects
