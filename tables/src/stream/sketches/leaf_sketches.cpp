// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/leaf_sketches.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "fernwood/core/error.h"

namespace fernwood::stream {

std::vector<std::size_t> cell_starts(const CountLayout& layout) {
  std::vector<std::size_t> starts = {0};
  for (std::size_t a = 0; a < layout.num_attributes; ++a)
    starts.push_back(starts.back() + (layout.grid.num_bins(a) + 1) * layout.statistics().size());
  return starts;
}

void check_counts(const Bytes& bytes, std::size_t at, std::size_t size) {
  FW_CHECK(at + size <= bytes.size(), Runtime,
           "counts of another process have " << bytes.size() - at << " bytes, not " << size
                                             << "; start all processes with the same program and options");
}

template <typename Count>
void BasicGridCounts<Count>::reset(const CountLayout& layout, std::size_t num_slots) {
  layout_ = layout;
  starts_ = cell_starts(layout);
  counts_.assign(num_slots * slot_cells(), 0);
}

template <typename Count>
void BasicGridCounts<Count>::resize(std::size_t num_slots) {
  counts_.resize(num_slots * slot_cells(), 0);
}

template <typename Count>
void BasicGridCounts<Count>::clear(std::size_t slot) {
  std::fill_n(counts_.data() + slot * slot_cells(), slot_cells(), 0);
}

template <typename Count>
void BasicGridCounts<Count>::count(const CountedRecords& records, const RecordRange& range, AttributeRange attributes) {
  Block block;
  for (std::size_t begin = range.begin; begin < range.end; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, range.end);
    find_places(records, {begin, end, range.listed}, block);
    if (block.size == end - begin && !range.listed)
      count_block(records, block, attributes, [&](std::size_t i) { return begin + i; });
    else
      count_block(records, block, attributes, [&](std::size_t i) { return block.records[i]; });
  }
}

/// Finds the cells of records in open leaves; those of closed leaves are dropped here, once for all attributes.
template <typename Count>
void BasicGridCounts<Count>::find_places(const CountedRecords& records, const RecordRange& range, Block& block) const {
  block.size = 0;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const auto r = static_cast<std::uint32_t>(range.listed ? range.listed[i] : i);
    const std::int32_t slot = records.slots[r];
    const std::size_t label = layout_.targets ? 0 : static_cast<std::size_t>(records.labels[r]);
    block.records[block.size] = r;
    block.places[block.size] = static_cast<std::size_t>(slot) * slot_cells() + label;
    block.size += slot >= 0 ? 1 : 0;
  }
}

/// @param record_of  record_of(i) is the index of the block's i-th record.
template <typename Count>
template <typename RecordOf>
void BasicGridCounts<Count>::count_block(const CountedRecords& records, const Block& block, AttributeRange attributes,
                                         const RecordOf& record_of) {
  const std::size_t row_size = layout_.statistics().size();
  for (std::size_t a = attributes.begin; a < attributes.end; ++a) {
    const std::uint8_t* const bins = records.bins.data() + a * records.bin_step;
    Count* const counts = counts_.data() + starts_[a];
    for (std::size_t i = 0; i < block.size; ++i) {
      Count* const row = counts + block.places[i] + bins[record_of(i)] * row_size;
      ++row[0];
      if constexpr (std::is_same_v<Count, std::uint64_t>)
        row[1] += static_cast<std::uint64_t>(records.numbers[record_of(i)]);
    }
  }
}

template <typename Count>
void BasicGridCounts<Count>::merge(BasicLeafSketches<Count>& other, std::span<const std::size_t> slots,
                                   std::size_t attribute) {
  auto& theirs = static_cast<BasicGridCounts&>(other);
  const std::size_t num_cells = starts_[attribute + 1] - starts_[attribute];
  for (const std::size_t slot : slots) {
    Count *const to = counts_of(slot, attribute), *const from = theirs.counts_of(slot, attribute);
    for (std::size_t i = 0; i < num_cells; ++i) to[i] += from[i];
    std::fill_n(from, num_cells, 0);
  }
}

template <typename Count>
void BasicGridCounts<Count>::take(std::span<const std::size_t> slots, AttributeRange attributes, Bytes& bytes) {
  const std::size_t num_cells = starts_[attributes.end] - starts_[attributes.begin];
  if (num_cells == 0) return;
  std::size_t at = bytes.size();
  bytes.resize(at + slots.size() * num_cells * sizeof(Count));
  for (const std::size_t slot : slots) {
    Count* const counts = counts_of(slot, attributes.begin);
    std::memcpy(bytes.data() + at, counts, num_cells * sizeof(Count));
    std::fill_n(counts, num_cells, 0);
    at += num_cells * sizeof(Count);
  }
}

template <typename Count>
std::size_t BasicGridCounts<Count>::add(std::span<const std::size_t> slots, AttributeRange attributes,
                                        const Bytes& bytes, std::size_t at) {
  const std::size_t num_cells = starts_[attributes.end] - starts_[attributes.begin];
  const std::size_t size = slots.size() * num_cells * sizeof(Count);
  check_counts(bytes, at, size);
  for (const std::size_t slot : slots) {
    Count* const counts = counts_of(slot, attributes.begin);
    for (std::size_t i = 0; i < num_cells; ++i, at += sizeof(Count)) {
      Count count = 0;
      std::memcpy(&count, bytes.data() + at, sizeof(count));
      counts[i] += count;
    }
  }
  return at;
}

template <typename Count>
BasicCells<Count> BasicGridCounts<Count>::cells(std::size_t slot, std::size_t attribute, CellMemory&) const {
  const Count* const counts = counts_.data() + slot * slot_cells() + starts_[attribute];
  const std::size_t num_bins = layout_.grid.num_bins(attribute), row_size = layout_.statistics().size();
  return {counts, layout_.grid.edges_of(attribute).data(), num_bins, counts + num_bins * row_size, row_size};
}

template class BasicGridCounts<std::uint32_t>;
template class BasicGridCounts<std::uint64_t>;

}  // namespace fernwood::stream
