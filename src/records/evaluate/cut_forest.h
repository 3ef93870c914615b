// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "records/evaluate/evaluation_kernels.h"
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

/// Which part of a tree is merged; what is below is walked. See evaluation_kernels.h.
enum class Cut {
  kNothing,  ///< All is walked.
  kAll,      ///< All is merged, as a tree of any shape.
  kLayers    ///< The levels whose tests take less time for all records than a step takes for each, as layers.
};

struct CutTree {
  std::uint32_t num_layers = 0;                 ///< With Cut::kLayers.
  bool is_oblivious = false;                    ///< Then its layers have a test each, and nothing is walked.
  std::uint32_t first_test = 0, num_tests = 0;  ///< Of the merged part, in layer_tests or tests.
  std::uint32_t first_exit = 0, num_exits = 0;
  bool exits_are_numbers = false;  ///< Exit 0 stands for 0, exit 1 for 1 ...
  std::uint32_t num_steps = 0;     ///< Of the walk; 0: exits stand for answers, else for slots.
};

/// A forest whose trees are cut, over values of type T.
template <typename T>
struct CutForest {
  std::vector<CutTree> trees;
  std::vector<MergeTest<T>> tests;     ///< Of each tree in turn.
  std::vector<LayerTest> layer_tests;  ///< Of each tree in turn.
  std::vector<std::int32_t> exits;  ///< Of each tree in turn: answers or slots; a single one where nothing is merged.
  std::size_t most_exits = 0, most_tests = 0;  ///< Of a tree of Cut::kAll.

  bool merges() const { return !tests.empty() || !layer_tests.empty(); }
};

/// @param T  float: columns are attributes. Else ranks: columns are slots of model.ranks.
/// With Cut::kAll no tree may have more leaves than Lane<T> can number.
template <typename T>
CutForest<T> cut_forest(const EvaluationModel& model, Cut cut);

/// Leaves of the tree that has most.
std::size_t most_leaves(const RecordForest& forest);

/// [slot] The nodes of model.flat over ranks.
std::vector<RankNode> rank_nodes(const EvaluationModel& model);

}  // namespace fernwood::records
