// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <vector>

#include "core/messages.h"
#include "stream/sketches/leaf_sketches.h"

namespace fernwood::stream {

/// Sketches that lie apart for each slot and attribute, in memory that grows with what is counted.
/// @tparam Column  ExactValues or BenHaimBins: what one slot counts of one attribute.
template <typename Column>
class ColumnSketches : public LeafSketches {
 public:
  /// @param bins  Handed to columns.
  explicit ColumnSketches(int bins) : bins_(bins) {}

  void reset(const CountLayout& layout, std::size_t num_slots) override {
    num_attributes_ = layout.num_attributes, num_classes_ = layout.num_classes;
    columns_.clear();
    resize(num_slots);
  }
  void resize(std::size_t num_slots) override { columns_.resize(num_slots * num_attributes_, empty()); }
  void clear(std::size_t slot) override {
    for (std::size_t a = 0; a < num_attributes_; ++a) column(slot, a) = empty();
  }

  void count(const CountedRecords& records, const RecordRange& range, AttributeRange attributes) override {
    for (std::size_t a = attributes.begin; a < attributes.end; ++a) {
      const float* const values = records.values.data() + a * records.num_records;
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const std::size_t r = range.listed ? range.listed[i] : i;
        if (const std::int32_t slot = records.slots[r]; slot >= 0)
          column(static_cast<std::size_t>(slot), a).count(values[r], static_cast<std::uint32_t>(records.labels[r]));
      }
    }
  }

  void merge(LeafSketches& other, std::span<const std::size_t> slots, std::size_t attribute) override {
    auto& theirs = static_cast<ColumnSketches&>(other);
    for (const std::size_t slot : slots) {
      column(slot, attribute).merge(theirs.column(slot, attribute));
      theirs.column(slot, attribute) = empty();
    }
  }

  void take(std::span<const std::size_t> slots, AttributeRange attributes, Bytes& bytes) override {
    Packer packer(bytes);
    for (const std::size_t slot : slots)
      for (std::size_t a = attributes.begin; a < attributes.end; ++a) {
        column(slot, a).pack(packer);
        column(slot, a) = empty();
      }
  }
  std::size_t add(std::span<const std::size_t> slots, AttributeRange attributes, const Bytes& bytes,
                  std::size_t at) override {
    Unpacker unpacker(bytes);
    unpacker.skip_to(at);
    for (const std::size_t slot : slots)
      for (std::size_t a = attributes.begin; a < attributes.end; ++a) {
        Column theirs = empty();
        theirs.unpack(unpacker);
        column(slot, a).merge(theirs);
      }
    return unpacker.place();
  }

  Cells cells(std::size_t slot, std::size_t attribute, CellMemory& memory) const override {
    return columns_[slot * num_attributes_ + attribute].cells(memory);
  }

  /// The mean of those that hold something.
  std::size_t slot_bytes() const override {
    std::size_t size = 0, num_used = 0;
    for (std::size_t begin = 0; begin < columns_.size(); begin += num_attributes_) {
      std::size_t size_of_slot = 0;
      for (std::size_t a = 0; a < num_attributes_; ++a) size_of_slot += columns_[begin + a].size_bytes();
      size += size_of_slot, num_used += size_of_slot > 0;
    }
    return size / std::max<std::size_t>(1, num_used);
  }

 private:
  Column empty() const { return Column(num_classes_, bins_); }
  Column& column(std::size_t slot, std::size_t attribute) { return columns_[slot * num_attributes_ + attribute]; }

  const int bins_;
  std::size_t num_attributes_ = 0, num_classes_ = 0;
  std::vector<Column> columns_;  ///< [slot][attribute]
};

}  // namespace fernwood::stream
