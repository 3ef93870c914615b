// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fernwood/records/record_forest.h"
#include "records/explain/gauss_rule.h"
#include "records/explain/shap_block.h"
#include "records/explain/shap_model.h"

namespace fernwood::records {

/// Records as linear leaves need them.
struct LinearRecords {
  RecordView attributes;  ///< The terms' values.
  RecordView columns;     ///< What tests compare: the result of read_columns().
};

/// Adds what the linear functions of leaves contribute beyond the constants of the leaves, which ShapForest has. In a
/// set of known attributes, a function whose terms are all known replaces its constant. So the game of a leaf whose
/// path has the elements i, for a function f of terms T, is (f - constant) prod(i in T: o_i or 0) prod(other i: o_i or
/// z_i): a record without a background contributes only through leaves whose terms' elements it satisfies. With a
/// background record, the terms that are not known have its values: each term is a product game of its own.
class LinearShap {
 public:
  /// @param model  Of the forest.
  LinearShap(const RecordForest& forest, const ShapForest& model);

  bool empty() const { return trees_.empty(); }
  /// @param background  Without records: shares of training records. @param block  Of the same records.
  void add(const LinearRecords& records, const LinearRecords& background, ShapEffects effects, ShapBlock& block) const;

 private:
  /// Factors of a product game for a player that is known (on) or not (off).
  struct Element {
    std::uint32_t player;
    double on, off;
  };
  struct Node {
    bool has_terms;                        ///< A leaf below it has terms.
    std::vector<std::uint32_t> all_terms;  ///< Ascending players that are terms of all leaves with terms below it.
  };
  struct Tree {
    RecordTree tree;
    std::vector<Node> nodes;
  };
  class Game;

  std::vector<Tree> trees_;
  std::vector<std::uint32_t> player_of_;  ///< [column]
  double zero_;                           ///< RecordForest::linear_zero.
  std::vector<GaussRule> rules_;
};

}  // namespace fernwood::records
