// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/cut_forest.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "fernwood/core/arithmetic.h"

namespace fernwood::records {

namespace {

/// Time of a test of one record, where many are tested at once, in steps of a walk; measured with vectors of 512 bits.
template <typename T>
constexpr double kTestSteps = 0.009 * sizeof(T);
/// Time to find the answers of the slots that a walk ended at, in the same unit.
constexpr double kAnswerSteps = 0.7;

/// The number of layers for which merging them and walking the other levels takes the least time.
template <typename T>
std::uint32_t cheapest_layers(std::uint32_t depth) {
  std::uint32_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t layers = 0; layers <= std::min(depth, kMaxLayers); ++layers) {
    const double walked = layers == depth ? 0.0 : (depth - layers) + kAnswerSteps;
    const double time = kTestSteps<T> * ((1u << layers) - 1) + walked;
    if (time < least) least = time, best = layers;
  }
  return best;
}

template <typename T>
struct ColumnTest {
  T threshold;
  std::uint16_t column;
};
template <typename T>
ColumnTest<T> over_columns(const EvaluationModel& model, const RecordNode& node) {
  if constexpr (std::is_same_v<T, float>) return {node.threshold, node.attribute};
  const std::uint32_t slot = model.ranks.slot_of(node.attribute);
  return {static_cast<T>(model.ranks.rank_of_threshold(slot, node.threshold)), static_cast<std::uint16_t>(slot)};
}

std::uint32_t repeat(float threshold) { return static_cast<std::uint32_t>(bits_of(threshold)); }
std::uint32_t repeat(std::uint16_t threshold) { return threshold * 0x00010001u; }
std::uint32_t repeat(std::uint8_t threshold) { return threshold * 0x01010101u; }

/// Whether a tree is complete and has the same test at all nodes of a level, as CatBoost's do.
bool is_oblivious(const RecordTree& tree) {
  if (!std::has_single_bit(tree.nodes.size() + 1)) return false;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const RecordNode &node = tree.nodes[i], &first = tree.nodes[std::bit_floor(i + 1) - 1];
    const bool same =
        node.threshold == first.threshold && node.attribute == first.attribute && node.nan_left == first.nan_left;
    if (node.is_leaf() != first.is_leaf() || !same) return false;
  }
  return true;
}

template <typename T>
class Cutter {
 public:
  Cutter(const EvaluationModel& model, Cut cut) : model_(model), cut_(cut) {}

  CutForest<T> cut_all() {
    for (std::size_t t = 0; t < model_.forest.trees.size(); ++t) append(model_.forest.trees[t], model_.flat.trees[t]);
    place_results();
    return std::move(forest_);
  }

 private:
  void append(const RecordTree& tree, const FlatTree& flat) {
    CutTree added;
    added.first_exit = static_cast<std::uint32_t>(forest_.exits.size());
    if (cut_ == Cut::kLayers) added.is_oblivious = flat.depth > 0 && flat.depth <= kMaxLayers && is_oblivious(tree);
    if (cut_ == Cut::kLayers) added.num_layers = added.is_oblivious ? flat.depth : cheapest_layers<T>(flat.depth);
    if (cut_ != Cut::kAll) added.num_steps = flat.depth - added.num_layers;
    if (added.is_oblivious)
      append_levels(tree, flat, added);
    else if (cut_ == Cut::kAll)
      append_tests(tree, flat, added);
    else
      append_layers(tree, flat, added);
    added.num_exits = static_cast<std::uint32_t>(forest_.exits.size()) - added.first_exit;
    added.exits_are_numbers = true;
    for (std::uint32_t i = 0; i < added.num_exits; ++i)
      if (forest_.exits[added.first_exit + i] != static_cast<std::int32_t>(i)) added.exits_are_numbers = false;
    forest_.trees.push_back(added);
  }

  void append_exit(const FlatTree& flat, const CutTree& tree, std::size_t node) {
    const std::size_t slot = node + kRootSlot;
    forest_.exits.push_back(tree.num_steps == 0 ? model_.flat.answers[flat.first_slot + slot]
                                                : static_cast<std::int32_t>(slot));
  }

  /// For a complete tree, whose nodes are stored level by level.
  void append_levels(const RecordTree& tree, const FlatTree& flat, CutTree& added) {
    added.first_test = static_cast<std::uint32_t>(forest_.layer_tests.size());
    added.num_tests = added.num_layers;
    for (std::uint32_t level = 0; level < added.num_layers; ++level) {
      const RecordNode& node = tree.nodes[(std::size_t{1} << level) - 1];
      const ColumnTest<T> test = over_columns<T>(model_, node);
      forest_.layer_tests.push_back({repeat(test.threshold), test.column, node.nan_left});
    }
    for (std::size_t node = tree.nodes.size() / 2; node < tree.nodes.size(); ++node) append_exit(flat, added, node);
  }

