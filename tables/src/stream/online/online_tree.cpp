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
#include "records/grow/finish_tree.h"
#include "stream/grow/naive_bayes.h"

namespace fernwood::stream {

namespace {

constexpr std::uint64_t kSubspaceSeed = 1;
constexpr std::int64_t kMostWeight = std::int64_t{1} << 31;  ///< Of the records of a leaf; sums of targets fit.
constexpr std::size_t kStoredLogs = 1 << 13;
constexpr double kLn2OfVotes = 0.6931471805599453;

/// n log2(n) and ln(n) of small numbers.
struct StoredLogs {
  StoredLogs() {
    for (std::size_t n = 1; n < kStoredLogs; ++n) {
      const double log = exact_log2(static_cast<double>(n));
      entropies[n] = static_cast<double>(n) * log;
      votes[n] = vote(log);
    }
  }
  static std::int32_t vote(double log2) {
    return static_cast<std::int32_t>(std::floor(log2 * kLn2OfVotes * (1 << kVoteBits) + 0.5));
  }

  std::array<double, kStoredLogs> entropies{};
  std::array<std::int32_t, kStoredLogs> votes{};
};

const StoredLogs kLogs;

/// n log2(n).
double entropy_term(std::int64_t n) {
  if (n < static_cast<std::int64_t>(kStoredLogs)) return kLogs.entropies[static_cast<std::size_t>(n)];
  return static_cast<double>(n) * exact_log2(static_cast<double>(n));
}

/// ln(n) in units of 2^-kVoteBits.
std::int64_t vote_log(std::int64_t n) {
  if (n < static_cast<std::int64_t>(kStoredLogs)) return kLogs.votes[static_cast<std::size_t>(n)];
  return StoredLogs::vote(exact_log2(static_cast<double>(n)));
}

/// Gains of splits of a leaf: the decrease of entropy or Gini's impurity times the number of records, or of the squared
/// error.
class SplitGain {
 public:
  SplitGain(const OnlineShape& shape, std::span<const std::int64_t> all)
      : of_targets_(shape.of_targets()), by_gini_(shape.options.criterion == records::Criterion::kGini), all_(all) {
    if (of_targets_) {
      weight_ = all_[0];
      mean_ = weight_ > 0 ? all_[1] / weight_ : 0;
      before_ = -side(weight_, all_[1]);
    } else {
      weight_ = std::accumulate(all_.begin(), all_.end(), std::int64_t{0});
      before_ = -purity(all_, weight_);
    }
  }
  std::int64_t weight() const { return weight_; }
  std::int64_t weight_of(std::span<const std::int64_t> row) const {
    return of_targets_ ? row[0] : std::accumulate(row.begin(), row.end(), std::int64_t{0});
  }
  /// @param left  Neither empty nor all.
  double operator()(std::span<const std::int64_t> left, std::int64_t weight) const {
    if (of_targets_) return before_ + side(weight, left[1]) + side(weight_ - weight, all_[1] - left[1]);
    if (by_gini_) {
      double squares_left = 0, squares_right = 0;
      for (std::size_t c = 0; c < all_.size(); ++c) {
        squares_left += square(left[c]);
        squares_right += square(all_[c] - left[c]);
      }
      return before_ + squares_left / static_cast<double>(weight) +
             squares_right / static_cast<double>(weight_ - weight);
    }
    double gain = before_ - entropy_term(weight) - entropy_term(weight_ - weight);
    for (std::size_t c = 0; c < all_.size(); ++c) gain += entropy_term(left[c]) + entropy_term(all_[c] - left[c]);
    return gain;
  }

 private:
  static double square(std::int64_t count) { return static_cast<double>(count) * static_cast<double>(count); }
  double purity(std::span<const std::int64_t> counts, std::int64_t weight) const {
    double sum = by_gini_ ? 0 : -entropy_term(weight);
    for (const std::int64_t count : counts)
      sum += by_gini_ ? square(count) / static_cast<double>(weight) : entropy_term(count);
    return sum;
  }
  double side(std::int64_t weight, std::int64_t sum) const {
    const auto distance = static_cast<double>(sum - mean_ * weight);
    return weight > 0 ? distance * distance / static_cast<double>(weight) : 0;
  }

