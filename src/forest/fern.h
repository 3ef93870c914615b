// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fernwood/core/arithmetic.h"
#include "fernwood/forest/forest.h"

namespace fernwood::forest {

/// Maximum number of levels of a fern: its codes would otherwise need tables that no cache holds.
inline constexpr int kMaxFernDepth = 25;

/// The test shared by all nodes of a level.
struct FernTest {
  RegionFeature feature{};
  float threshold = 0;  ///< Responses up to the threshold go left.
  bool operator==(const FernTest&) const = default;
};

/// The code of a pixel one level further down: one bit for each test, with the root's test highest; 0 is left.
FW_HD std::uint32_t next_code(std::uint32_t code, float response, float threshold) {
  return code << 1 | static_cast<std::uint32_t>(side(response, threshold));
}

/// Leaves of 32 codes. A leaf above the last level has all codes that begin with its path; so leaves are runs of codes,
/// and one bit at the start of each run distinguishes them: 2 bits per code, where an index would take 32.
struct alignas(8) LeafWord {
  std::uint32_t begins;  ///< Bit i: a leaf begins at code i of these 32.
  std::uint32_t before;  ///< Number of leaves that begin before these codes.
  bool operator==(const LeafWord&) const = default;
};

/// Index of the leaf of a code, with leaves in the order of their codes ("fern index").
FW_HD std::uint32_t leaf_of_code(const LeafWord& word, std::uint32_t code) {
  return word.before + static_cast<std::uint32_t>(count_bits(word.begins << (31 - code % 32))) - 1;
}

/// A tree whose nodes share one test per level (Ozuysal et al.; thesis 3.1.3), in the form used for labelling on a GPU:
/// the tests are independent, and their results together identify the leaf.
struct Fern {
  std::vector<FernTest> tests;         ///< [level], at most kMaxFernDepth
  std::vector<LeafWord> leaf_words;    ///< [ceil(2^levels / 32)] word i has the codes 32 i … 32 i + 31
  std::vector<std::int32_t> leaf_ids;  ///< [leaf in the order of codes] row of Tree::leaf_counts
};

/// The first node whose test differs from the first one of its level; if one exists, the tree is not a fern.
std::optional<std::size_t> find_odd_node(const Tree& tree);

/// @param tree  Must be a fern (see find_odd_node()) with at most kMaxFernDepth levels.
Fern make_fern(const Tree& tree);

/// Probabilities of a fern's leaves, as computed by leaf_votes(), with rows in the order of codes.
Array2<float> fern_probabilities(const Forest& forest, const Tree& tree, const Fern& fern);

}  // namespace fernwood::forest
