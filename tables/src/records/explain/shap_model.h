// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fernwood/records/record_forest.h"
#include "records/explain/shap_kernels.h"

namespace fernwood::records {

/// Groups are as large as possible with up to this many bits and attributes: a row is then a vector of 512 bits, and
/// the rows of all patterns fit into the L1 cache.
inline constexpr std::size_t kMaxGroupBits = 9;
inline constexpr std::size_t kMaxGroupSlots = 8;
/// Limit of the levels of a tree, whose patterns are all in memory at a time.
inline constexpr int kMaxShapLevels = 4096;

/// Leaves close to each other; see shap_kernels.h.
struct ShapGroup {
  std::uint32_t num_bits;  ///< Number of bits of its patterns.
  std::uint32_t first_leaf, num_leaves;
  std::uint32_t first_slot, num_slots;  ///< Range in ShapForest::slots.
};

/// Patterns of one level are computed by a test from those of the level above.
struct ShapStep {
  std::uint32_t from_level, to_level;
  std::uint32_t column;  ///< Index in ShapForest::columns.
  float threshold;
  int nan_left;
  std::uint64_t left_mask, right_mask;
  std::int32_t group;  ///< The group whose patterns are in `to_level` after the step; -1: none.
};

struct ShapTree {
  std::uint32_t first_step, num_steps;
  std::uint32_t first_group, num_groups;
  std::uint32_t first_output, width;
  bool is_wide;  ///< Patterns of a group have more than 32 bits.
};

/// A player of the game whose Shapley values are found: the attributes of a tested column, which become known together.
/// Tests of the same attributes are of the same player.
using ShapPlayer = std::vector<std::uint16_t>;

/// A forest as a program over blocks of records.
struct ShapForest {
  std::vector<std::uint32_t> columns;  ///< Those that are tested, as indices into the columns of read_columns().
  std::vector<ShapPlayer> players;     ///< Attributes ascend.
  std::vector<ShapTree> trees;
  std::vector<ShapStep> steps;
  std::vector<ShapGroup> groups;
  std::vector<std::uint32_t> slots;  ///< Players.
  std::vector<ShapLeaf> leaves;      ///< Those whose values are not all 0.
  std::vector<ShapElement> elements;
  std::vector<double> leaf_values;
  std::vector<double> expected;  ///< [output] Sums over trees of leaf values weighted by the shares of their paths.
  std::size_t num_levels = 1;    ///< Number of levels of patterns of the deepest tree.
};

/// [column] The player of each column of read_columns(). As in CatBoost, those of a statistic of combined attributes
/// are the ones whose categories it distinguishes, without those of which it only knows the outcome of a test.
std::vector<ShapPlayer> players_of_columns(const RecordForest& forest);

/// Index of a player that the forest has.
std::uint32_t place_of_player(const ShapForest& forest, const ShapPlayer& player);

/// @param needs_covers  Whether unknown attributes follow the shares of training records; otherwise `share` is not
/// used.
/// @throws Error(kModel) as documented in ShapEvaluator.
ShapForest make_shap_forest(const RecordForest& forest, bool needs_covers = true);

}  // namespace fernwood::records