  const bool of_targets_, by_gini_;
  const std::span<const std::int64_t> all_;
  std::int64_t weight_ = 0, mean_ = 0;
  double before_ = 0;
};

}  // namespace

std::size_t OnlineShape::subspace() const {
  const std::size_t all = layout.num_attributes;
  const double some =
      options.subspace == Subspace::kTree ? 0.6 * static_cast<double>(all) : std::sqrt(static_cast<double>(all)) + 1;
  return std::min(all, static_cast<std::size_t>(some + 0.5));
}

OnlineTree::OnlineTree(const OnlineShape& shape, std::uint32_t number, std::uint32_t serial)
    : number_(number), serial_(serial), nodes_(1), gains_(1) {
  add_leaf(shape, {}, std::vector<std::int64_t>(shape.num_cells()));
}

std::size_t OnlineTree::add_leaf(const OnlineShape& shape, Leaf leaf, std::span<const std::int64_t> seen) {
  const std::size_t index = leaves_.size(), subspace = shape.subspace();
  leaves_.emplace_back();
  attributes_.resize(attributes_.size() + subspace);
  seen_.resize(seen_.size() + shape.num_cells());
  own_.resize(own_.size() + shape.num_cells());
  counts_.resize(counts_.size() + subspace * row_size(shape));
  if (shape.has_bayes()) vote_counts_.resize(vote_counts_.size() + subspace * vote_row_size(shape));
  set_leaf(shape, index, leaf, seen);
  return index;
}

/// Begins a leaf, with a subspace of its own, or with that of the tree.
void OnlineTree::set_leaf(const OnlineShape& shape, std::size_t index, const Leaf& leaf,
                          std::span<const std::int64_t> seen) {
  const std::size_t cells = shape.num_cells(), subspace = shape.subspace(), row = subspace * row_size(shape);
  leaves_[index] = leaf;
  nodes_[static_cast<std::size_t>(leaf.node)] = {.child = ~static_cast<std::int32_t>(index)};
  std::ranges::copy(seen, seen_.begin() + static_cast<std::ptrdiff_t>(index * cells));
  std::fill_n(own_.begin() + static_cast<std::ptrdiff_t>(index * cells), cells, 0);
  std::fill_n(counts_.begin() + static_cast<std::ptrdiff_t>(index * row), row, 0);
  const std::size_t votes = shape.has_bayes() ? subspace * vote_row_size(shape) : 0;
  std::fill_n(vote_counts_.begin() + static_cast<std::ptrdiff_t>(index * votes), votes, 0);
  std::vector<std::uint16_t> all(shape.layout.num_attributes);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  const std::uint32_t drawn = shape.options.subspace == Subspace::kTree ? 0 : num_subspaces_++;
  for (std::uint32_t i = 0; i < subspace; ++i) {
    const Draw place = draw(kSubspaceSeed + shape.options.seed, RngStream::kAttribute, number_, serial_, drawn, i);
    std::swap(all[i], all[i + place.below(0, static_cast<std::uint32_t>(all.size()) - i)]);
  }
  std::copy_n(all.begin(), subspace, attributes_.begin() + static_cast<std::ptrdiff_t>(index * subspace));
}

std::int64_t OnlineTree::prior(const OnlineShape& shape, std::size_t leaf, std::size_t label) const {
  return vote_log(own_[leaf * shape.num_cells() + label] + 1);
}

std::int64_t OnlineTree::evidence(const OnlineShape& shape, std::size_t leaf, std::size_t place, std::size_t bin,
                                  std::size_t label) const {
  const std::size_t cells = shape.num_cells(), row = (leaf * shape.subspace() + place) * vote_row_size(shape);
  return vote_log(vote_counts_[row + bin * cells + label] + 1) -
         vote_log(own_[leaf * cells + label] + static_cast<std::int64_t>(kVoteBins));
}

OnlineAnswer OnlineTree::predict(const OnlineShape& shape, std::size_t leaf, const OnlineRecord& record,
                                 std::int64_t* votes) const {
  const std::size_t cells = shape.num_cells();
  const std::int64_t* const seen = seen_.data() + leaf * cells;
  OnlineAnswer answer;
  if (shape.of_targets()) {
    answer.value = votes[0] = seen[0] > 0 ? seen[1] / seen[0] : 0;
    return answer;
  }
  answer.value = answer.majority = std::max_element(seen, seen + cells) - seen;
  const auto vote_by_shares = [&] {
    for (std::size_t c = 0; c < cells; ++c) votes[c] = vote_log(seen[c] + 1);
  };
  if (!shape.has_bayes()) {
    vote_by_shares();
    return answer;
  }
  const std::int64_t* const own = own_.data() + leaf * cells;
  const std::size_t subspace = shape.subspace();
  const std::uint16_t* const attributes = subspace_of(leaf, shape);
  for (std::size_t c = 0; c < cells; ++c)
    votes[c] = vote_log(own[c] + 1) -
               static_cast<std::int64_t>(subspace) * vote_log(own[c] + static_cast<std::int64_t>(kVoteBins));
  const std::int64_t* row = vote_counts_.data() + leaf * subspace * vote_row_size(shape);
  for (std::size_t j = 0; j < subspace; ++j, row += vote_row_size(shape)) {
    const std::uint16_t a = attributes[j];
    const std::int64_t* const bin = row + vote_bin(record.bins[a], shape.layout.grid.num_bins(a)) * cells;
    for (std::size_t c = 0; c < cells; ++c) votes[c] += vote_log(bin[c] + 1);
  }
  answer.bayes = std::max_element(votes, votes + cells) - votes;
  if (uses_bayes(leaf, shape))
    answer.value = answer.bayes;
  else
    vote_by_shares();
  return answer;
}

void OnlineTree::note(std::size_t leaf, bool majority_right, bool bayes_right) {
  leaves_[leaf].majority_right += majority_right;
  leaves_[leaf].bayes_right += bayes_right;
}

void OnlineTree::learn(const OnlineShape& shape, std::size_t leaf, const OnlineRecord& record, std::int64_t weight) {
  if (leaves_[leaf].weight > kMostWeight) return;  // its shares do not change any more
  const std::size_t cells = shape.num_cells(), subspace = shape.subspace();
  const auto count = [&](std::int64_t* cell) {
    if (shape.of_targets())
      cell[0] += weight, cell[1] += weight * record.label;
    else
      cell[record.label] += weight;
  };
  count(&seen_[leaf * cells]);
  count(&own_[leaf * cells]);
  const std::uint16_t* const attributes = subspace_of(leaf, shape);
  std::int64_t* row = counts_.data() + leaf * subspace * row_size(shape);
  std::int64_t* votes = vote_counts_.data() + (shape.has_bayes() ? leaf * subspace * vote_row_size(shape) : 0);
  for (std::size_t j = 0; j < subspace; ++j, row += row_size(shape)) {
    const std::uint16_t a = attributes[j];
    count(row + record.bins[a] * cells);
    if (!shape.has_bayes()) continue;
    count(votes + vote_bin(record.bins[a], shape.layout.grid.num_bins(a)) * cells);
    votes += vote_row_size(shape);
  }
  Leaf& counted = leaves_[leaf];
  counted.weight += weight;
  if (counted.weight - counted.tried_at < shape.options.grace_period) return;
  counted.tried_at = counted.weight;
  if (counted.depth < shape.options.max_depth) search(shape, leaf);
}

/// The best split of a leaf by an attribute. @param best  Replaced, with the left side of its records, if it gains
/// less. @return Its gain.
double OnlineTree::sweep(const OnlineShape& shape, std::size_t leaf, std::size_t place, Split& best,
                         std::vector<std::int64_t>& best_left) const {
  const std::size_t cells = shape.num_cells(), subspace = shape.subspace();
  const SplitGain gain_of(shape, std::span(own_).subspan(leaf * cells, cells));
  const std::uint16_t attribute = subspace_of(leaf, shape)[place];
  const std::span<const float> edges = shape.layout.grid.edges_of(attribute);
  const std::int64_t* const row = counts_.data() + (leaf * subspace + place) * row_size(shape);
  const std::span<const std::int64_t> unknown(row + (edges.size() + 1) * cells, cells);
  const std::int64_t num_unknown = gain_of.weight_of(unknown);
  double most = 0;
  std::vector<std::int64_t> left(cells);
  std::int64_t weight = 0;
  const auto consider = [&](std::size_t bin, bool nan_left) {
    if (weight == 0 || weight == gain_of.weight()) return;
    const double gain = gain_of(left, weight);
    most = std::max(most, gain);
    if (gain <= best.gain) return;
    best = {gain, place, bin < edges.size() ? edges[bin] : __builtin_huge_valf(), nan_left};
    best_left = left;
  };
  for (std::size_t bin = 0; bin <= edges.size(); ++bin) {
    const std::span<const std::int64_t> counts(row + bin * cells, cells);
    const std::int64_t added = gain_of.weight_of(counts);
    if (added == 0 && bin < edges.size()) continue;  // as good as the edge before
    for (std::size_t c = 0; c < cells; ++c) left[c] += counts[c];
    weight += added;
    consider(bin, false);
    if (num_unknown == 0 || bin == edges.size()) continue;
    for (std::size_t c = 0; c < cells; ++c) left[c] += unknown[c];
    weight += num_unknown;
    consider(bin, true);
    for (std::size_t c = 0; c < cells; ++c) left[c] -= unknown[c];
    weight -= num_unknown;
  }
  return most;
}

/// Splits a leaf if Hoeffding's bound shows that its best attribute is the best, or ties.
void OnlineTree::search(const OnlineShape& shape, std::size_t leaf) {
  const std::span<const std::int64_t> own = std::span(own_).subspan(leaf * shape.num_cells(), shape.num_cells());
  if (!shape.of_targets() && std::ranges::count_if(own, [](std::int64_t count) { return count > 0; }) < 2) return;
  Split best;
  std::vector<std::int64_t> left;
  double next = 0;
  for (std::size_t place = 0; place < shape.subspace(); ++place) {
    const double before = best.gain, gain = sweep(shape, leaf, place, best, left);
    next = gain > before ? std::max(next, before) : std::max(next, gain);
  }
  if (left.empty()) return;
  const StreamOptions& options = shape.options;
  if (options.failure_probability > 0) {
    const auto weight = static_cast<double>(leaves_[leaf].weight);
    const bool by_entropy = !shape.of_targets() && options.criterion == records::Criterion::kEntropy;
    const double range = by_entropy ? exact_log2(static_cast<double>(std::max<std::size_t>(2, shape.num_cells()))) : 1;
    const double bound = range * std::sqrt(kLn2OfVotes * exact_log2(1 / options.failure_probability) / (2 * weight));
    const double lead = shape.of_targets() ? 1 - next / best.gain : (best.gain - next) / weight;
    if (lead <= bound && bound >= options.tie) return;
  }
  split(shape, leaf, best, left);
}

void OnlineTree::split(const OnlineShape& shape, std::size_t leaf, const Split& split,
                       std::span<const std::int64_t> left) {
  const std::size_t cells = shape.num_cells();
  const auto node = static_cast<std::size_t>(leaves_[leaf].node);
  const auto child = static_cast<std::int32_t>(nodes_.size());
  const int depth = leaves_[leaf].depth + 1;
  std::vector<std::int64_t> right(own_.begin() + static_cast<std::ptrdiff_t>(leaf * cells),
                                  own_.begin() + static_cast<std::ptrdiff_t>((leaf + 1) * cells));
  for (std::size_t c = 0; c < cells; ++c) right[c] -= left[c];
  nodes_[node] = {split.threshold, child, subspace_of(leaf, shape)[split.place], split.nan_left};
  gains_[node] = split.gain / static_cast<double>(leaves_[leaf].weight);
  nodes_.resize(nodes_.size() + 2);
  gains_.resize(nodes_.size());
  set_leaf(shape, leaf, {.node = child, .depth = depth}, left);
  add_leaf(shape, {.node = child + 1, .depth = depth}, right);
}

void OnlineTree::adopt(const OnlineShape& before, const OnlineShape& now) {
  OnlineTree old = std::move(*this);
  *this = OnlineTree();
  number_ = old.number_, serial_ = old.serial_, num_subspaces_ = old.num_subspaces_;
  nodes_ = std::move(old.nodes_), gains_ = std::move(old.gains_);
  const std::size_t old_cells = before.num_cells(), cells = now.num_cells();
  const std::size_t old_subspace = before.subspace(), kept = std::min(old_subspace, now.subspace());
  std::vector<std::int64_t> seen(cells);
  for (std::size_t leaf = 0; leaf < old.leaves_.size(); ++leaf) {
    std::copy_n(old.seen_.begin() + static_cast<std::ptrdiff_t>(leaf * old_cells), old_cells, seen.begin());
    const std::uint32_t num_drawn = num_subspaces_;
    add_leaf(now, old.leaves_[leaf], seen);
    num_subspaces_ = num_drawn;
    if (now.subspace() != old_subspace) {  // a larger subspace, with new attributes, is counted from the beginning
      leaves_[leaf].weight = leaves_[leaf].tried_at = 0;
      continue;
    }
    std::copy_n(old.own_.begin() + static_cast<std::ptrdiff_t>(leaf * old_cells), old_cells,
                own_.begin() + static_cast<std::ptrdiff_t>(leaf * cells));
    std::copy_n(old.attributes_.begin() + static_cast<std::ptrdiff_t>(leaf * old_subspace), kept,
                attributes_.begin() + static_cast<std::ptrdiff_t>(leaf * kept));
    for (std::size_t j = 0; j < kept; ++j) {
      const std::uint16_t a = attributes_[leaf * kept + j];
      const std::span<const float> old_edges = before.layout.grid.edges_of(a), edges = now.layout.grid.edges_of(a);
      const std::int64_t* const from = old.counts_.data() + (leaf * kept + j) * old.row_size(before);
      std::int64_t* const to = counts_.data() + (leaf * kept + j) * row_size(now);
      for (std::size_t bin = 0; bin <= old_edges.size() + 1; ++bin) {
        const float upper = bin < old_edges.size() ? old_edges[bin] : __builtin_huge_valf();
        const std::size_t new_bin = bin > old_edges.size()
                                        ? edges.size() + 1
                                        : bin_of(upper, edges.data(), static_cast<std::uint32_t>(edges.size()));
        for (std::size_t c = 0; c < old_cells; ++c) {
          to[new_bin * cells + c] += from[bin * old_cells + c];
          if (now.has_bayes())
            vote_counts_[(leaf * kept + j) * vote_row_size(now) + vote_bin(new_bin, edges.size() + 1) * cells + c] +=
                from[bin * old_cells + c];
        }
      }
    }
  }
}

int OnlineTree::depth() const {
  int most = 0;
  for (const Leaf& leaf : leaves_) most = std::max(most, leaf.depth);
  return most;
}

std::size_t OnlineTree::bytes() const {
  return (counts_.size() + vote_counts_.size() + seen_.size() + own_.size()) * sizeof(std::int64_t);
}

void OnlineTree::add_gains(std::vector<double>& gains) const {
  // A split is made early, and matters to all records that reach it later.
  std::vector<double> weights(nodes_.size());
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    const records::RecordNode& node = nodes_[n];
    if (node.is_leaf()) {
      weights[n] = static_cast<double>(leaves_[static_cast<std::size_t>(node.leaf_index())].weight);
      continue;
    }
    const auto child = static_cast<std::size_t>(node.child);
    weights[n] = weights[child] + weights[child + 1];
    gains[node.attribute] += gains_[n] * weights[n];
  }
}

