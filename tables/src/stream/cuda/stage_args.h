// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/core/array.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/records/train_records.h"
#include "stream/cuda/gpu_counts.h"
#include "stream/grow/stream_backend.h"

namespace fernwood::stream {

/// Stage 1, navigate: R records descend a tree and are counted by slot and class.
struct NavigateArgs {
  const records::RecordNode* nodes;
  const float* values;          ///< [attribute][step]
  const std::uint16_t* labels;  ///< [R]
  std::int32_t* at;             ///< [R] Node of each record, updated.
  std::int32_t* slots;          ///< [R], written.
  std::uint32_t* totals;        ///< [slot][class], added to.
  std::size_t num_records, step, num_totals;
  std::uint32_t num_classes;
};
void navigate_cuda(const NavigateArgs& args, const cuda::Stream& stream);

/// Columns consist of whole groups of this many records: threads load a group's bins and keys at once.
inline constexpr std::size_t kGroup = 8;

/// Key of a record in the shared memory of blocks: its slot's place there times the number of classes plus its class,
/// or one of these.
inline constexpr std::uint16_t kNotCounted = 0xffff, kCold = 0xfffe;

/// Stage 2, update: columns of bins are counted.
struct CountArgs {
  CountsView counts;
  const std::uint8_t* bins;     ///< [attribute][step]
  const std::uint16_t* labels;  ///< [R]
  const std::int32_t* slots;    ///< [R]
  std::size_t num_records, step;
  std::uint32_t first_attribute, num_attributes;
  // Set from the plan.
  std::uint16_t* keys = nullptr;        ///< [step], written.
  const std::uint32_t* plan = nullptr;  ///< [slot] Place in shared memory or kNoPlace, followed by [place] the slots.
  std::size_t num_slots = 0;
  std::uint32_t num_places = 0;
};
inline constexpr std::uint32_t kNoPlace = 0xffffffff;

/// Decides which slots are counted in shared memory: those with enough records.
class CountPlan {
 public:
  /// @param slot_sizes  [slot] Number of records. @param most_bins  Of an attribute, including that of unknown values.
  void make(const std::vector<std::uint32_t>& slot_sizes, std::size_t most_bins, std::size_t num_classes,
            std::size_t num_attributes, std::size_t num_records, const cuda::Stream& stream);
  /// Counts with the fields of the plan set in args.
  void count(CountArgs args, const cuda::Stream& stream);

 private:
  std::size_t num_places_ = 0, shared_bytes_ = 0, num_slots_ = 0;
  cuda::UploadedBuffer<std::uint32_t> plan_;  ///< See CountArgs.
  cuda::GpuBuffer<std::uint16_t> keys_;
};

/// Before a search: the attributes of which some of S slots have counted more than their records, see fits().
struct ExcessArgs {
  CountsView counts;
  const std::uint32_t* slots;   ///< [S]
  const std::uint32_t* totals;  ///< [S][class]
  std::uint32_t* exceeds;       ///< [A] Set to 1 for these attributes.
  std::size_t num_slots;
  std::uint32_t first_attribute, num_attributes;
};
void find_excess_cuda(const ExcessArgs& args, const cuda::Stream& stream);

/// Stage 4, search: the best splits of S slots by A attributes.
struct SearchArgs {
  CountsView counts;
  const std::uint32_t* slots;   ///< [S]
  const std::uint32_t* totals;  ///< [S][class]
  records::Split* splits;       ///< [S][A], written.
  BestTwo* best;                ///< [S], written.
  std::uint32_t* left;          ///< [S][class], written; 0 where no split was found.
  std::size_t num_slots;
  std::uint32_t first_attribute, num_attributes;
  std::int64_t min_leaf_samples;
};
/// @param most_bins  Most bins of an attribute, without that of unknown values.
void search_cuda(const SearchArgs& args, records::Criterion criterion, std::size_t most_bins,
                 const cuda::Stream& stream);

}  // namespace fernwood::stream
