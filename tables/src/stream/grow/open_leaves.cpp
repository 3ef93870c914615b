// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/open_leaves.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "fernwood/core/error.h"
#include "records/grow/split.h"

namespace fernwood::stream {

namespace {

constexpr std::int32_t kMaxTests = 1 << 30;  ///< Tests of a leaf; each requires many records.

template <typename Terms>
void weigh_by(FoundSplit& found, const Terms& terms) {
  std::int64_t sum = 0, n = 0;
  for (const std::uint64_t total : found.totals) {
    const auto count = static_cast<std::int64_t>(total);
    sum += terms.term(count), n += count;
  }
  const double whole = terms.purity(sum, n), records = static_cast<double>(n);
  // No split has a negative gain, except by rounding.
  found.gain = std::max(0.0, (found.search.best.purity - whole) / records);
  // Not splitting is an alternative with gain 0.
  found.second_gain = std::max(0.0, (found.search.second - whole) / records);
}

}  // namespace

void weigh(FoundSplit& found, records::Criterion criterion) {
  criterion == records::Criterion::kGini ? weigh_by(found, records::GiniTerms{})
                                         : weigh_by(found, records::EntropyFormula{});
}

void weigh_targets(FoundSplit& found, double unit) {
  const records::TargetSum all = sum_of(found.totals);
  const double whole = records::target_purity(all, all.center()), records = static_cast<double>(all.weight);
  found.gain = std::max(0.0, (found.search.best.purity - whole) / records) * unit * unit;
  found.second_gain = std::max(0.0, (found.search.second - whole) / records) * unit * unit;
}

double hoeffding_bound(double range, double failure, double n) {
  constexpr double kLn2 = 0.6931471805599453;
  return range * std::sqrt(exact_log2(1 / failure) * kLn2 / (2 * n));
}

double failure_of_test(double failure, int k) {
  return failure / (static_cast<double>(k) * (static_cast<double>(k) + 1));
}

bool is_decided(const FoundSplit& found, const OpenLeaf& leaf, const StreamOptions& options) {
  if (options.failure_probability == 0) return true;
  const double range =
      options.criterion == records::Criterion::kGini ? 1 : exact_log2(static_cast<double>(found.totals.size()));
  const double bound =
      hoeffding_bound(range, failure_of_test(options.failure_probability, leaf.tests), static_cast<double>(leaf.seen));
  const double lead = found.gain - found.second_gain;
  return lead > (options.predicts_targets() ? bound * found.gain : bound) || bound < options.tie;
}

bool may_split(const LeafStatistics& statistics, std::span<const std::uint64_t> totals, const StreamOptions& options) {
  const std::uint64_t n = statistics.num_records(totals);
  return statistics.may_vary(totals) && n >= static_cast<std::uint64_t>(options.min_samples) &&
         n / 2 >= static_cast<std::uint64_t>(options.min_leaf_samples);
}

OpenLeaves::OpenLeaves(const StreamOptions& options, bool counts_are_exact)
    : options_(options), counts_are_exact_(counts_are_exact), tree_({.of_targets = options.predicts_targets()}) {
  open_.emplace_back();
}

std::vector<std::size_t> OpenLeaves::slots() const {
  std::vector<std::size_t> slots;
  for (const OpenLeaf& leaf : open_)
    if (leaf.slot >= 0) slots.push_back(static_cast<std::size_t>(leaf.slot));
  return slots;
}

std::vector<std::size_t> OpenLeaves::give_slots(std::size_t begin, std::size_t end) {
  for (std::size_t i = 0; i < open_.size(); ++i)
    if ((i < begin || i >= end) && open_[i].slot >= 0) free_slots_.push_back(std::exchange(open_[i].slot, -1));
  std::ranges::sort(free_slots_, std::greater<>());
  const std::size_t num_before = num_slots_;
  std::vector<std::size_t> used_again;
  for (std::size_t i = begin; i < end; ++i) {
    OpenLeaf& leaf = open_[i];
    if (leaf.slot >= 0) continue;
    if (free_slots_.empty()) free_slots_.push_back(static_cast<std::int32_t>(num_slots_++));
    leaf.slot = free_slots_.back();
    free_slots_.pop_back();
    if (const auto slot = static_cast<std::size_t>(leaf.slot); slot < num_before) {
      used_again.push_back(slot);
      std::fill_n(totals_.row(slot), totals_.cols(), 0);
    }
  }
  for (const OpenLeaf& leaf : open_) tree_.set_slot(leaf.node, leaf.slot < 0 ? kNoSlot : leaf.slot);
  return used_again;
}

void OpenLeaves::resize_totals() {
  Array2<std::uint64_t> totals(num_slots_, statistics().size());
  std::ranges::copy(totals_, totals.begin());
  totals_ = std::move(totals);
}

void OpenLeaves::start_again(std::size_t num_classes) {
  tree_.add_classes(num_classes);
  for (OpenLeaf& leaf : open_) leaf.slot = -1, leaf.seen = leaf.seen_at_test = 0;
  num_slots_ = 0;
  free_slots_.clear();
  totals_ = {};
}

void OpenLeaves::start_full_again() {
  for (OpenLeaf& leaf : open_) {
    if (leaf.seen < kMaxCounted) continue;
    free_slots_.push_back(std::exchange(leaf.slot, -1));
    leaf.seen = leaf.seen_at_test = 0;
  }
}

void OpenLeaves::add_counts(const Array2<std::uint64_t>& counts) {
  for (OpenLeaf& leaf : open_) {
    if (leaf.slot < 0) continue;
    const auto slot = static_cast<std::size_t>(leaf.slot);
    const std::span<const std::uint64_t> added(counts.row(slot), counts.cols());
    // In passes leaves see all records again; so far they had an estimated share of their parent's records.
    if (in_passes() && !is_empty(added)) tree_.clear_counts(leaf.node);
    tree_.add_counts(leaf.node, added);
    for (std::size_t i = 0; i < added.size(); ++i) totals_(slot, i) += added[i];
    leaf.seen += statistics().num_records(added);
    FW_CHECK(leaf.seen <= 2 * kMaxCounted, Model,
             "the open leaf " << leaf.node << " has counted " << leaf.seen
                              << " records, more than a leaf counts; start "
                              << "all processes with the same program and options");
  }
}

std::vector<std::size_t> OpenLeaves::due() const {
  const auto enough = static_cast<std::uint64_t>(
      options_.schedule == Schedule::kFresh ? (options_.samples_per_leaf + 1) / 2 : options_.grace_period);
  std::vector<std::size_t> due;
  if (is_full()) return due;
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (open_[i].seen - open_[i].seen_at_test >= enough && tree_.depth(open_[i].node) < options_.max_depth)
      due.push_back(i);
  return due;
}

bool OpenLeaves::is_worth_a_search(std::size_t leaf) const {
  return may_split(statistics(), totals_of(open_[leaf]), options_);
}

void OpenLeaves::decide(std::size_t index, LeafSearch&& search, double target_unit, std::vector<FoundSplit>& found) {
  OpenLeaf& leaf = open_[index];
  leaf.seen_at_test = leaf.seen;
  ++leaf.tests;
  if (!search.best.found()) return;
  const std::span<const std::uint64_t> all = totals_of(leaf);
  FW_CHECK(search.left.size() == all.size() && statistics().is_possible(search.left) && statistics().is_possible(all) &&
               statistics().is_side(search.left, all) && statistics().is_part(all, tree_.counts(leaf.node)),
           Model,
           "what was counted in node " << leaf.node
                                       << " is not what it has seen; start all processes with the same program and "
                                          "options, and train without "
                                       << named_option("resume"));
  FoundSplit split{index, std::move(search), {all.begin(), all.end()}};
  statistics().of_targets ? weigh_targets(split, target_unit) : weigh(split, options_.criterion);
  // Equal targets need no split.
  const bool gains = split.gain >= options_.min_gain && (split.gain > 0 || !statistics().of_targets);
  if (gains && is_decided(split, leaf, options_)) found.push_back(std::move(split));
}

/// Decrease of impurity by a split, over all records.
double OpenLeaves::whole_gain(const FoundSplit& found) const {
  return found.gain * static_cast<double>(statistics().num_records(found.totals));
}

void OpenLeaves::split(std::vector<FoundSplit> found) {
  if (options_.max_leaves > 0) {
    std::ranges::stable_sort(found, std::greater<>(), [&](const FoundSplit& split) { return whole_gain(split); });
    const std::size_t num_left = static_cast<std::size_t>(options_.max_leaves) - tree_.num_leaves();
    found.resize(std::min(found.size(), num_left));
    std::ranges::sort(found, {}, &FoundSplit::leaf);
  }
  std::vector<std::uint8_t> splits(open_.size());
  std::vector<OpenLeaf> children;
  for (const FoundSplit& f : found) {
    const std::int32_t node = open_[f.leaf].node;
    tree_.split(node, f.search.best, f.search.left, f.totals);
    splits[f.leaf] = 1;
    for (std::int32_t side = 0; side < 2; ++side)
      if (const std::int32_t child = tree_.nodes()[static_cast<std::size_t>(node)].child + side; may_open(child))
        children.push_back({.node = child});
  }
  close_and_open(splits, children);
}

/// Whether a new leaf may be split itself.
bool OpenLeaves::may_open(std::int32_t leaf) const {
  if (learns_on()) return true;
  if (tree_.depth(leaf) >= options_.max_depth) return false;
  // In passes all records of the leaf are known, unless sketches are inexact.
  return !in_passes() || !counts_are_exact_ || may_split(statistics(), tree_.counts(leaf), options_);
}

/// @param splits  [open leaf] Whether it was split.
void OpenLeaves::close_and_open(const std::vector<std::uint8_t>& splits, const std::vector<OpenLeaf>& children) {
  const bool full = is_full() && !learns_on();
  std::vector<OpenLeaf> open;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const OpenLeaf& leaf = open_[i];
    // A leaf whose search found no split is closed; one with few records or a single class waits for more.
    const bool had_its_chance =
        options_.schedule == Schedule::kFresh && options_.failure_probability == 0 && leaf.seen_at_test > 0;
    const bool stays = !splits[i] && !in_passes() && !had_its_chance && !full;
    if (stays) {
      open.push_back(leaf);
      continue;
    }
    if (leaf.slot >= 0) free_slots_.push_back(leaf.slot);
    if (!splits[i]) tree_.set_slot(leaf.node, kNoSlot);
  }
  if (!full) open.insert(open.end(), children.begin(), children.end());
  open_ = std::move(open);
}