void OnlineTree::add_classifiers(const OnlineShape& shape, double share, int fraction_bits,
                                 std::vector<records::RecordTree>& trees) const {
  const std::size_t cells = shape.num_cells();
  const double factor = share * std::ldexp(1.0, fraction_bits - kVoteBits);
  std::vector<std::uint8_t> by_bayes(leaves_.size());
  for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) by_bayes[leaf] = uses_bayes(leaf, shape);
  const bool any = std::ranges::count(by_bayes, 1) > 0;
  for (std::size_t place = 0; place < (any ? shape.subspace() : 1); ++place) {
    std::vector<records::RecordNode> nodes = nodes_;
    std::vector<std::vector<std::int32_t>> values(nodes.size());
    const auto set_values = [&](std::size_t node, const auto& vote_of) {
      values.resize(std::max(values.size(), node + 1));
      std::vector<std::int64_t> votes;
      for (std::size_t c = 0; c < cells; ++c) votes.push_back(vote_of(c));
      // Only differences matter: the largest vote becomes 0.
      const std::int64_t largest = *std::ranges::max_element(votes);
      for (const std::int64_t vote : votes)
        values[node].push_back(
            static_cast<std::int32_t>(std::floor(static_cast<double>(vote - largest) * factor + 0.5)));
    };
    std::vector<std::size_t> leaf_of_bin;
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      if (!nodes[n].is_leaf()) {
        // Parts in which no leaf uses naive Bayes add nothing after the first tree.
        const auto is_zero = [&](std::size_t child) { return nodes[child].is_leaf() && values[child].empty(); };
        const auto child = static_cast<std::size_t>(nodes[n].child);
        if (place > 0 && is_zero(child) && is_zero(child + 1)) nodes[n] = {};
        continue;
      }
      const auto leaf = static_cast<std::size_t>(nodes[n].leaf_index());
      if (!by_bayes[leaf]) {
        if (place == 0) set_values(n, [&](std::size_t c) { return vote_log(seen_[leaf * cells + c] + 1); });
        continue;
      }
      const std::uint16_t a = subspace_of(leaf, shape)[place];
      const std::span<const float> edges = shape.layout.grid.edges_of(a);
      std::vector<float> few;
      for (std::size_t bin = 1; bin <= edges.size(); ++bin)
        if (vote_bin(bin, edges.size() + 1) != vote_bin(bin - 1, edges.size() + 1)) few.push_back(edges[bin - 1]);
      split_by_bins(few, a, n, nodes, leaf_of_bin);
      for (std::size_t bin = 0; bin < leaf_of_bin.size(); ++bin)
        set_values(leaf_of_bin[bin], [&](std::size_t c) {
          return evidence(shape, leaf, place, bin + 1 == leaf_of_bin.size() ? kVoteBins : bin, c) +
                 (place == 0 ? prior(shape, leaf, c) : 0);
        });
    }
    trees.push_back(records::finish_nodes(nodes, {}, cells, [&](std::size_t n, std::int32_t* row) {
      if (values[n].empty())
        std::fill_n(row, cells, 0);
      else
        std::ranges::copy(values[n], row);
    }));
  }
}

