// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "records/import/source_model.h"

namespace fernwood::records {

namespace {

/// Lists of a tree, an element for each node; those of leaves hold what the test of a leaf would be.
SourceTree read_tree(const JsonField& field, std::size_t num_outputs, const ErrorContext& place) {
  SourceTree tree;
  tree.first_output = static_cast<std::uint32_t>(field.at("first_output").whole(0, num_outputs - 1));
  tree.width = static_cast<std::uint32_t>(field.at("width").whole(1, num_outputs - tree.first_output));
  const std::vector<double> left = field.at("left").numbers(1, kMostNodes);
  const std::size_t num_nodes = left.size();
  const std::vector<double> right = field.at("right").numbers(num_nodes, num_nodes);
  const std::vector<double> attribute = field.at("attribute").numbers(num_nodes, num_nodes);
  const std::vector<double> threshold = field.at("threshold").numbers(num_nodes, num_nodes);
  const std::vector<bool> nan_left = field.at("nan_left").flags(num_nodes);
  const std::size_t num_leaves = static_cast<std::size_t>(std::ranges::count_if(left, [](double l) { return l < 0; }));
  const std::vector<double> values = field.at("leaf_values").numbers(num_leaves * tree.width, num_leaves * tree.width);
  const double* next = values.data();
  for (std::size_t i = 0; i < num_nodes; ++i) {
    SourceNode& node = tree.nodes.emplace_back();
    node.left = whole_number(left[i], "a child", place);
    if (node.is_leaf()) {
      tree.add_leaf(node, next);
      next += tree.width;
      continue;
    }
    node.right = whole_number(right[i], "a child", place);
    node.attribute = static_cast<std::uint32_t>(whole_number(attribute[i], "an attribute", place));
    // scikit-learn compares records of 32 bits with thresholds of 64.
    node.test = up_to(threshold[i]);
    node.nan_left = nan_left[i];
  }
  return tree;
}

}  // namespace

SourceModel read_sklearn(const JsonField& root, const ErrorContext& place) {
  root.at("format").must_be(kSklearnFormat);
  root.at("version").must_be(1);
  SourceModel model;
  model.version = root.at("library_version").text();
  model.objective = root.at("estimator").text();
  model.classes = root.at("classes").texts(1, kMostClasses);
  model.num_classes = model.classes.size();
  model.num_attributes = root.at("num_attributes").whole(1, kMostAttributes);
  model.attributes = root.at("attributes").texts(0, model.num_attributes);
  const JsonField link = root.at("link");
  if (link.text() == "logistic")
    model.link = Link::kLogistic;
  else if (link.text() == "softmax")
    model.link = Link::kSoftmax;
  else
    link.must_be("mean");
  const std::size_t num_outputs = model.link == Link::kLogistic ? 1 : model.num_classes;
  model.sums.base = root.at("base").numbers(num_outputs, num_outputs);
  const JsonField trees = root.at("trees");
  const std::size_t num_trees = trees.size(0, kMostTrees);
  if (model.link == Link::kMean) model.sums.divisor = static_cast<double>(std::max<std::size_t>(1, num_trees));
  for (std::size_t t = 0; t < num_trees; ++t) model.trees.push_back(read_tree(trees.at(t), num_outputs, place));
  return model;
}

}  // namespace fernwood::records
