// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/draw.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

/// A forest of two classes; each tree has one test (attribute, threshold), class 0 on the left, class 1 on the right.
inline RecordForest stumps(const std::vector<std::pair<int, float>>& tests) {
  RecordForest forest;
  forest.classes = {"zero", "one"};
  forest.attributes = {"a", "b"};
  forest.fraction_bits = 20;
  forest.base = {0, 0};
  const std::int32_t one = 1 << forest.fraction_bits;
  for (const auto& [attribute, threshold] : tests) {
    RecordTree& tree = forest.trees.emplace_back();
    tree.nodes = {{threshold, 1, static_cast<std::uint16_t>(attribute), 0}, {0, ~0, 0, 0}, {0, ~1, 0, 0}};
    tree.leaf_values = Array2<std::int32_t>(2, 2);
    tree.leaf_values(0, 0) = tree.leaf_values(1, 1) = one;
  }
  return forest;
}

struct RandomForestShape {
  int trees = 1, depth = 4, classes = 2, attributes = 11;
  Link link = Link::kMean;
  double growth = 1.0;            ///< Share of the nodes above the last level that have a test.
  std::size_t most_nodes = 4095;  ///< Limit for each tree.
  int nan = 0;                    ///< NaN goes 0: right, 1: left, 2: either way.
  std::uint32_t seed = 1;
  bool oblivious = false;  ///< All nodes of a level share one test.
  int sets = 0;            ///< Number of category sets; if any, half of the tests use them.
  int missing = 0;         ///< Number of attributes in which some values mean unknown.
  int tables = 0;          ///< Number of category tables of the last attribute; if any, half of the tests use them.
};

/// Adds category sets of all kinds, which half of the tests use, and rules for missing values.
inline void add_column_rules(const RandomForestShape& shape, RecordForest& forest) {
  std::uint32_t next = 0;
  const auto roll = [&](std::uint32_t bound) {
    return draw(shape.seed, RngStream::kScene, 3, 0, next++).below(0, bound);
  };
  const auto num_attributes = static_cast<std::uint32_t>(shape.attributes);
  for (int s = 0; s < shape.sets; ++s) {
    CategorySet& set = forest.columns.sets.emplace_back();
    set.bounds = {.attribute = static_cast<std::uint16_t>(roll(num_attributes)),
                  .first = roll(2) == 0 ? 0.0f : std::nextafter(-1.0f, 0.0f),
                  .negative_in = roll(2) == 0,
                  .large_in = roll(2) == 0,
                  .unknown_in = roll(2) == 0,
                  .is_whole = roll(2) == 0,
                  .is_exact = s % 3 == 2};
    set.add(roll(130));
    for (std::uint32_t category = 0; category < 13; ++category)
      if (roll(2) == 0) set.add(category);
  }
  for (int m = 0; m < shape.missing; ++m) {
    const float low = static_cast<float>(roll(201)) * 0.125f - 12.5f;
    forest.columns.missing.push_back({static_cast<std::uint16_t>(m), low, low + static_cast<float>(m)});
  }
  for (RecordTree& tree : forest.trees)
    for (RecordNode& node : tree.nodes)
      if (!node.is_leaf() && shape.sets > 0 && roll(2) == 0) {
        node.threshold = kSetThreshold;
        node.attribute = static_cast<std::uint16_t>(num_attributes + roll(static_cast<std::uint32_t>(shape.sets)));
      }
}

