// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "records/evaluate/evaluation_kernels.h"
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

/// The part of a tree that is merged; the part below it is walked. See evaluation_kernels.h.
enum class Cut {
  kNothing,  ///< The whole tree is walked.
  kAll,      ///< The whole tree, of any shape, is merged.
  kLayers    ///< The upper levels are merged as layers, where testing all records costs less than a step for each.
};

struct CutTree {
  std::uint32_t num_layers = 0;                 ///< With Cut::kLayers.
  bool is_oblivious = false;                    ///< Then each layer has one test, and nothing is walked.
  std::uint32_t first_test = 0, num_tests = 0;  ///< Range of the merged part in layer_tests or tests.
  std::uint32_t first_exit = 0, num_exits = 0;
  bool exits_are_numbers = false;  ///< Exit i stands for the number i.
  std::uint32_t num_steps = 0;     ///< Steps of the walk; 0: exits stand for answers, otherwise for slots.
};

/// A forest whose trees are cut, over values of type T.
template <typename T>
struct CutForest {
  std::vector<CutTree> trees;
  std::vector<MergeTest<T>> tests;     ///< Tree by tree.
  std::vector<LayerTest> layer_tests;  ///< Tree by tree.
  std::vector<std::int32_t> exits;     ///< Tree by tree: answers or slots; a single one where nothing is merged.
  std::size_t most_exits = 0, most_tests = 0;  ///< The largest numbers of exits and tests of a tree, with Cut::kAll.

  bool merges() const { return !tests.empty() || !layer_tests.empty(); }
};

/// @param T  float: columns are attributes. Ranks: columns are slots of model.ranks.
/// With Cut::kAll no tree may have more leaves than Lane<T> can represent.
template <typename T>
CutForest<T> cut_forest(const EvaluationModel& model, Cut cut);

/// Number of leaves of the tree with the most leaves.
std::size_t most_leaves(const RecordForest& forest);

/// [slot] The nodes of model.flat over ranks.
std::vector<RankNode> rank_nodes(const EvaluationModel& model);

}  // namespace fernwood::records
