// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>

#include "stream/sketches/leaf_sketches.h"

namespace fernwood::stream {

/// First cell of each attribute in a slot, and behind the last. Cells: [attribute][bin][class], unknown values the last
/// bin. @return  [attribute + 1]
std::vector<std::size_t> cell_starts(const CountLayout& layout);

/// @throws Error(kRuntime) unless there are so many bytes of another process from `at` on.
void check_counts(const Bytes& bytes, std::size_t at, std::size_t size);

/// SketchKind::kLogLinear: whole numbers, so that merging is adding.
class GridCounts : public LeafSketches {
 public:
  void reset(const CountLayout& layout, std::size_t num_slots) override;
  void resize(std::size_t num_slots) override;
  void clear(std::size_t slot) override;
  void count(const CountedRecords& records, const RecordRange& range, AttributeRange attributes) override;
  void merge(LeafSketches& other, std::span<const std::size_t> slots, std::size_t attribute) override;
  void take(std::span<const std::size_t> slots, AttributeRange attributes, Bytes& bytes) override;
  std::size_t add(std::span<const std::size_t> slots, AttributeRange attributes, const Bytes& bytes,
                  std::size_t at) override;
  Cells cells(std::size_t slot, std::size_t attribute, CellMemory& memory) const override;
  std::size_t slot_bytes() const override { return slot_cells() * sizeof(std::uint32_t); }

 private:
  static constexpr std::size_t kBlock = 8192;
  /// Records whose places stay in the cache while all attributes are counted.
  struct Block {
    std::size_t size = 0;
    std::array<std::uint32_t, kBlock> records;
    std::array<std::size_t, kBlock> places;  ///< First cell of the record's slot and class.
  };
  void find_places(const CountedRecords& records, const RecordRange& range, Block& block) const;
  template <typename RecordOf>
  void count_block(const CountedRecords& records, const Block& block, AttributeRange attributes,
                   const RecordOf& record_of);
  std::size_t slot_cells() const { return starts_.back(); }
  std::uint32_t* counts_of(std::size_t slot, std::size_t attribute) {
    return counts_.data() + slot * slot_cells() + starts_[attribute];
  }

  CountLayout layout_;
  std::vector<std::size_t> starts_ = {0};  ///< [attribute + 1] First cell of an attribute in a slot.
  std::vector<std::uint32_t> counts_;      ///< [slot][cell]
};

}  // namespace fernwood::stream
