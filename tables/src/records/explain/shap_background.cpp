// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/explain/shap_background.h"

#include <algorithm>
#include <bit>

namespace fernwood::records {

namespace {

constexpr std::size_t kSize = kMaxPathElements + 1;  ///< Of both dimensions of the weights.

/// Bits of the elements that a pattern satisfies.
std::uint64_t elements_met(const ShapElement* elements, std::size_t count, std::uint64_t pattern) {
  std::uint64_t met = 0;
  for (std::size_t i = 0; i < count; ++i) met |= std::uint64_t{(pattern & elements[i].mask) == elements[i].wanted} << i;
  return met;
}

/// Adds up the weights of equal patterns.
void merge(WeightedPatterns& patterns) {
  std::ranges::stable_sort(patterns, {}, &WeightedPatterns::value_type::first);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < patterns.size(); ++i)
    if (patterns[i].first == patterns[kept].first)
      patterns[kept].second += patterns[i].second;
    else
      patterns[++kept] = patterns[i];
  patterns.resize(kept + 1);
}

}  // namespace

BackgroundRowFinder::BackgroundRowFinder() : weights_(kSize * kSize) {
  for (std::size_t a = 0; a < kSize; ++a) {
    double weight = 1.0 / static_cast<double>(a + 1);
    for (std::size_t b = 0; b < kSize; ++b) {
      weights_[a * kSize + b] = weight;
      weight *= static_cast<double>(b + 1) / static_cast<double>(a + b + 2);
    }
  }
}

void BackgroundRowFinder::find_shares(std::size_t num_elements, std::uint64_t met, double* shares) const {
  std::fill_n(shares, num_elements, 0.0);
  const std::uint64_t missed = ~met & (~std::uint64_t{0} >> (64 - num_elements));
  const auto b = static_cast<std::size_t>(std::popcount(missed));
  double removed = 0;  // share of each element that the record misses
  for (const auto& [mask, weight] : masks_) {
    if ((mask & missed) != missed) continue;
    const auto a = static_cast<std::size_t>(std::popcount(met & ~mask));
    if (b > 0) removed += weight * weights_[a * kSize + b - 1];
    if (a == 0) continue;
    const double added = weight * weights_[(a - 1) * kSize + b];
    for (std::uint64_t left = met & ~mask; left != 0; left &= left - 1) shares[std::countr_zero(left)] += added;
  }
  for (std::uint64_t left = missed; left != 0; left &= left - 1) shares[std::countr_zero(left)] = -removed;
}

void BackgroundRowFinder::find(const ShapRowArgs& args, WeightedPatterns& background) {
  merge(background);
  const std::size_t row_sums = padded_to_lanes(args.num_sums), row_size = args.width * row_sums;
  std::fill_n(args.rows, args.num_patterns * row_size, 0.0);
  for (const ShapLeaf& leaf : args.leaves) {
    const ShapElement* const elements = args.elements + leaf.first_element;
    const double* const values = args.leaf_values + leaf.first_value;
    const std::size_t count = leaf.num_elements;
    masks_ = background;
    for (auto& [pattern, weight] : masks_) pattern = elements_met(elements, count, pattern);
    merge(masks_);
    known_.clear(count);
    for (std::size_t p = 0; p < args.num_patterns; ++p) {
      const std::uint64_t met = elements_met(elements, count, args.patterns[p]);
      const std::size_t num_known = known_.patterns().size(), place = known_.place_of(met);
      if (place == num_known) {
        shares_.resize(std::max(shares_.size(), (place + 1) * count));
        find_shares(count, met, shares_.data() + place * count);
      }
      for (std::size_t k = 0; k < args.width; ++k)
        for (std::size_t i = 0; i < count; ++i)
          args.rows[p * row_size + k * row_sums + elements[i].slot] += shares_[place * count + i] * values[k];
    }
  }
}

}  // namespace fernwood::records
