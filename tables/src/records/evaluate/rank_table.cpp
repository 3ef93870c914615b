// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/rank_table.h"

#include <algorithm>
#include <cmath>

namespace fernwood::records {

namespace {

constexpr std::size_t kMaxThresholds = 65535;  // ranks have up to 16 bits, and there is one more rank than thresholds
constexpr std::uint32_t kMaxBuckets = 4096;

/// The tests on one attribute.
struct Tests {
  std::vector<float> thresholds;
  bool nan_left = false, nan_right = false;
};

std::vector<Tests> tests_by_attribute(const RecordForest& forest) {
  std::vector<Tests> tests(forest.attributes.size());
  for (const RecordTree& tree : forest.trees)
    for (const RecordNode& node : tree.nodes) {
      if (node.is_leaf()) continue;
      tests[node.attribute].thresholds.push_back(node.threshold);
      (node.nan_left ? tests[node.attribute].nan_left : tests[node.attribute].nan_right) = true;
    }
  for (Tests& of_one : tests) {
    std::ranges::sort(of_one.thresholds);
    // -0 and 0 are equal.
    of_one.thresholds.erase(std::unique(of_one.thresholds.begin(), of_one.thresholds.end()), of_one.thresholds.end());
  }
  return tests;
}

/// Uses four buckets for each threshold, between the smallest and the largest finite threshold.
RankedAttribute place_attribute(std::uint32_t attribute, const std::vector<float>& thresholds, std::uint32_t nan_rank,
                                const RankTable& table) {
  const auto count = static_cast<std::uint32_t>(thresholds.size());
  RankedAttribute placed{};
  placed.attribute = attribute;
  placed.first = static_cast<std::uint32_t>(table.thresholds.size());
  placed.count = count;
  placed.first_mark = static_cast<std::uint32_t>(table.marks.size());
  placed.num_buckets = std::min(4 * count, kMaxBuckets);
  const auto is_finite = [](float value) { return std::isfinite(value); };
  const auto low = std::ranges::find_if(thresholds, is_finite);
  if (low != thresholds.end()) {
    const auto high = std::find_if(thresholds.rbegin(), thresholds.rend(), is_finite);
    const double range = static_cast<double>(*high) - *low;
    placed.low = *low;
    const double scale = range > 0 ? (placed.num_buckets - 1) / range : 0.0;
    placed.scale = scale < 1e30 ? static_cast<float>(scale) : 1e30f;
  }
  placed.nan_rank = nan_rank;
  return placed;
}

void append_marks(const RankedAttribute& attribute, const std::vector<float>& thresholds,
                  std::vector<std::uint32_t>& marks) {
  std::vector<std::uint32_t> counts(attribute.num_buckets, 0);
  for (float threshold : thresholds) ++counts[bucket_of(attribute, threshold)];
  std::uint32_t before = 0;
  marks.push_back(0);
  for (std::uint32_t count : counts) marks.push_back(before += count);
}

void append(std::uint32_t attribute, const std::vector<float>& thresholds, std::uint32_t nan_rank, RankTable& table) {
  const RankedAttribute placed = place_attribute(attribute, thresholds, nan_rank, table);
  append_marks(placed, thresholds, table.marks);
  table.thresholds.insert(table.thresholds.end(), thresholds.begin(), thresholds.end());
  table.attributes.push_back(placed);
  table.most = std::max(table.most, placed.count);
}

}  // namespace

std::uint32_t RankTable::slot_of(std::uint32_t attribute) const {
  const auto found = std::ranges::lower_bound(attributes, attribute, {}, &RankedAttribute::attribute);
  return static_cast<std::uint32_t>(found - attributes.begin());
}

std::uint32_t RankTable::rank_of_threshold(std::uint32_t slot, float threshold) const {
  const float* first = thresholds.data() + attributes[slot].first;
  return static_cast<std::uint32_t>(std::lower_bound(first, first + attributes[slot].count, threshold) - first);
}

OptionSentence ranks_unsupported(const RecordForest& forest) {
  const std::vector<Tests> tests = tests_by_attribute(forest);
  for (std::size_t a = 0; a < tests.size(); ++a)
    if (tests[a].thresholds.size() > kMaxThresholds)
      return "attribute " + forest.attributes[a] + " has " + std::to_string(tests[a].thresholds.size()) +
             " different thresholds, and ranks of 16 bits tell " + std::to_string(kMaxThresholds) + " apart";
  return "";
}

RankTable rank_thresholds(const RecordForest& forest) {
  const std::vector<Tests> tests = tests_by_attribute(forest);
  RankTable table;
  for (std::uint32_t a = 0; a < tests.size(); ++a) {
    if (tests[a].thresholds.empty()) continue;
    const auto count = static_cast<std::uint32_t>(tests[a].thresholds.size());
    const bool disputed = tests[a].nan_left && tests[a].nan_right;
    append(a, tests[a].thresholds, disputed ? kNanRankUnknown : tests[a].nan_left ? 0 : count, table);
  }
  return table;
}

RankTable rank_thresholds(std::span<const std::vector<float>> thresholds) {
  RankTable table;
  for (std::uint32_t a = 0; a < thresholds.size(); ++a)
    append(a, thresholds[a], static_cast<std::uint32_t>(thresholds[a].size()) + 1, table);
  return table;
}

}  // namespace fernwood::records