void OpenLeaves::begin_alternate(std::int32_t node) {
  tree_.begin_alternate(node);
  open_.push_back({.node = tree_.alternates().back().root});
}

std::vector<std::int32_t> OpenLeaves::replace(std::span<const Alternate> replacing,
                                              std::span<const Alternate> dropped) {
  const std::vector<std::int32_t> indices = tree_.replace(replacing, dropped);
  for (OpenLeaf& leaf : open_) {
    leaf.node = indices[static_cast<std::size_t>(leaf.node)];
    if (leaf.node < 0 && leaf.slot >= 0) free_slots_.push_back(leaf.slot);
  }
  std::erase_if(open_, [](const OpenLeaf& leaf) { return leaf.node < 0; });
  std::ranges::sort(open_, {}, &OpenLeaf::node);
  return indices;
}

double OpenLeaves::share_of_closed(std::uint64_t num_records) const {
  std::uint64_t open = 0;
  for (const OpenLeaf& leaf : open_) open += statistics().num_records(tree_.counts(leaf.node));
  return 1 - static_cast<double>(open) / static_cast<double>(num_records);
}

void OpenLeaves::pack(Packer& packer) const {
  tree_.pack(packer);
  packer.put(std::uint64_t{open_.size()});
  for (const OpenLeaf& leaf : open_) {
    const bool has_counted = leaf.slot >= 0 && !in_passes();
    packer.put(leaf.node);
    packer.put(leaf.tests);
    packer.put(std::uint8_t{has_counted});
    if (!has_counted) continue;
    const std::span<const std::uint64_t> totals = totals_of(leaf);
    packer.put(leaf.seen_at_test);
    packer.put(std::vector<std::uint64_t>(totals.begin(), totals.end()));
  }
}

