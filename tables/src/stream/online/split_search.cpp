// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/online/split_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fernwood/core/arithmetic.h"
#include "stream/online/leaf_logs.h"

namespace fernwood::stream {

StoredLogs::StoredLogs() {
  entropies[0] = 0, votes[0] = 0;
  for (std::int64_t n = 1; n < kStoredLogs; ++n) {
    const double log = exact_log2(static_cast<double>(n));
    entropies[n] = static_cast<double>(n) * log;
    votes[n] = static_cast<std::int32_t>(std::floor(log * kLn2OfVotes * (1 << kVoteBits) + 0.5));
  }
}

const StoredLogs kLogs;

double entropy_term(std::int64_t n) {
  return n < kStoredLogs ? kLogs.entropies[n] : static_cast<double>(n) * exact_log2(static_cast<double>(n));
}

namespace {

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

/// The best test of an attribute. @param best  Replaced if it gains less; its next best gain is updated.
void sweep(const SplitGain& gain_of, std::span<const float> edges, std::span<const std::int64_t> bins,
           std::size_t place, std::vector<std::int64_t>& left, OnlineSplit& best) {
  const std::size_t cells = left.size();
  const std::span<const std::int64_t> unknown = bins.last(cells);
  const std::int64_t num_unknown = gain_of.weight_of(unknown);
  OnlineSplit found;
  std::int64_t weight = 0;
  std::ranges::fill(left, 0);
  const auto add = [&](std::span<const std::int64_t> counts, std::int64_t sign) {
    for (std::size_t c = 0; c < cells; ++c) left[c] += sign * counts[c];
  };
  const auto consider = [&](std::size_t bin, bool nan_left) {
    if (weight == 0 || weight == gain_of.weight()) return;
    const double gain = gain_of(left, weight);
    if (gain <= found.gain) return;
    found.gain = gain, found.threshold = edges[bin], found.nan_left = nan_left, found.left = left;
  };
  for (std::size_t bin = 0; bin < edges.size(); ++bin) {
    const std::span<const std::int64_t> counts = bins.subspan(bin * cells, cells);
    const std::int64_t added = gain_of.weight_of(counts);
    if (added == 0 && bin + 1 < edges.size()) continue;  // as good as the edge before
    add(counts, 1);
    weight += added;
    consider(bin, false);
    if (num_unknown == 0 || weight + num_unknown == gain_of.weight()) continue;
    add(unknown, 1);
    weight += num_unknown;
    consider(bin, true);
    add(unknown, -1);
    weight -= num_unknown;
  }
  if (found.gain > best.gain) {
    found.next = best.gain, found.place = place;
    best = std::move(found);
  } else {
    best.next = std::max(best.next, found.gain);
  }
}

}  // namespace

OnlineSplit find_split(const OnlineShape& shape, const LeafCounts& counts) {
  const SplitGain gain_of(shape, counts.own);
  std::vector<std::int64_t> left(counts.own.size());
  OnlineSplit best;
  for (std::size_t place = 0; place < shape.subspace(); ++place)
    sweep(gain_of, counts.edges.subspan(place * shape.bins(), shape.bins()),
          counts.bins.subspan(place * shape.row_size(), shape.row_size()), place, left, best);
  return best;
}

}  // namespace fernwood::stream
