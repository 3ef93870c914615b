// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/tree_arrays.h"

#include <vector>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "records/import/source_model.h"

namespace fernwood::records {

namespace {

void check_sizes(const TreeArrays& tree, std::size_t num_outputs, const std::string& where, const ErrorContext& place) {
  const std::size_t num_nodes = tree.left.size;
  const bool fits =
      num_nodes >= 1 && num_nodes <= kMaxNodes && tree.right.size == num_nodes && tree.attribute.size == num_nodes &&
      tree.threshold.size == num_nodes && (tree.nan_left.size == 0 || tree.nan_left.size == num_nodes) &&
      (tree.covers.size == 0 || tree.covers.size == num_nodes) && (tree.set.size == 0 || tree.set.size == num_nodes);
  FW_CHECK(fits, Model, where << ": its arrays have different numbers of nodes" << place.remedy);
  FW_CHECK(tree.width >= 1 && tree.first_output < num_outputs && tree.width <= num_outputs - tree.first_output, Model,
           where << " gives " << tree.width << " outputs from output " << tree.first_output << " on, of " << num_outputs
                 << place.remedy);
  FW_CHECK(tree.values.size == num_nodes * tree.width, Model,
           where << " has " << tree.values.size << " values for " << num_nodes << " nodes with " << tree.width
                 << " outputs" << place.remedy);
}

/// A child or an attribute in the type of SourceTree. A number that does not fit cannot be a valid node or attribute.
std::int32_t index_of(std::int64_t number, const char* what, const ErrorContext& place) {
  return whole_number(static_cast<double>(number), what, place);
}

CategorySet set_of(const TreeArrays& arrays, std::int64_t index, bool nan_left, const ErrorContext& place) {
  const std::size_t width = arrays.words_per_set, num_sets = width == 0 ? 0 : arrays.set_words.size / width;
  FW_CHECK(index >= 0 && static_cast<std::size_t>(index) < num_sets, Model,
           place.file << ": a node asks set " << index << " of " << num_sets << place.remedy);
  CategorySet set = {
      .bounds = {.negative_in = nan_left, .large_in = nan_left, .unknown_in = nan_left, .is_whole = true}};
  for (std::size_t i = 0; i < width; ++i)
    set.words.push_back(arrays.set_words.at(static_cast<std::size_t>(index) * width + i));
  return set;
}

SourceTree to_source_tree(const TreeArrays& arrays, const ErrorContext& place) {
  SourceTree tree;
  tree.first_output = static_cast<std::uint32_t>(arrays.first_output);
  tree.width = static_cast<std::uint32_t>(arrays.width);
  std::vector<double> values(arrays.width);
  for (std::size_t i = 0; i < arrays.left.size; ++i) {
    SourceNode& node = tree.nodes.emplace_back();
    if (arrays.covers.size > 0) node.cover = arrays.covers.at(i);
    node.left = index_of(arrays.left.at(i), "a child", place);
    if (node.is_leaf()) {
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = arrays.values.at(i * values.size() + k);
      tree.add_leaf(node, values.data());
      continue;
    }
    node.right = index_of(arrays.right.at(i), "a child", place);
    node.attribute = static_cast<std::uint32_t>(index_of(arrays.attribute.at(i), "an attribute", place));
    node.nan_left = arrays.nan_left.size > 0 && arrays.nan_left.at(i) != 0;
    if (arrays.set.size > 0 && arrays.set.at(i) >= 0) {
      tree.ask_set(node, set_of(arrays, arrays.set.at(i), node.nan_left, place));
      continue;
    }
    node.test = up_to(arrays.threshold.at(i));
  }
  return tree;
}

}  // namespace

ErrorContext importing_arrays(const std::string& name) {
  return {name, "; the model was changed after it was trained: train it again", "model"};
}

/// Checksum of the tests and leaves of the trees.
std::uint64_t checksum_of(const SourceModel& model) {
  std::vector<std::uint64_t> sums;
  for (const SourceTree& tree : model.trees) {
    std::vector<std::uint64_t> words;
    for (const SourceNode& node : tree.nodes) {
      words.push_back(std::uint64_t{static_cast<std::uint32_t>(node.left)} << 32 |
                      static_cast<std::uint32_t>(node.right));
      words.push_back(std::uint64_t{static_cast<std::uint32_t>(bits_of(node.test.threshold))} << 32 |
                      node.attribute << 1 | (node.nan_left ? 1u : 0u));
      if (node.asks_set()) words.push_back(static_cast<std::uint64_t>(node.set));
    }
    for (const CategorySet& set : tree.sets) words.insert(words.end(), set.words.begin(), set.words.end());
    sums.push_back(checksum(words.data(), words.size() * sizeof(std::uint64_t)));
    sums.push_back(checksum(tree.leaf_values.data(), tree.leaf_values.size() * sizeof(double)));
  }
  return checksum(sums.data(), sums.size() * sizeof(std::uint64_t));
}

SourceModel to_source_model(const ForestArrays& arrays, const ErrorContext& place) {
  const std::string& name = place.file;
  const std::size_t num_predicted = arrays.num_classes > 0 ? arrays.num_classes : arrays.num_targets;
  FW_CHECK(num_predicted >= 1 && num_predicted <= kMaxClasses && arrays.num_attributes >= 1 &&
               arrays.num_attributes <= kMaxAttributes,
           Model,
           name << " has " << num_predicted << " classes or targets and " << arrays.num_attributes
                << " attributes; 1 to " << kMaxClasses << " and 1 to " << kMaxAttributes << " are possible");
  const std::size_t num_outputs = arrays.link == Link::kLogistic ? 1 : num_predicted;
  FW_CHECK(
      arrays.sums.base.size() == num_outputs, Model,
      name << " has " << arrays.sums.base.size() << " base values for " << num_outputs << " outputs" << place.remedy);
  SourceModel model;
  model.link = arrays.link;
  model.num_classes = arrays.num_classes;
  model.num_attributes = arrays.num_attributes;
  model.num_targets = arrays.num_targets;
  model.slope = arrays.slope;
  model.class_rule = arrays.class_rule;
  model.sums = arrays.sums;
  model.is_wide = arrays.is_wide;
  model.leaf_numbers = LeafNumbers::kNodes;
  model.trees_per_iteration = arrays.trees_per_iteration;
  model.version = arrays.library_version;
  model.objective = arrays.estimator;
  for (std::size_t t = 0; t < arrays.trees.size(); ++t) {
    check_sizes(arrays.trees[t], num_outputs, name + ": tree " + std::to_string(t), place);
    model.trees.push_back(to_source_tree(arrays.trees[t], place));
  }
  return model;
}

RecordForest import_arrays(const ForestArrays& arrays, const std::string& name, const ImportOptions& options) {
  const DefaultFloats floats;
  const ErrorContext place = importing_arrays(name);
  const SourceModel model = to_source_model(arrays, place);
  return finish_import(model, ModelSource::kSklearn, checksum_of(model), options, place);
}

}  // namespace fernwood::records
