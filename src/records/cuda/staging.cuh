// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What strategies share that bring the values of a block's records into shared memory, by columns so that lanes never
// meet in a bank, and let trees pass by in windows beside them. Each thread has two records.

#include "records/cuda/grid.cuh"
#include "records/cuda/held_rows.h"

namespace fernwood {

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

/// Values of an attribute in a block, from one record's to the next attribute's; odd, so that lanes that write
/// attributes of one record do not meet in a bank either.
__host__ __device__ inline std::uint32_t column_step(unsigned threads) { return threads * kStagedRecords + 1; }

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

/// Brings records first ... first + count in. Neighbouring threads take what lies side by side: attributes of a record,
/// or records of an attribute.
template <typename Held>
__device__ void stage_values(const RecordView& records, const RankView& ranks, std::size_t first, unsigned count,
                             typename Held::Value* values) {
  const unsigned num_slots = static_cast<unsigned>(ranks.attributes.size), step = column_step(blockDim.x);
  const bool by_rows = records.attribute_step == 1;
  for (unsigned i = threadIdx.x; i < count * num_slots; i += blockDim.x) {
    const unsigned slot = by_rows ? i % num_slots : i / count;
    const unsigned r = by_rows ? i / num_slots : i % count;
    values[slot * step + r] = held_value<Held>(records, ranks, ranks.attributes[slot], first + r);
  }
}
#endif

}  // namespace fernwood
