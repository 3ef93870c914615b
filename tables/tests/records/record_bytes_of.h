// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <sstream>

#include "core/model_parts.h"
#include "fernwood/records/record_bytes.h"
#include "records/record_models.h"

namespace fernwood::records {

inline Bytes record_bytes(const RecordForest& forest) {
  std::ostringstream out;
  write_records(forest, "test", out);
  const std::string text = out.str();
  return Bytes(text.begin(), text.end());
}

/// Three classes, 2 attributes: a tree of 3 leaves with a value for each class, and a single leaf for class 2 only.
inline RecordForest mixed_records() {
  RecordForest forest;
  forest.classes = {"a", "b", "c"};
  forest.attributes = {"size", "weight"};
  forest.link = Link::kSoftmax;
  forest.fraction_bits = 20;
  forest.base = {1, -2, 3};
  forest.options_json = R"({"depth":2})";
  forest.provenance_json = R"({"checksum":"00ff"})";
  RecordTree& tree = forest.trees.emplace_back();
  tree.nodes = {{0.5f, 1, 1, 1}, {-2.0f, 3, 0, 0}, {0, ~0, 0, 0}, {0, ~1, 0, 0}, {0, ~2, 0, 0}};
  tree.leaf_values = Array2<std::int32_t>(3, 3);
  for (int i = 0; i < 9; ++i) tree.leaf_values.data()[i] = 10 * i - 40;
  RecordTree& leaf = forest.trees.emplace_back();
  leaf.nodes = {{0, ~0, 0, 0}};
  leaf.leaf_values = Array2<std::int32_t>(1, 1, 7);
  leaf.first_output = 2;
  return forest;
}

}  // namespace fernwood::records
