// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace fernwood::records {

/// Gives memory that begins with a cache line, so that vectors of 512 bits do not lie across two.
template <typename T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  LineAllocator() = default;
  template <typename Other>
  LineAllocator(const LineAllocator<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T* items, std::size_t) { ::operator delete(items, kAlignment); }
  bool operator==(const LineAllocator&) const = default;
};
template <typename T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace fernwood::records
