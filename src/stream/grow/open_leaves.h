// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/core/array.h"
#include "stream/grow/stream_backend.h"

namespace fernwood::stream {

/// Records that a leaf may count, so that whatever comes in a round fits into 32 bits, and what is computed from it
/// into 64.
inline constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 30;

/// A leaf that may be split.
struct OpenLeaf {
  std::int32_t node = 0;
  std::int32_t slot = -1;          ///< Where it counts; -1: it waits.
  std::uint64_t seen = 0;          ///< Records counted in its slot.
  std::uint64_t seen_at_test = 0;  ///< Of those, at the last search.
  std::int32_t tests = 0;          ///< Searches so far.
};

/// What a search found in an open leaf, with the gains that decide.
struct FoundSplit {
  std::size_t leaf = 0;  ///< Which of the open leaves.
  LeafSearch search;
  std::vector<std::uint64_t> totals;  ///< Row of what the leaf had counted.
  /// Decrease of impurity a record, by the best split and that of another attribute; of targets that of the mean
  /// squared error.
  double gain = 0, second_gain = 0;
};

/// Gains of a search.
void weigh(FoundSplit& found, records::Criterion criterion);
/// Those of targets. @param unit  Of their numbers.
void weigh_targets(FoundSplit& found, double unit);

/// Hoeffding's bound: with probability 1 - failure a mean of n independent values in a range of width `range` is at
/// most this far from what it is expected to be.
/// @param n  > 0. @param failure  (0, 1).
double hoeffding_bound(double range, double failure, double n);
/// What the k-th of any number of tests may fail with, so that all together fail with at most `failure`:
/// 1 / (1 * 2) + 1 / (2 * 3) + ... = 1. @param k  From 1.
double failure_of_test(double failure, int k);
/// Whether leaf and search say that a split is surely, or nearly, as good as any (see StreamOptions). With targets,
/// whose gains are in no range that is known, by the gain of another attribute as a part of the best one (Ikonomovska,
/// Gama and Dzeroski, Learning model trees from evolving data streams, Data Mining and Knowledge Discovery 23, 2011).
bool is_decided(const FoundSplit& found, const OpenLeaf& leaf, const StreamOptions& options);

/// Whether records may be split: there are enough, and, of classes, several. @param totals  Row of LeafStatistics.
bool may_split(const LeafStatistics& statistics, std::span<const std::uint64_t> totals, const StreamOptions& options);

/// A growing tree and those of its leaves that may be split, in order of creation. Leaves that count have slots: rows
/// of totals() here, memory in a backend.
class OpenLeaves {
 public:
  /// @param counts_are_exact  What sketches tell of a split's sides is what was counted.
  OpenLeaves(const StreamOptions& options, bool counts_are_exact);

  const StreamTree& tree() const { return tree_; }
  StreamTree& tree() { return tree_; }
  bool empty() const { return open_.empty(); }
  std::size_t size() const { return open_.size(); }
  const OpenLeaf& operator[](std::size_t i) const { return open_[i]; }
  std::size_t num_slots() const { return num_slots_; }
  const Array2<std::uint64_t>& totals() const { return totals_; }  ///< [slot] Rows, counted by all processes.
  /// The slots in use, in the order of the leaves.
  std::vector<std::size_t> slots() const;

  /// Gives open leaves begin ... end slots, and takes those of others away; leaves that have one keep it.
  /// @return Slots that had counted for other leaves before and are to be cleared.
  std::vector<std::size_t> give_slots(std::size_t begin, std::size_t end);
  /// Room for the counts of num_slots().
  void resize_totals();
  /// Leaves count from nothing; a tree may have more classes from now on.
  void start_again(std::size_t num_classes);
  /// Likewise leaves alone that have counted as many as numbers hold, and are undecided still.
  void start_full_again();
  /// Records were counted. @param counts  [slot] Rows, of all processes.
  void add_counts(const Array2<std::uint64_t>& counts);

  /// Leaves that have seen enough since their last search (for the schedules with new records).
  std::vector<std::size_t> due() const;
  /// Whether a leaf's records may be split at all.
  bool is_worth_a_search(std::size_t leaf) const;
  /// Takes a search into account; adds it to `found` if it is decided. @throws Error(kModel) for counts that do not
  /// fit. @param target_unit  Of targets' numbers; else of no meaning.
  void decide(std::size_t leaf, LeafSearch&& search, double target_unit, std::vector<FoundSplit>& found);
  /// Makes splits, those that gain most first where leaves are limited; closes and opens leaves.
  void split(std::vector<FoundSplit> found);

  /// Schedule::kAdaptive: begins an alternate of a node, or replaces and ends some as StreamTree::replace(). All leaves
  /// of tree and alternates are open, those of the greatest depth only to be counted.
  void begin_alternate(std::int32_t node);
  std::vector<std::int32_t> replace(std::span<const Alternate> replacing, std::span<const Alternate> dropped);

  /// Share of `num_records` that have come to a leaf that is not split.
  double share_of_closed(std::uint64_t num_records) const;

  /// For checkpoints: tree, leaves and totals; in passes a level begins with nothing counted.
  void pack(Packer& packer) const;
  /// @throws Error when what comes is nothing of the kind.
  void unpack(Unpacker& unpacker, std::size_t num_attributes, std::size_t num_classes);

 private:
  bool in_passes() const { return options_.schedule == Schedule::kPasses; }
  bool is_adaptive() const { return options_.schedule == Schedule::kAdaptive; }
  const LeafStatistics& statistics() const { return tree_.statistics(); }
  double whole_gain(const FoundSplit& found) const;
  bool may_open(std::int32_t leaf) const;
  void close_and_open(const std::vector<std::uint8_t>& splits, const std::vector<OpenLeaf>& children);
  OpenLeaf unpack_leaf(Unpacker& unpacker, std::vector<std::uint64_t>& totals);
  std::span<const std::uint64_t> totals_of(const OpenLeaf& leaf) const {
    return {totals_.row(static_cast<std::size_t>(leaf.slot)), totals_.cols()};
  }

  const StreamOptions options_;
  const bool counts_are_exact_;
  StreamTree tree_;
  std::vector<OpenLeaf> open_;
  std::vector<std::int32_t> free_slots_;  ///< Lowest last.
  std::size_t num_slots_ = 0;
  Array2<std::uint64_t> totals_;  ///< [slot] Rows.
};

}  // namespace fernwood::stream
