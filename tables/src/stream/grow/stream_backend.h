// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <optional>

#include "core/memory_budget.h"
#include "fernwood/core/device.h"
#include "fernwood/core/parallel.h"
#include "fernwood/stream/train_stream.h"
#include "stream/grow/stream_tree.h"
#include "stream/sketches/leaf_sketches.h"

namespace fernwood::stream {

/// Worker w counts part w / attribute_parts of the records and part w % attribute_parts of the attributes.
struct Division {
  std::size_t record_parts = 1, attribute_parts = 1;
  bool by_leaf = false;
};

/// Divides work among threads: where both are divided, attributes have as many parts as possible, since these need no
/// memory of their own and no merging.
Division divide_among_threads(Parallel parallel, std::size_t num_threads, std::size_t num_attributes);
/// Divides work among processes: where both are divided, records have at least as many parts as attributes, since
/// records are sent. @throws Error(kUsage) for several processes and kNode or kSequential.
Division divide_among_ranks(Parallel parallel, std::size_t num_ranks);

/// The share of one of several processes.
struct RankShare {
  std::size_t record_part = 0, attribute_part = 0;
  AttributeRange counted;  ///< For its own records.
  AttributeRange owned;    ///< Within `counted`; merged for all records and searched for splits.
};
RankShare share_of(std::size_t rank, const Division& ranks, std::size_t num_attributes);

/// Records in the memory of a backend.
class HeldRecords {
 public:
  virtual ~HeldRecords() = default;
};

/// The best split over some attributes, and the purity of the best split of another attribute.
struct BestTwo {
  records::Split best;
  double second = -__builtin_huge_val();  ///< Purity of the best split of another attribute.

  /// Includes the result for other attributes, in any order. @return Whether the best split is theirs.
  FW_HD bool add(const BestTwo& other) {
    const bool wins = other.best.beats(best);
    const double loser = wins ? best.purity : other.best.purity;
    if (other.second > second) second = other.second;
    if (loser > second) second = loser;
    if (wins) best = other.best;
    return wins;
  }
};

/// Result of a search in one leaf.
struct LeafSearch : BestTwo {
  std::vector<std::uint64_t> left;  ///< Row that the best split sends left; empty when none was found.
};

/// Includes a split of a further attribute, or the result for other attributes.
void add_split(const records::Split& split, LeafSearch& found);
void add_search(LeafSearch&& other, LeafSearch& found);

/// Share of the available memory for slots, if no budget is set.
inline constexpr MemoryShare kSlotsShare{.parts = 1, .all = 2};

/// The stages of growing a level, on one device, for the records of one process. Slots hold the counts of open leaves.
class StreamBackend {
 public:
  virtual ~StreamBackend() = default;

  /// Drops all counts.
  virtual void reset(const CountLayout& layout, std::size_t num_slots) = 0;
  virtual void resize(std::size_t num_slots) = 0;
  virtual void clear(std::span<const std::size_t> slots) = 0;
  /// Approximate size of a slot.
  virtual std::size_t slot_bytes() const = 0;
  /// Approximate memory for slots, used if no budget is set.
  virtual std::size_t free_bytes() const = 0;

  /// Copies records, which start at the root, with bins of the layout. @param labels, targets  One of the two.
  virtual std::unique_ptr<HeldRecords> hold(const records::RecordView& records, std::span<const std::int32_t> labels,
                                            std::span<const double> targets) = 0;
  /// Copies tables, freeing each after its copy, into as few parts as the device permits.
  virtual std::vector<std::unique_ptr<HeldRecords>> hold_all(std::vector<records::RecordTable>&& tables);
  /// Moves records back to the root.
  virtual void to_root(HeldRecords& records) = 0;
  /// Stage 1: moves records down to their leaves and adds them to the leaves' counts.
  /// @param totals  [slot] Rows of LeafStatistics.
  virtual void navigate(HeldRecords& records, const std::vector<records::RecordNode>& nodes,
                        Array2<std::uint64_t>& totals) = 0;
  /// Stage 2: counts attributes of the records in slots.
  virtual void update(HeldRecords& records, AttributeRange attributes) = 0;
  /// Stage 3: merges the counts of the workers of this process.
  virtual void merge(std::span<const std::size_t> slots, AttributeRange attributes) = 0;
  /// Between processes: see LeafSketches.
  virtual void take(std::span<const std::size_t> slots, AttributeRange attributes, Bytes& bytes) = 0;
  virtual std::size_t add(std::span<const std::size_t> slots, AttributeRange attributes, const Bytes& bytes,
                          std::size_t at) = 0;
  /// The first attribute of which a slot has counted more than its records, see fits(); empty: there is none. A search
  /// relies on this.
  /// @param totals  As for search().
  virtual std::optional<std::size_t> find_excess(std::span<const std::size_t> slots,
                                                 const Array2<std::uint64_t>& totals, AttributeRange attributes) = 0;
  /// Stage 4: the best splits by some attributes. @param totals  [slot] Rows counted by all processes.
  /// @return  [slots]
  virtual std::vector<LeafSearch> search(std::span<const std::size_t> slots, const Array2<std::uint64_t>& totals,
                                         AttributeRange attributes) = 0;
};

/// @param sketches  Contents of slots for records with classes; for those with targets, bins of a grid are used.
std::unique_ptr<StreamBackend> make_cpu_backend(const StreamOptions& options, Parallel parallel, ThreadPool& pool,
                                                const LeafSketchMaker& sketches = {});
/// Counts bins of a grid. @throws Error(kDevice) in a build without CUDA.
std::unique_ptr<StreamBackend> make_gpu_backend(const StreamOptions& options, Device device);
/// The backend for the device of `work`. @throws Error(kUsage) for sketches that it does not support.
std::unique_ptr<StreamBackend> make_stream_backend(const StreamOptions& options, const StreamWork& work,
                                                   ThreadPool& pool, const LeafSketchMaker& sketches = {});

}  // namespace fernwood::stream
