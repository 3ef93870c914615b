// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model_place.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

/// "value <= threshold", or with `swapped` its opposite for every number; NaN fulfils neither.
struct UpToTest {
  float threshold = 0;
  bool swapped = false;
};
/// The test of a float that "value <= threshold" of double precision amounts to. @param threshold  No NaN.
UpToTest up_to(double threshold);
/// Likewise "value < threshold".
UpToTest below(double threshold);

/// A node as other libraries store it.
struct SourceNode {
  std::int32_t left = -1, right = -1;  ///< Nodes; negative in a leaf.
  std::uint32_t attribute = 0;
  UpToTest test;           ///< What goes left.
  bool nan_left = false;   ///< NaN goes left.
  std::uint32_t leaf = 0;  ///< Row of the tree's leaf values.

  bool is_leaf() const { return left < 0; }
};

/// A tree as other libraries store it: node 0 is the root, the others are in any order.
struct SourceTree {
  std::vector<SourceNode> nodes;
  std::vector<double> leaf_values;  ///< [leaf][width]
  std::uint32_t first_output = 0, width = 1;

  void add_leaf(SourceNode& node, const double* values);
};

/// A classifier that another library trained.
struct SourceModel {
  std::vector<std::string> classes, attributes;  ///< Names; empty when the file has none.
  std::size_t num_classes = 0, num_attributes = 0;
  Link link = Link::kMean;
  std::vector<double> base;  ///< [output]
  std::vector<SourceTree> trees;
  std::string version;    ///< Of the library.
  std::string objective;  ///< In the library's words.
};

/// Trees in breadth-first order and values in fixed point; names and texts are left empty.
/// @throws Error(kModel) for trees that are none, and values that are no numbers.
RecordForest to_record_forest(const SourceModel& model, const ModelPlace& place);

}  // namespace fernwood::records
