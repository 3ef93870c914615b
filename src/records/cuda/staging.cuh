// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What strategies share that bring the values of a block's records into shared memory, by columns so that lanes never
// meet in a bank, and let trees pass by in windows beside them. Each thread has two records.

#include "records/cuda/grid.cuh"
#include "records/cuda/held_rows.h"

namespace fernwood::records {

constexpr unsigned kStagedRecords = 2;  // of a thread
constexpr unsigned kMostStagedThreads = 512;

/// How a block's shared memory is divided: values, then a window of trees, then sums.
struct Division {
  unsigned threads = 0;  ///< 0: it cannot be.
  std::size_t value_bytes = 0, window_bytes = 0, sum_bytes = 0;
  std::size_t total() const { return value_bytes + window_bytes + sum_bytes; }
};

/// The most threads with which the largest tree still fits. @param largest_tree, all_trees  Bytes.
Division divide_block(const EvaluationModel& model, Values values, std::size_t largest_tree, std::size_t all_trees);
/// Why there is no division, as the rest of a sentence; empty when there is.
std::string division_obstacle(const Division& division);

/// Values of an attribute in a block, from one record's to the next attribute's: a multiple of the banks, so that lanes
/// which read different attributes of neighbouring records do not meet in one.
__host__ __device__ inline std::uint32_t column_step(unsigned threads) { return threads * kStagedRecords; }

#if defined(__CUDACC__)
template <typename Held>
__device__ typename Held::Value held_value(const RecordView& records, const RankView& ranks,
                                           const RankedAttribute& attribute, std::size_t record) {
  const float value = records.at(record, attribute.attribute);
  if constexpr (std::is_same_v<typename Held::Value, float>)
    return value;
  else
    return static_cast<std::uint16_t>(rank_or_nan(ranks, attribute, value));
}

/// Brings records first ... first + count in. Stored by columns, neighbouring threads take neighbouring records. Stored
/// by rows, a warp takes a tile of 8 records and 4 attributes: reading runs along rows, writing along columns, and
/// neither can have its way alone.
template <typename Held>
__device__ void stage_values(const RecordView& records, const RankView& ranks, std::size_t first, unsigned count,
                             typename Held::Value* values) {
  constexpr unsigned kTileRecords = 8, kTileSlots = 4;
  const unsigned num_slots = static_cast<unsigned>(ranks.attributes.size), step = column_step(blockDim.x);
  const bool by_rows = records.attribute_step == 1;
  const unsigned tile_records = by_rows ? kTileRecords : 32, tile_slots = by_rows ? kTileSlots : 1;
  const unsigned lane = threadIdx.x % 32, across = (num_slots + tile_slots - 1) / tile_slots;
  const unsigned num_tiles = (count + tile_records - 1) / tile_records * across;
  for (unsigned tile = threadIdx.x / 32; tile < num_tiles; tile += blockDim.x / 32) {
    const unsigned r = tile / across * tile_records + lane / tile_slots;
    const unsigned slot = tile % across * tile_slots + lane % tile_slots;
    if (r < count && slot < num_slots)
      values[slot * step + r] = held_value<Held>(records, ranks, ranks.attributes[slot], first + r);
  }
}
#endif

}  // namespace fernwood::records
