// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/online/online_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/draw.h"
#include "fernwood/core/arithmetic.h"
#include "fernwood/core/error.h"
#include "stream/online/leaf_logs.h"

namespace fernwood::stream {

namespace {

constexpr std::uint64_t kSubspaceSeed = 1;
constexpr std::int64_t kMostWeight = std::int64_t{1} << 31;  ///< Of the records of a leaf; sums of targets fit.

std::ptrdiff_t offset(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

}  // namespace

OnlineTree::OnlineTree(const OnlineShape& shape, std::uint32_t number, std::uint32_t serial)
    : number_(number), serial_(serial), nodes_(1), gains_(1) {
  add_leaf(shape, {}, std::vector<std::int64_t>(shape.num_cells()),
           std::vector<ValueRange>(shape.layout.num_attributes));
}

void OnlineTree::add_leaf(const OnlineShape& shape, const Leaf& leaf, std::span<const std::int64_t> seen,
                          std::span<const ValueRange> ranges) {
  const std::size_t size = leaves_.size() + 1, subspace = shape.subspace();
  leaves_.resize(size);
  attributes_.resize(size * subspace);
  edges_.resize(size * subspace * shape.bins());
  seen_.resize(size * shape.num_cells());
  own_.resize(seen_.size());
  counts_.resize(size * subspace * shape.row_size());
  set_leaf(shape, size - 1, leaf, seen, ranges);
}

/// Begins a leaf, with a subspace of its own, or with that of the tree.
/// @param ranges  [attribute] Of the values that reach it.
void OnlineTree::set_leaf(const OnlineShape& shape, std::size_t index, const Leaf& leaf,
                          std::span<const std::int64_t> seen, std::span<const ValueRange> ranges) {
  const std::size_t cells = shape.num_cells(), subspace = shape.subspace(), row = subspace * shape.row_size();
  leaves_[index] = leaf;
  nodes_[static_cast<std::size_t>(leaf.node)] = {.child = ~static_cast<std::int32_t>(index)};
  std::ranges::copy(seen, seen_.begin() + offset(index * cells));
  std::fill_n(own_.begin() + offset(index * cells), cells, 0);
  std::fill_n(counts_.begin() + offset(index * row), row, 0);
  std::vector<std::uint16_t> all(shape.layout.num_attributes);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  const std::uint32_t drawn = shape.options.subspace == Subspace::kTree ? 0 : num_subspaces_++;
  for (std::uint32_t i = 0; i < subspace; ++i) {
    const Draw place = draw(kSubspaceSeed + shape.options.seed, RngStream::kAttribute, number_, serial_, drawn, i);
    std::swap(all[i], all[i + place.below(0, static_cast<std::uint32_t>(all.size()) - i)]);
    attributes_[index * subspace + i] = all[i];
    float* const edges = edges_.data() + (index * subspace + i) * shape.bins();
    shape.recent.divide(all[i], ranges[all[i]], {edges, shape.bins() - 1});
    edges[shape.bins() - 1] = __builtin_huge_valf();
  }
}

std::int64_t OnlineTree::test_and_learn(const OnlineShape& shape, const OnlineRecord& record, std::int64_t weight,
                                        std::span<std::int64_t> votes) {
  const auto leaf = static_cast<std::size_t>(
      records::find_leaf_of(nodes_.data(), [&](std::uint16_t attribute) { return record.values[attribute]; }));
  find_bins(shape, leaf, record.values);
  const std::int64_t predicted = predict(shape, leaf, record.label, votes);
  if (weight > 0) learn(shape, leaf, record, weight);
  return predicted;
}

void OnlineTree::find_bins(const OnlineShape& shape, std::size_t leaf, const float* values) {
  const std::span<const std::uint16_t> attributes = subspace_of(leaf, shape);
  const std::size_t num_bins = shape.bins();
  const float* edges = edges_.data() + leaf * attributes.size() * num_bins;
  bins_.resize(attributes.size());
  for (std::size_t j = 0; j < attributes.size(); ++j, edges += num_bins) {
    const float value = values[attributes[j]];
    std::uint32_t below = 0;
    for (std::size_t bin = 0; bin < num_bins; ++bin) below += edges[bin] < value;
    bins_[j] = static_cast<std::uint8_t>(is_nan(value) ? num_bins : below);
  }
}

std::int64_t OnlineTree::prior(const OnlineShape& shape, std::size_t leaf, std::size_t label) const {
  const std::int64_t own = own_[leaf * shape.num_cells() + label];
  const auto subspace = static_cast<std::int64_t>(shape.subspace()), bins = static_cast<std::int64_t>(shape.bins());
  return vote_log(own + 1) - subspace * vote_log(BayesBin::kWhole * own + BayesBin::kUnseen * bins);
}

/// Also notes whether the class of most records and that of naive Bayes are right.
std::int64_t OnlineTree::predict(const OnlineShape& shape, std::size_t leaf, std::int64_t label,
                                 std::span<std::int64_t> votes) {
  const std::size_t cells = shape.num_cells();
  const std::int64_t* const seen = seen_.data() + leaf * cells;
  if (shape.of_targets()) return votes[0] = seen[0] > 0 ? seen[1] / seen[0] : 0;
  const std::int64_t majority = std::max_element(seen, seen + cells) - seen;
  std::int64_t bayes = 0;
  if (shape.has_bayes()) {
    for (std::size_t c = 0; c < cells; ++c) votes[c] = prior(shape, leaf, c);
    for (std::size_t j = 0; j < bins_.size(); ++j) {
      const BayesBin bin = bayes_bin(shape, leaf, j, bins_[j]);
      for (std::size_t c = 0; c < cells; ++c) votes[c] += bin.evidence(c);
    }
    bayes = std::ranges::max_element(votes) - votes.begin();
  }
  const bool by_bayes = uses_bayes(leaf, shape);
  leaves_[leaf].majority_right += majority == label;
  leaves_[leaf].bayes_right += bayes == label;
  if (by_bayes) return bayes;
  for (std::size_t c = 0; c < cells; ++c) votes[c] = vote_log(seen[c] + 1);
  return majority;
}

void OnlineTree::learn(const OnlineShape& shape, std::size_t leaf, const OnlineRecord& record, std::int64_t weight) {
  Leaf& counted = leaves_[leaf];
  if (counted.weight > kMostWeight) return;  // its shares do not change any more
  const std::size_t cells = shape.num_cells();
  const bool of_targets = shape.of_targets();
  const auto count = [&](std::int64_t* cell) {
    if (of_targets)
      cell[0] += weight, cell[1] += weight * record.label;
    else
      cell[record.label] += weight;
  };
  count(&seen_[leaf * cells]);
  count(&own_[leaf * cells]);
  std::int64_t* row = counts_.data() + leaf * bins_.size() * shape.row_size();
  for (std::size_t j = 0; j < bins_.size(); ++j, row += shape.row_size()) count(row + bins_[j] * cells);
  counted.weight += weight;
  if (counted.weight - counted.tried_at < shape.options.grace_period) return;
  counted.tried_at = counted.weight;
  if (counted.depth < shape.options.max_depth) search(shape, leaf, record.values);
}

/// Splits a leaf if Hoeffding's bound shows that its best attribute is the best, or ties. @param values  Of a record
/// that reaches it.
void OnlineTree::search(const OnlineShape& shape, std::size_t leaf, const float* values) {
  const std::span<const std::int64_t> own = own_of(leaf, shape);
  if (!shape.of_targets() && std::ranges::count_if(own, [](std::int64_t count) { return count > 0; }) < 2) return;
  const std::size_t row = shape.subspace() * shape.row_size(), edges = shape.subspace() * shape.bins();
  const OnlineSplit best = find_split(
      shape, {own, std::span(edges_).subspan(leaf * edges, edges), std::span(counts_).subspan(leaf * row, row)});
  if (best.left.empty()) return;
  const StreamOptions& options = shape.options;
  if (options.failure_probability > 0) {
    const auto weight = static_cast<double>(leaves_[leaf].weight);
    const bool by_entropy = !shape.of_targets() && options.criterion == records::Criterion::kEntropy;
    const double range = by_entropy ? exact_log2(static_cast<double>(std::max<std::size_t>(2, shape.num_cells()))) : 1;
    const double bound = range * std::sqrt(kLn2OfVotes * exact_log2(1 / options.failure_probability) / (2 * weight));
    const double lead = shape.of_targets() ? 1 - best.next / best.gain : (best.gain - best.next) / weight;
    if (lead <= bound && bound >= options.tie) return;
  }
  split(shape, leaf, best, ranges_of(shape, values));
}

/// [attribute] The range of the values of the records in the same leaf.
std::vector<ValueRange> OnlineTree::ranges_of(const OnlineShape& shape, const float* values) const {
  std::vector<ValueRange> ranges(shape.layout.num_attributes);
  for (std::size_t n = 0; !nodes_[n].is_leaf();) {
    const records::RecordNode& node = nodes_[n];
    const int side = side_of(node, values[node.attribute]);
    (side == 0 ? ranges[node.attribute].high : ranges[node.attribute].low) = node.threshold;
    n = static_cast<std::size_t>(node.child + side);
  }
  return ranges;
}

void OnlineTree::split(const OnlineShape& shape, std::size_t leaf, const OnlineSplit& split,
                       std::vector<ValueRange> ranges) {
  const auto node = static_cast<std::size_t>(leaves_[leaf].node);
  const auto child = static_cast<std::int32_t>(nodes_.size());
  const int depth = leaves_[leaf].depth + 1;
  const std::span<const std::int64_t> own = own_of(leaf, shape);
  std::vector<std::int64_t> right(own.begin(), own.end());
  for (std::size_t c = 0; c < right.size(); ++c) right[c] -= split.left[c];
  const std::uint16_t attribute = subspace_of(leaf, shape)[split.place];
  nodes_[node] = {split.threshold, child, attribute, split.nan_left};
  gains_[node] = split.gain / static_cast<double>(leaves_[leaf].weight);
  nodes_.resize(nodes_.size() + 2);
  gains_.resize(nodes_.size());
  const ValueRange whole = ranges[attribute];
  ranges[attribute].high = split.threshold;
  set_leaf(shape, leaf, {.node = child, .depth = depth}, split.left, ranges);
  ranges[attribute] = {split.threshold, whole.high};
  add_leaf(shape, {.node = child + 1, .depth = depth}, right, ranges);
}

void OnlineTree::adopt(const OnlineShape& before, const OnlineShape& now) {
  OnlineTree old = std::exchange(*this, {});
  number_ = old.number_, serial_ = old.serial_;
  nodes_ = std::move(old.nodes_), gains_ = std::move(old.gains_);
  const bool begins_anew = now.subspace() != before.subspace();
  const std::size_t old_cells = before.num_cells(), cells = now.num_cells();
  const std::vector<ValueRange> all(now.layout.num_attributes);
  std::vector<std::int64_t> seen(cells);
  for (std::size_t leaf = 0; leaf < old.leaves_.size(); ++leaf) {
    std::copy_n(old.seen_.begin() + offset(leaf * old_cells), old_cells, seen.begin());
    add_leaf(now, old.leaves_[leaf], seen, all);
    if (begins_anew) leaves_[leaf].weight = leaves_[leaf].tried_at = 0;
  }
  num_subspaces_ = begins_anew ? num_subspaces_ : old.num_subspaces_;
  if (begins_anew) return;
  attributes_ = std::move(old.attributes_), edges_ = std::move(old.edges_);
  const auto move_rows = [&](const std::vector<std::int64_t>& from, std::vector<std::int64_t>& to) {
    for (std::size_t row = 0; row * old_cells < from.size(); ++row)
      std::copy_n(from.begin() + offset(row * old_cells), old_cells, to.begin() + offset(row * cells));
  };
  move_rows(old.own_, own_);
  move_rows(old.counts_, counts_);
}

int OnlineTree::depth() const {
  int most = 0;
  for (const Leaf& leaf : leaves_) most = std::max(most, leaf.depth);
  return most;
}

std::size_t OnlineTree::bytes() const {
  return (counts_.size() + seen_.size() + own_.size()) * sizeof(std::int64_t) + edges_.size() * sizeof(float);
}

}  // namespace fernwood::stream
