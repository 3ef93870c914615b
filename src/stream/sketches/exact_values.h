// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/messages.h"
#include "stream/sketches/leaf_sketches.h"

namespace fernwood::stream {

/// SketchKind::kExact, a Column of ColumnSketches: all values with their classes, 8 bytes each; -0 counts as 0.
class ExactValues {
 public:
  explicit ExactValues(std::size_t num_classes, int = 0) : num_classes_(num_classes) {}

  /// @param value  NaN: unknown.
  void count(float value, std::uint32_t label);
  void merge(const ExactValues& other);
  void pack(Packer& packer) const { packer.put(keys_); }
  /// Replaces what is here. @throws Error(kRuntime) for bytes that end early or tell of classes that there are not.
  void unpack(Unpacker& unpacker);
  /// A bin for each different value; it ends where train_records() would split. One call at a time.
  Cells cells(LeafSketches::CellMemory& memory) const;
  std::size_t size_bytes() const { return keys_.capacity() * sizeof(keys_[0]); }

 private:
  void sort(std::vector<std::uint64_t>& other) const;

  std::size_t num_classes_;
  // Sorted when they are looked at, which changes nothing of what they tell.
  mutable std::vector<std::uint64_t> keys_;  ///< Ordered values in the upper half, classes in the lower.
  mutable std::size_t num_sorted_ = 0;       ///< The first ones.
};

}  // namespace fernwood::stream
