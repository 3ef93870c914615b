// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/wide_records.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fernwood/core/error.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

namespace {

constexpr std::size_t kMaxRanks = std::size_t{1} << 24;  ///< Ranks up to this are exact as floats.
constexpr std::size_t kRankedAtOnce = 4096;              ///< Number of records.

/// Calls body(node, its threshold of 64 bits) for all tests of attributes.
template <typename Body>
void for_each_test(RecordForest& forest, const Body& body) {
  for (RecordTree& tree : forest.trees)
    for (std::size_t i = 0; i < tree.nodes.size(); ++i)
      if (RecordNode& node = tree.nodes[i]; !node.is_leaf() && node.attribute < forest.attributes.size())
        body(node, tree.wide_thresholds[i]);
}

/// Number of thresholds below a value, without branches. @param value  Not NaN.
std::size_t count_below(const std::vector<double>& thresholds, double value) {
  const double* first = thresholds.data();
  std::size_t left = thresholds.size();
  while (left > 1) {
    const std::size_t half = left / 2;
    first += first[half - 1] < value ? half : 0;
    left -= half;
  }
  return static_cast<std::size_t>(first - thresholds.data()) + (left == 1 && *first < value ? 1 : 0);
}

/// The category of a value, plus half a unit for a fraction of any size; a value that is not a category stays none.
float category_as_float(double value) {
  const double most = static_cast<double>(kMaxCategories), inside = std::clamp(value, -2.0, most);
  const double whole = std::trunc(inside);
  return static_cast<float>(inside == whole ? whole : whole + std::copysign(0.5, inside));
}

}  // namespace

WideForest::WideForest(const RecordForest& wide)
    : forest(wide), thresholds(wide.attributes.size()), is_category(wide.attributes.size()) {
  missing = std::exchange(forest.columns.missing, {});
  for_each_test(forest,
                [&](const RecordNode& node, double threshold) { thresholds[node.attribute].push_back(threshold); });
  for (std::vector<double>& of_one : thresholds) {
    std::ranges::sort(of_one);
    of_one.erase(std::unique(of_one.begin(), of_one.end()), of_one.end());
    FW_CHECK(of_one.size() < kMaxRanks, Model,
             "the model has " << of_one.size() << " thresholds of an attribute; fewer than " << kMaxRanks
                              << " are possible for records of 64 bits");
  }
  for (const CategorySet& set : forest.columns.sets) {
    FW_CHECK(thresholds[set.bounds.attribute].empty(), Model,
             "the model tests attribute " << set.bounds.attribute << " as a number and as a category; pass records of "
                                          << "32 bits");
    is_category[set.bounds.attribute] = true;
  }
  for_each_test(forest, [&](RecordNode& node, double threshold) {
    const std::vector<double>& known = thresholds[node.attribute];
    node.threshold = static_cast<float>(std::ranges::lower_bound(known, threshold) - known.begin());
  });
  for (RecordTree& tree : forest.trees) tree.wide_thresholds.clear();
}

float WideForest::rank_of(std::size_t attribute, double value) const {
  const auto rule = std::ranges::lower_bound(missing, attribute, {}, &MissingValues::attribute);
  const bool has_rule = rule != missing.end() && rule->attribute == attribute;
  if (value != value || (has_rule && rule->low <= value && value <= rule->high)) return not_a_number();
  return is_category[attribute] ? category_as_float(value)
                                : static_cast<float>(count_below(thresholds[attribute], value));
}

RecordView rank_records(const WideForest& wide, const WideView& records, int threads, std::vector<float>& ranks) {
  const std::size_t num_records = records.num_records, num_attributes = records.num_attributes;
  check_attributes({.num_attributes = num_attributes}, wide.thresholds.size());
  ranks.resize(num_records * num_attributes);
  const auto rank_part = [&](std::size_t part, int) {
    const std::size_t begin = part * kRankedAtOnce, end = std::min(begin + kRankedAtOnce, num_records);
    for (std::size_t a = 0; a < num_attributes; ++a) {
      const double* const column = records.data + static_cast<std::ptrdiff_t>(a) * records.attribute_step;
      for (std::size_t i = begin; i < end; ++i)
        ranks[a * num_records + i] = wide.rank_of(a, column[static_cast<std::ptrdiff_t>(i) * records.record_step]);
    }
  };
  const std::size_t num_parts = (num_records + kRankedAtOnce - 1) / kRankedAtOnce;
  if (num_parts == 1)  // starting threads would take longer
    rank_part(0, 0);
  else
    ThreadPool(threads).for_each(num_parts, rank_part);
  RecordView view = records_by_columns(ranks.data(), num_records, num_attributes);
  if (wide.forest.has_linear_leaves()) {
    view.exact = records.data;
    view.exact_record_step = records.record_step;
    view.exact_attribute_step = records.attribute_step;
  }
  return view;
}

}  // namespace fernwood::records