void OpenLeaves::unpack(Unpacker& unpacker, std::size_t num_attributes, std::size_t num_classes) {
  tree_.unpack(unpacker, num_attributes, {options_.predicts_targets(), num_classes}, options_.max_depth);
  FW_CHECK(is_adaptive() || tree_.alternates().empty(), Model, "it has trees that may replace parts");
  open_.clear();
  std::vector<std::uint64_t> totals;
  for (auto left = unpacker.get<std::uint64_t>(); left > 0; --left) open_.push_back(unpack_leaf(unpacker, totals));
  if (in_passes()) return;
  totals_ = Array2<std::uint64_t>(num_slots_, statistics().size());
  std::ranges::copy(totals, totals_.begin());
}

/// @param totals  Rows of leaves with slots, which are consecutive, are appended.
OpenLeaf OpenLeaves::unpack_leaf(Unpacker& unpacker, std::vector<std::uint64_t>& totals) {
  OpenLeaf leaf;
  unpacker.get(leaf.node);
  unpacker.get(leaf.tests);
  const auto num_nodes = static_cast<std::int64_t>(tree_.nodes().size());
  const std::int32_t before = open_.empty() ? -1 : open_.back().node;
  FW_CHECK(
      leaf.node > before && leaf.node < num_nodes && tree_.nodes()[static_cast<std::size_t>(leaf.node)].is_leaf() &&
          (tree_.depth(leaf.node) < options_.max_depth || learns_on()) && leaf.tests >= 0 && leaf.tests < kMaxTests,
      Model, "node " << leaf.node << " of " << num_nodes << ", tested " << leaf.tests << " times, is not an open leaf");
  if (unpacker.get<std::uint8_t>() == 0) return leaf;
  std::vector<std::uint64_t> counts;
  unpacker.get(leaf.seen_at_test);
  unpacker.get(counts);
  const bool is_row = counts.size() == statistics().size() && statistics().is_possible(counts);
  leaf.seen = is_row ? statistics().num_records(counts) : 0;
  // The counted records of a leaf are among those that it has seen.
  FW_CHECK(is_row && statistics().is_part(counts, tree_.counts(leaf.node)) && leaf.seen <= 2 * kMaxCounted &&
               leaf.seen_at_test <= leaf.seen,
           Model, "the open leaf " << leaf.node << " has counted " << leaf.seen << " records, and seen others");
  totals.insert(totals.end(), counts.begin(), counts.end());
  leaf.slot = static_cast<std::int32_t>(num_slots_++);
  return leaf;
}

}  // namespace fernwood::stream