/// Adds category tables with all kinds of keys; the values of the last attribute are hashes of texts.
inline void add_tables(const RandomForestShape& shape, RecordForest& forest) {
  std::uint32_t next = 0;
  const auto roll = [&](std::uint32_t bound) {
    return draw(shape.seed, RngStream::kScene, 4, 0, next++).below(0, bound);
  };
  const auto grid = [&] { return static_cast<float>(roll(201)) * 0.125f - 12.5f; };
  const auto text = static_cast<std::uint16_t>(shape.attributes - 1);
  forest.columns.text_attributes = {text};
  for (int t = 0; t < shape.tables; ++t) {
    CategoryTable& table = forest.columns.tables.emplace_back();
    table.parts = {{.kind = KeyKind::kCategory, .attribute = text}};
    if (t % 2 == 1) table.parts.push_back({KeyKind::kIsAbove, 0, 0, grid(), roll(2) == 0});
    if (t % 3 == 1) table.parts.push_back({KeyKind::kIsCategory, text, category_of_value(grid())});
    for (std::uint32_t i = 0; i < 150; ++i) {
      const float category = grid(), number = grid();
      std::uint64_t key = 0;
      for (const KeyPart& part : table.parts)
        key = extend_key(key, part, part.kind == KeyKind::kIsAbove ? number : category);
      table.keys.push_back(key);
    }
    std::ranges::sort(table.keys);
    table.keys.erase(std::unique(table.keys.begin(), table.keys.end()), table.keys.end());
    table.values = Array2<float>(table.keys.size() + 1, 1 + roll(3));
    for (float& value : table.values) value = grid();
  }
  const std::size_t num_before = forest.attributes.size() + forest.columns.sets.size();
  const auto num_table_columns = static_cast<std::uint32_t>(forest.num_columns() - num_before);
  for (RecordTree& tree : forest.trees)
    for (RecordNode& node : tree.nodes)
      if (!node.is_leaf() && (node.attribute == text || roll(2) == 0))
        node.attribute = static_cast<std::uint16_t>(num_before + roll(num_table_columns));
}

/// A forest with thresholds on a coarse grid, so that some values equal them exactly.
inline RecordForest random_forest(const RandomForestShape& shape) {
  std::uint32_t next = 0;
  const auto roll = [&](std::uint32_t bound) {
    return draw(shape.seed, RngStream::kScene, 0, 0, next++).below(0, bound);
  };
  RecordForest forest;
  for (int c = 0; c < shape.classes; ++c) forest.classes.push_back("class " + std::to_string(c));
  for (int a = 0; a < shape.attributes; ++a) forest.attributes.push_back("attribute " + std::to_string(a));
  forest.link = shape.link;
  forest.fraction_bits = 16;
  forest.base.assign(forest.num_outputs(), 0);
  forest.base[0] = shape.link == Link::kMean ? 0 : -12345;
  for (int t = 0; t < shape.trees; ++t) {
    RecordTree& tree = forest.trees.emplace_back();
    std::vector<int> depth_of = {0};
    std::int32_t num_leaves = 0;
    for (std::size_t i = 0; i < depth_of.size(); ++i) {
      const bool test = depth_of[i] < shape.depth && depth_of.size() + 2 <= shape.most_nodes &&
                        (i == 0 || roll(1000) < static_cast<std::uint32_t>(1000 * shape.growth));
      RecordNode node;
      if (test) {
        node.threshold = static_cast<float>(roll(201)) * 0.125f - 12.5f;
        node.child = static_cast<std::int32_t>(depth_of.size());
        node.attribute = static_cast<std::uint16_t>(roll(static_cast<std::uint32_t>(shape.attributes)));
        node.nan_left = static_cast<std::uint16_t>(shape.nan == 2 ? roll(2) : static_cast<std::uint32_t>(shape.nan));
        depth_of.insert(depth_of.end(), 2, depth_of[i] + 1);
      } else {
        node.child = ~num_leaves++;
      }
      tree.nodes.push_back(node);
    }
    if (shape.oblivious)
      for (std::size_t i = 0; i < tree.nodes.size(); ++i)
        if (!tree.nodes[i].is_leaf()) {
          const RecordNode& first = tree.nodes[std::bit_floor(i + 1) - 1];
          tree.nodes[i].threshold = first.threshold;
          tree.nodes[i].attribute = first.attribute;
          tree.nodes[i].nan_left = first.nan_left;
        }
    const bool boosted = shape.link != Link::kMean;
    const std::size_t width = boosted ? 1 : forest.classes.size();
    tree.first_output = boosted ? static_cast<std::uint32_t>(t) % static_cast<std::uint32_t>(forest.num_outputs()) : 0;
    tree.leaf_values = Array2<std::int32_t>(static_cast<std::size_t>(num_leaves), width);
    for (std::int32_t& value : tree.leaf_values) value = static_cast<std::int32_t>(roll(60001)) - (boosted ? 30000 : 0);
  }
  add_column_rules(shape, forest);
  if (shape.tables > 0) add_tables(shape, forest);
  return forest;
}