  /// A leaf above the last layer is repeated in the levels below it.
  void append_layers(const RecordTree& tree, const FlatTree& flat, CutTree& added) {
    added.first_test = static_cast<std::uint32_t>(forest_.layer_tests.size());
    added.num_tests = (1u << added.num_layers) - 1;
    forest_.layer_tests.resize(added.first_test + added.num_tests);
    std::vector<std::size_t> nodes = {0};
    for (std::uint32_t level = 0; level < added.num_layers; ++level) {
      std::vector<std::size_t> below;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const RecordNode& node = tree.nodes[nodes[i]];
        const auto child = static_cast<std::size_t>(node.child);
        if (node.is_leaf()) {
          below.insert(below.end(), 2, nodes[i]);
          continue;
        }
        below.insert(below.end(), {child, child + 1});
        const ColumnTest<T> test = over_columns<T>(model_, node);
        forest_.layer_tests[added.first_test + place_in_layers(added.num_layers, level, i)] = {
            repeat(test.threshold), test.column, node.nan_left};
      }
      nodes = std::move(below);
    }
    for (std::size_t node : nodes) append_exit(flat, added, node);
  }

  /// See LayerArgs::tests.
  static std::size_t place_in_layers(std::uint32_t num_layers, std::uint32_t level, std::size_t index) {
    const std::uint32_t upper = num_layers > kChunkLayers ? num_layers - kChunkLayers : 0;
    if (level < upper) return (std::size_t{1} << level) - 1 + index;
    const std::size_t width = std::size_t{1} << (level - upper), chunk = index / width;
    constexpr std::size_t kChunkTests = (1u << kChunkLayers) - 1;
    return (std::size_t{1} << upper) - 1 + chunk * kChunkTests + width - 1 + index % width;
  }

  /// Appends the tests in reverse order of nodes, so that children come before parents.
  void append_tests(const RecordTree& tree, const FlatTree& flat, CutTree& added) {
    added.first_test = static_cast<std::uint32_t>(forest_.tests.size());
    std::vector<std::uint32_t> numbers(tree.nodes.size());  // of results: those of leaves, then those of tests
    std::uint32_t num_leaves = 0;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      if (!tree.nodes[i].is_leaf()) continue;
      numbers[i] = num_leaves++;
      append_exit(flat, added, i);
    }
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
      const RecordNode& node = tree.nodes[i];
      if (node.is_leaf()) continue;
      numbers[i] = num_leaves + added.num_tests++;
      const ColumnTest<T> test = over_columns<T>(model_, node);
      const auto child = static_cast<std::size_t>(node.child);
      forest_.tests.push_back({test.threshold, test.column, node.nan_left, numbers[child], numbers[child + 1]});
    }
    forest_.most_exits = std::max<std::size_t>(forest_.most_exits, num_leaves);
    forest_.most_tests = std::max<std::size_t>(forest_.most_tests, added.num_tests);
  }

  /// Converts numbers of results to their positions; exits come first, with the same number of places in every tree.
  void place_results() {
    if (cut_ != Cut::kAll) return;
    for (const CutTree& tree : forest_.trees)
      for (std::uint32_t i = 0; i < tree.num_tests; ++i) {
        MergeTest<T>& test = forest_.tests[tree.first_test + i];
        for (std::uint32_t* child : {&test.left, &test.right}) {
          if (*child >= tree.num_exits) *child += static_cast<std::uint32_t>(forest_.most_exits) - tree.num_exits;
          *child *= kGroup<T>;
        }
      }
  }

  const EvaluationModel& model_;
  Cut cut_;
  CutForest<T> forest_;
};

}  // namespace

template <typename T>
CutForest<T> cut_forest(const EvaluationModel& model, Cut cut) {
  return Cutter<T>(model, cut).cut_all();
}
template CutForest<float> cut_forest(const EvaluationModel&, Cut);
template CutForest<std::uint16_t> cut_forest(const EvaluationModel&, Cut);
template CutForest<std::uint8_t> cut_forest(const EvaluationModel&, Cut);

std::size_t most_leaves(const RecordForest& forest) {
  std::size_t most = 0;
  for (const RecordTree& tree : forest.trees) most = std::max(most, tree.num_leaves());
  return most;
}

std::vector<RankNode> rank_nodes(const EvaluationModel& model) {
  std::vector<RankNode> nodes(model.flat.nodes.size());
  for (std::size_t t = 0; t < model.forest.trees.size(); ++t) {
    const RecordTree& tree = model.forest.trees[t];
    RankNode* const root = nodes.data() + model.flat.trees[t].first_slot + kRootSlot;
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
      const RecordNode& node = tree.nodes[i];
      root[i] = {std::numeric_limits<std::uint16_t>::max(), 0, i + kRootSlot};  // no rank is above: a leaf stays
      if (node.is_leaf()) continue;
      const auto test = over_columns<std::uint16_t>(model, node);
      root[i] = {test.threshold, test.column, static_cast<std::uint32_t>(node.child) + kRootSlot};
    }
  }
  return nodes;
}

}  // namespace fernwood::records
