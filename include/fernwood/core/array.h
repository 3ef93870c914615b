// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <vector>

#include "fernwood/core/arithmetic.h"

namespace fernwood {

/// A non-owning view of `size` contiguous elements, which can be passed to kernels by value.
template <typename T>
struct View1 {
  T* data = nullptr;
  std::size_t size = 0;

  FW_HD T& operator[](std::size_t i) const { return data[i]; }
  FW_HD T* begin() const { return data; }
  FW_HD T* end() const { return data + size; }
};

/// A non-owning view of a row-major matrix, which can be passed to kernels by value.
template <typename T>
struct View2 {
  T* data = nullptr;
  std::size_t rows = 0, cols = 0;

  FW_HD T& operator()(std::size_t row, std::size_t col) const { return data[row * cols + col]; }
  FW_HD T* row(std::size_t index) const { return data + index * cols; }
};

/// A row-major matrix or image that owns its elements; indexed by (row, col).
template <typename T>
class Array2 {
 public:
  Array2() = default;
  Array2(std::size_t rows, std::size_t cols, T value = T{}) : rows_(rows), cols_(cols), items_(rows * cols, value) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }

  T* data() { return items_.data(); }
  const T* data() const { return items_.data(); }
  T* row(std::size_t index) { return items_.data() + index * cols_; }
  const T* row(std::size_t index) const { return items_.data() + index * cols_; }
  T& operator()(std::size_t row, std::size_t col) { return items_[row * cols_ + col]; }
  const T& operator()(std::size_t row, std::size_t col) const { return items_[row * cols_ + col]; }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

  View2<T> view() { return {items_.data(), rows_, cols_}; }
  View2<const T> view() const { return {items_.data(), rows_, cols_}; }
  operator View2<const T>() const { return view(); }

  bool operator==(const Array2&) const = default;

 private:
  std::size_t rows_ = 0, cols_ = 0;
  std::vector<T> items_;
};

template <typename T>
View1<T> view_of(std::vector<T>& items) {
  return {items.data(), items.size()};
}
template <typename T>
View1<const T> view_of(const std::vector<T>& items) {
  return {items.data(), items.size()};
}

}  // namespace fernwood