/// Form of the floating-point sums of a forest.
struct FloatSumsShape {
  bool is_single = false;
  bool has_classes = false;  ///< If false, the forest predicts values.
  bool has_bias = false;
};

/// Adds leaf values of very different magnitudes, so that sums in a different order differ.
inline RecordForest with_float_sums(RecordForest forest, const FloatSumsShape& shape) {
  std::uint32_t next = 0;
  const auto roll = [&] {
    const Draw drawn = draw(99, RngStream::kScene, 2, 0, next++);
    const double value = std::ldexp(static_cast<double>(drawn.unit(0)) - 0.5, static_cast<int>(drawn.below(1, 30)));
    return shape.is_single ? static_cast<float>(value) : value;
  };
  const std::size_t num_outputs = forest.num_outputs();
  forest.float_sums = FloatSums{.is_single = shape.is_single};
  for (std::size_t k = 0; k < num_outputs; ++k) forest.float_sums->base.push_back(roll());
  if (shape.has_bias) {
    for (std::size_t k = 0; k < num_outputs; ++k) forest.float_sums->bias.push_back(roll());
    forest.float_sums->divisor = 3;
    forest.float_sums->scale = 0.1f;
  }
  for (RecordTree& tree : forest.trees) {
    tree.float_values = Array2<double>(tree.num_leaves(), tree.width());
    for (double& value : tree.float_values) value = roll();
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) tree.covers.push_back(std::abs(roll()));
    if (!shape.has_classes) tree.leaf_values = {};
  }
  if (shape.has_classes) return forest;
  forest.link = Link::kIdentity;
  forest.fraction_bits = 0;
  forest.classes.clear();
  forest.base.clear();
  for (std::size_t k = 0; k < num_outputs; ++k) forest.targets.push_back("target " + std::to_string(k));
  return forest;
}

/// Adds linear functions of up to three attributes to the leaves of trees with one output, except for every third tree.
inline RecordForest with_linear_leaves(RecordForest forest) {
  std::uint32_t next = 0;
  const auto roll = [&](std::uint32_t below) { return draw(77, RngStream::kScene, 3, 0, next++).below(0, below); };
  const auto number = [&] { return std::ldexp(static_cast<double>(roll(1u << 20)) - 524288.5, -20); };
  forest.linear_zero = 1e-35f;
  for (std::size_t t = 0; t < forest.trees.size(); ++t) {
    RecordTree& tree = forest.trees[t];
    if (tree.width() != 1 || t % 3 == 2) continue;
    for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf) {
      tree.linear_leaves.push_back({number()});
      for (std::uint32_t terms = roll(4); terms > 0; --terms)
        tree.linear_leaves.back().terms.push_back(
            {static_cast<std::uint16_t>(roll(static_cast<std::uint32_t>(forest.attributes.size()))), number()});
    }
  }
  return forest;
}

/// [record][attribute] Values of all kinds: thresholds and their neighbours, distant and infinite values, zeros, NaN.
inline std::vector<float> tricky_records(const RecordForest& forest, std::size_t num_records, std::uint32_t seed) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values(num_records * forest.attributes.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Draw drawn = draw(seed, RngStream::kScene, 1, 0, static_cast<std::uint32_t>(i));
    const float grid = static_cast<float>(drawn.below(0, 201)) * 0.125f - 12.5f;
    const float kinds[] = {grid,
                           grid,
                           std::nextafter(grid, kInfinity),
                           std::nextafter(grid, -kInfinity),
                           kInfinity,
                           -kInfinity,
                           not_a_number(),
                           -0.0f,
                           3e38f,
                           -3e38f,
                           1e-42f};
    const std::uint32_t kind = drawn.below(1, 40);
    values[i] = kind < std::size(kinds) ? kinds[kind] : drawn.unit(2) * 25.0f - 12.5f;
  }
  return values;
}

}  // namespace fernwood::records
