// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/wide_records.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "records/import/source_model.h"

namespace fernwood::records {

namespace {

constexpr std::size_t kMostRanks = std::size_t{1} << 24;  ///< Ranks up to this are exact as floats.
constexpr std::size_t kRankedAtOnce = 4096;               ///< Number of records.

std::vector<std::vector<double>> thresholds_of(const SourceModel& model, const ErrorContext& place) {
  std::vector<std::vector<double>> thresholds(model.num_attributes);
  for (const SourceTree& tree : model.trees)
    for (const SourceNode& node : tree.nodes)
      if (!node.is_leaf() && !node.asks_set() && node.attribute < thresholds.size())
        thresholds[node.attribute].push_back(node.wide_threshold);
  for (std::vector<double>& of_one : thresholds) {
    std::ranges::sort(of_one);
    of_one.erase(std::unique(of_one.begin(), of_one.end()), of_one.end());
    FW_CHECK(of_one.size() < kMostRanks, Model,
             place.file << ": has " << of_one.size() << " thresholds of an attribute; fewer than " << kMostRanks
                        << " are possible");
  }
  return thresholds;
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

/// Attributes tested by sets.
std::vector<std::uint16_t> find_categories(const SourceModel& model, const std::vector<std::vector<double>>& thresholds,
                                           const ErrorContext& place) {
  std::set<std::uint16_t> categories;
  for (const SourceTree& tree : model.trees)
    for (const CategorySet& set : tree.sets) {
      const std::uint16_t attribute = set.bounds.attribute;
      if (attribute >= thresholds.size()) continue;  // rejected below
      FW_CHECK(thresholds[attribute].empty(), Model,
               place.file << ": asks attribute " << attribute << " as a number and as a category" << place.remedy);
      categories.insert(attribute);
    }
  return {categories.begin(), categories.end()};
}

/// The category of a value, plus half a unit for a fraction of any size; a value that is not a category stays none.
float category_of(double value) {
  if (value != value) return not_a_number();
  const double most = static_cast<double>(kMostCategories), inside = std::clamp(value, -2.0, most);
  const double whole = std::trunc(inside);
  return static_cast<float>(inside == whole ? whole : whole + std::copysign(0.5, inside));
}

/// Replaces values that stand for unknown ones by NaN.
class WideMissing {
 public:
  WideMissing(const std::vector<MissingValues>& rules, std::size_t attribute) {
    const auto found = std::ranges::lower_bound(rules, attribute, {}, &MissingValues::attribute);
    if (found == rules.end() || found->attribute != attribute) return;
    low_ = found->low;
    high_ = found->high;
  }
  bool is_unknown(double value) const { return value != value || (low_ <= value && value <= high_); }

 private:
  double low_ = 1, high_ = 0;
};

/// Replaces thresholds by ranks.
WideForest widen(SourceModel model, ModelSource source, std::uint64_t model_checksum, const ImportOptions& options,
                 const ErrorContext& place) {
  WideForest wide;
  wide.thresholds = thresholds_of(model, place);
  wide.categories = find_categories(model, wide.thresholds, place);
  wide.missing = std::exchange(model.missing, {});
  for (SourceTree& tree : model.trees)
    for (SourceNode& node : tree.nodes) {
      if (node.is_leaf() || node.asks_set()) continue;
      if (node.attribute >= wide.thresholds.size()) continue;  // rejected below
      const std::vector<double>& known = wide.thresholds[node.attribute];
      const auto found = std::ranges::lower_bound(known, node.wide_threshold);
      node.test = {static_cast<float>(found - known.begin()), false};
    }
  wide.forest = finish_import(model, source, model_checksum, options, place);
  return wide;
}

}  // namespace

WideForest import_wide_text(std::string_view text, const std::string& name, const ImportOptions& options) {
  const DefaultFloats floats;
  const ErrorContext place = {name, "; the model is damaged or of a version that is not known: save it again", "model"};
  return widen(read_lightgbm(text, place), ModelSource::kLightgbm, checksum(text.data(), text.size()), options, place);
}

WideForest import_wide_arrays(const ForestArrays& arrays, const std::string& name, const ImportOptions& options) {
  const DefaultFloats floats;
  const ErrorContext place = importing_arrays(name);
  const SourceModel model = to_source_model(arrays, place);
  return widen(model, ModelSource::kSklearn, checksum_of(model), options, place);
}

namespace {

/// Calls body(begin, end) for blocks of records, on all threads.
template <typename Body>
void for_each_block(const WideForest& wide, const WideView& records, ThreadPool& pool, const Body& body) {
  FW_CHECK(records.num_attributes == wide.thresholds.size(), Data,
           "the records have " << records.num_attributes << " attributes, and the model asks for "
                               << wide.thresholds.size() << "; give records of the same kind");
  const std::size_t num_blocks = (records.num_records + kRankedAtOnce - 1) / kRankedAtOnce;
  const auto run = [&](std::size_t block, int) {
    const std::size_t begin = block * kRankedAtOnce;
    body(begin, std::min(begin + kRankedAtOnce, records.num_records));
  };
  if (num_blocks == 1)
    run(0, 0);
  else
    pool.for_each(num_blocks, run);
}

/// Maps the library's numbers of leaves to their indices.
class LeafIndices {
 public:
  explicit LeafIndices(const RecordForest& forest) {
    for (const RecordTree& tree : forest.trees) {
      std::map<std::int32_t, std::int32_t>& of_tree = index_of_.emplace_back();
      for (std::size_t leaf = 0; leaf < tree.leaf_numbers.size(); ++leaf)
        of_tree.emplace(tree.leaf_numbers[leaf], static_cast<std::int32_t>(leaf));
    }
  }