records::RecordTree OnlineTree::regressor(const OnlineShape& shape) const {
  return records::finish_values(nodes_, {}, [&](std::size_t n) {
    const auto leaf = static_cast<std::size_t>(nodes_[n].leaf_index());
    return shape.layout.targets->mean({seen_[2 * leaf + 1], std::max<std::int64_t>(1, seen_[2 * leaf])});
  });
}

void OnlineTree::pack(Packer& packer) const {
  packer.put(number_);
  packer.put(serial_);
  packer.put(num_subspaces_);
  packer.put(nodes_);
  packer.put(gains_);
  packer.put(leaves_);
  packer.put(attributes_);
  packer.put(seen_);
  packer.put(own_);
  packer.put(counts_);
  packer.put(vote_counts_);
}

void OnlineTree::unpack(Unpacker& unpacker, const OnlineShape& shape) {
  unpacker.get(number_);
  unpacker.get(serial_);
  unpacker.get(num_subspaces_);
  unpacker.get(nodes_);
  unpacker.get(gains_);
  unpacker.get(leaves_);
  unpacker.get(attributes_);
  unpacker.get(seen_);
  unpacker.get(own_);
  unpacker.get(counts_);
  unpacker.get(vote_counts_);
  const std::size_t size = leaves_.size(), subspace = shape.subspace();
  bool fits = size > 0 && nodes_.size() == 2 * size - 1 && gains_.size() == nodes_.size() &&
              attributes_.size() == size * subspace && seen_.size() == size * shape.num_cells() &&
              own_.size() == seen_.size() && counts_.size() == size * subspace * row_size(shape) &&
              vote_counts_.size() == (shape.has_bayes() ? size * subspace * vote_row_size(shape) : 0);
  std::vector<std::uint8_t> has_parent(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size() && fits; ++n) {
    const records::RecordNode& node = nodes_[n];
    const auto child = static_cast<std::size_t>(node.child);
    fits = n == 0 || has_parent[n];
    if (node.is_leaf()) {
      const auto leaf = static_cast<std::size_t>(node.leaf_index());
      fits = fits && leaf < size && leaves_[leaf].node == static_cast<std::int32_t>(n);
    } else {
      fits = fits && child > n && child + 1 < nodes_.size() && !has_parent[child] &&
             node.attribute < shape.layout.num_attributes && node.nan_left <= 1 && !is_nan(node.threshold);
      if (fits) has_parent[child] = has_parent[child + 1] = 1;
    }
  }
  const auto is_count = [&](std::int64_t count) { return count >= 0 && count < std::int64_t{1} << 32; };
  const auto are_counts = [&](const std::vector<std::int64_t>& counts) {
    if (!shape.of_targets()) return std::ranges::all_of(counts, is_count);
    for (std::size_t i = 0; i < counts.size(); i += 2) {
      const std::int64_t most = is_count(counts[i]) ? counts[i] * kMaxNumber : -1;
      if (counts[i + 1] > most || counts[i + 1] < -most) return false;
    }
    return true;
  };
  for (const Leaf& leaf : leaves_)
    fits = fits && leaf.depth >= 0 && leaf.depth <= kMaxDepth && is_count(leaf.weight) && is_count(leaf.tried_at) &&
           is_count(leaf.majority_right) && is_count(leaf.bayes_right);
  fits = fits && std::ranges::all_of(attributes_, [&](std::size_t a) { return a < shape.layout.num_attributes; }) &&
         are_counts(seen_) && are_counts(own_) && are_counts(counts_) && are_counts(vote_counts_);
  FW_CHECK(fits, Model, "a tree of its forest is not valid");
}

}  // namespace fernwood::stream
