// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/core/array.h"
#include "stream/grow/stream_backend.h"

namespace fernwood::stream {

/// Most records of a leaf, so that the counts of a round fit into 32 bits, and computations with them into 64.
inline constexpr std::uint64_t kMaxCounted = std::uint64_t{1} << 30;

/// A leaf that may be split.
struct OpenLeaf {
  std::int32_t node = 0;
  std::int32_t slot = -1;          ///< Slot of its counts; -1: it waits.
  std::uint64_t seen = 0;          ///< Records counted in its slot.
  std::uint64_t seen_at_test = 0;  ///< Of those, at the last search.
  std::int32_t tests = 0;          ///< Number of searches so far.
};

/// The result of a search in an open leaf, with the gains that decide.
struct FoundSplit {
  std::size_t leaf = 0;  ///< Index among the open leaves.
  LeafSearch search;
  std::vector<std::uint64_t> totals;  ///< Row of the leaf's counts.
  /// Decrease of impurity for each record, by the best split and by the best one of another attribute; for targets,
  /// decrease of the mean squared error.
  double gain = 0, second_gain = 0;
};

/// Computes the gains of a search.
void weigh(FoundSplit& found, records::Criterion criterion);
/// The same for targets. @param unit  Of their numbers.
void weigh_targets(FoundSplit& found, double unit);

/// Hoeffding's bound: with probability 1 - failure a mean of n independent values in a range of width `range` deviates
/// from its expectation by at most this.
/// @param n  > 0. @param failure  (0, 1).
double hoeffding_bound(double range, double failure, double n);
/// Failure probability of the k-th of any number of tests, chosen so that all together fail with at most `failure`:
/// 1 / (1 * 2) + 1 / (2 * 3) + ... = 1. @param k  From 1.
double failure_of_test(double failure, int k);
/// Whether a split is surely, or nearly, as good as any other (see StreamOptions). The gains of targets have no known
/// range: their test uses the ratio of the gain of another attribute to the best one (Ikonomovska, Gama and Dzeroski,
/// Learning model trees from evolving data streams, Data Mining and Knowledge Discovery 23, 2011).
bool is_decided(const FoundSplit& found, const OpenLeaf& leaf, const StreamOptions& options);

/// Whether records may be split: enough of them, and several classes if any. @param totals  Row of LeafStatistics.
bool may_split(const LeafStatistics& statistics, std::span<const std::uint64_t> totals, const StreamOptions& options);

/// A growing tree and those of its leaves that may be split, in order of creation. Leaves that count have slots: rows
/// of totals() here, memory in a backend.
class OpenLeaves {
 public:
  /// @param counts_are_exact  Sketches return exact counts for the sides of a split.
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

  /// Assigns slots to open leaves begin ... end - 1, and frees those of other leaves; leaves that have a slot keep it.
  /// @return Slots with counts of other leaves, which have to be cleared.
  std::vector<std::size_t> give_slots(std::size_t begin, std::size_t end);
  /// Makes room for the counts of num_slots().
  void resize_totals();
  /// Resets the counts of all leaves; the tree may have more classes from now on.
  void start_again(std::size_t num_classes);
  /// The same only for leaves that have reached the limit of counts without a decision.
  void start_full_again();
  /// Adds counts of records. @param counts  [slot] Rows, of all processes.
  void add_counts(const Array2<std::uint64_t>& counts);

  /// Leaves that have seen enough records since their last search (for the schedules with new records).
  std::vector<std::size_t> due() const;
  /// Whether a leaf's records may be split at all.
  bool is_worth_a_search(std::size_t leaf) const;
  /// Processes the result of a search; adds it to `found` if it is decided. @throws Error(kModel) for counts that do
  /// not fit. @param target_unit  Of targets' numbers; ignored for classes.
  void decide(std::size_t leaf, LeafSearch&& search, double target_unit, std::vector<FoundSplit>& found);
  /// Makes splits, those with the largest gain first if the number of leaves is limited; closes and opens leaves.
  void split(std::vector<FoundSplit> found);

  /// Schedule::kAdaptive: begins an alternate of a node, or replaces and removes some as in StreamTree::replace(). All
  /// leaves of tree and alternates are open; those of the greatest depth are only counted.
  void begin_alternate(std::int32_t node);
  std::vector<std::int32_t> replace(std::span<const Alternate> replacing, std::span<const Alternate> dropped);

  /// Share of `num_records` that have reached closed leaves.
  double share_of_closed(std::uint64_t num_records) const;

  /// For checkpoints: tree, leaves and totals; in passes a level begins without counts.
  void pack(Packer& packer) const;
  /// @throws Error for invalid data.
  void unpack(Unpacker& unpacker, std::size_t num_attributes, std::size_t num_classes);

 private:
  bool in_passes() const { return options_.schedule == Schedule::kPasses; }
  bool is_adaptive() const { return options_.schedule == Schedule::kAdaptive; }
  /// Leaves that will not be split still learn records.
  bool learns_on() const { return is_adaptive() || options_.schedule == Schedule::kHoeffding; }
  bool is_full() const {
    return options_.max_leaves > 0 && tree_.num_leaves() >= static_cast<std::size_t>(options_.max_leaves);
  }
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