  /// @param numbers  [tree] @param indices  [tree], written.
  void find(const std::int32_t* numbers, std::vector<std::int32_t>& indices) const {
    indices.resize(index_of_.size());
    for (std::size_t t = 0; t < index_of_.size(); ++t)
      indices[t] = index_of_[t].empty() ? numbers[t] : index_of_[t].at(numbers[t]);
  }

 private:
  std::vector<std::map<std::int32_t, std::int32_t>> index_of_;  ///< [tree]
};

}  // namespace

void sum_wide_leaves(const WideForest& wide, const WideView& records, const std::int32_t* leaves, std::size_t num_trees,
                     ThreadPool& pool, double* sums) {
  const DefaultFloats floats;
  const RecordForest& forest = wide.forest;
  const RecordForest first = num_trees == forest.trees.size()
                                 ? RecordForest{}
                                 : first_iterations(forest, num_trees / std::max(1u, forest.trees_per_iteration));
  const RecordForest& asked = num_trees == forest.trees.size() ? forest : first;
  const LeafIndices index_of(asked);
  for_each_block(wide, records, pool, [&](std::size_t begin, std::size_t end) {
    std::vector<std::int32_t> indices;
    for (std::size_t i = begin; i < end; ++i) {
      index_of.find(leaves + i * num_trees, indices);
      sum_leaves(asked, indices.data(), records.data + static_cast<std::ptrdiff_t>(i) * records.record_step,
                 records.attribute_step, sums + i * asked.num_outputs());
    }
  });
}

void rank_records(const WideForest& wide, const WideView& records, ThreadPool& pool, float* ranks) {
  const DefaultFloats floats;
  for_each_block(wide, records, pool, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = 0; a < records.num_attributes; ++a) {
      const double* column = records.data + static_cast<std::ptrdiff_t>(a) * records.attribute_step;
      float* const out = ranks + a * records.num_records;
      const WideMissing missing(wide.missing, a);
      const bool is_category = std::ranges::binary_search(wide.categories, a);
      for (std::size_t i = begin; i < end; ++i) {
        const double value = column[static_cast<std::ptrdiff_t>(i) * records.record_step];
        if (is_category)
          out[i] = category_of(value);
        else
          out[i] =
              missing.is_unknown(value) ? not_a_number() : static_cast<float>(count_below(wide.thresholds[a], value));
      }
    }
  });
}

}  // namespace fernwood::records
