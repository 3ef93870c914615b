// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.h"
#include "fernwood/core/array.h"

namespace fernwood::records {

// The contribution of a leaf depends on the record only through the elements of the leaf's path that the record
// satisfies. A "group" is a few leaves close to each other; the "pattern" of a record in a group has a bit for each
// attribute of the path above the group (satisfied) and for each test of the group (goes left). The contribution of a
// group is computed once for each pattern, as a "row", and rows are added to records.

/// Most elements of a path, since its pattern has 64 bits.
inline constexpr std::size_t kMaxPathElements = 64;
/// Numbers of records and patterns are padded to multiples of this: a vector of 512 bits.
inline constexpr std::size_t kShapLanes = 8;

/// What is found of a game: the Shapley value of each player, or the Shapley interaction index of each pair of players
/// (Grabisch, Roubens, International Journal of Game Theory 28, 1999).
enum class ShapEffects { kPlayers, kPairs };
/// The number of values of a game with this many players.
FW_HD std::size_t num_effects(ShapEffects effects, std::size_t num_players) {
  return effects == ShapEffects::kPlayers ? num_players : num_players * (num_players - 1) / 2;
}
/// Index of a pair of different players in any order.
FW_HD std::size_t pair_place(std::size_t i, std::size_t j) { return i < j ? j * (j - 1) / 2 + i : i * (i - 1) / 2 + j; }

/// All tests of one player on the path to a leaf.
struct ShapElement {
  std::uint64_t mask, wanted;  ///< The record satisfies it where pattern & mask is `wanted`.
  double share;                ///< Share of the training records that satisfy it, among those that reach its tests: z.
  std::uint32_t slot;          ///< Index among the group's players.
};

struct ShapLeaf {
  std::uint32_t first_element, num_elements;  ///< At least 1.
  std::uint32_t first_value;
};

/// Arguments of one test for many records: computes the patterns below it.
template <typename Word>
struct NarrowArgs {
  const float* values;   ///< [records] Values of the attribute.
  const Word* patterns;  ///< [records]
  std::size_t num_records;
  float threshold;
  int nan_left;
  Word left_mask, right_mask;  ///< Bits of the patterns that remain for records that go left or right.
  Word* narrowed;              ///< [records], written; may be `patterns`.
};

/// Arguments for computing the rows of patterns.
struct ShapRowArgs {
  View1<const ShapLeaf> leaves;
  const ShapElement* elements;
  const double* leaf_values;     ///< `width` for each leaf, from first_value on.
  std::size_t width, num_sums;   ///< num_sums: num_effects() of the group's slots.
  const double* const* points;   ///< [n - 1] The points of Gauss's rule with n points, and
  const double* const* weights;  ///< their weights.
  const std::uint64_t* patterns;
  std::size_t num_patterns;  ///< A multiple of kShapLanes.
  double* columns;           ///< [width * num_sums][num_patterns], scratch.
  double* rows;              ///< [num_patterns][width][num_sums, rounded up to a multiple of kShapLanes] Written.
};

struct AddShapArgs {
  const double* rows;  ///< As in ShapRowArgs.
  std::size_t width, num_sums;
  const std::uint32_t* row_of;  ///< [records]
  std::size_t num_records;      ///< A multiple of kShapLanes.
  double* const* sums;          ///< [width * num_sums][records] Sums to add to.
};

FW_HD std::size_t padded_to_lanes(std::size_t count) { return (count + kShapLanes - 1) / kShapLanes * kShapLanes; }

struct ShapKernels {
  void (*narrow_words)(const NarrowArgs<std::uint32_t>&);
  void (*narrow_long_words)(const NarrowArgs<std::uint64_t>&);
  void (*find_player_rows)(const ShapRowArgs&);
  void (*find_pair_rows)(const ShapRowArgs&);
  void (*add_rows)(const AddShapArgs&);

  void find_rows(ShapEffects effects, const ShapRowArgs& args) const {
    (effects == ShapEffects::kPlayers ? find_player_rows : find_pair_rows)(args);
  }
  void narrow(const NarrowArgs<std::uint32_t>& args) const { narrow_words(args); }
  void narrow(const NarrowArgs<std::uint64_t>& args) const { narrow_long_words(args); }
};

/// @param isa  One of available_isas().
const ShapKernels& shap_kernels(Isa isa);

}  // namespace fernwood::records
