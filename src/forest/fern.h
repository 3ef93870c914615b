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

/// More levels no fern has: its codes would need tables that no cache holds.
inline constexpr int kMaxFernDepth = 25;

/// What all nodes of a level ask.
struct FernTest {
  RegionFeature feature{};
  float threshold = 0;  ///< Responses up to it go left.
  bool operator==(const FernTest&) const = default;
};

/// The code of a pixel one level further down: a bit for each test, that of the root the highest; 0 is left.
FW_HD std::uint32_t next_code(std::uint32_t code, float response, float threshold) {
  return code << 1 | static_cast<std::uint32_t>(side(response, threshold));
}

/// Leaves of 32 codes. A leaf above the last level has all codes that begin like its path; so leaves are runs of codes,
/// and one bit where each run begins tells them apart: 2 bits a code, where an index would take 32.
struct alignas(8) LeafWord {
  std::uint32_t begins;  ///< Bit i: a leaf begins at code i of these 32.
  std::uint32_t before;  ///< Leaves that begin before these codes.
  bool operator==(const LeafWord&) const = default;
};

/// Number of the leaf that a code belongs to, leaves counted in the order of their codes ("fern index").
FW_HD std::uint32_t leaf_of_code(const LeafWord& word, std::uint32_t code) {
  return word.before + static_cast<std::uint32_t>(count_bits(word.begins << (31 - code % 32))) - 1;
}

/// A tree whose nodes share one test per level (Ozuysal et al.; thesis 3.1.3), as a GPU labels with it: the tests do
/// not depend on one another, and their answers together name the leaf.
struct Fern {
  std::vector<FernTest> tests;         ///< [level], at most kMaxFernDepth
  std::vector<LeafWord> leaf_words;    ///< [ceil(2^levels / 32)] codes 32 i … 32 i + 31
  std::vector<std::int32_t> leaf_ids;  ///< [leaf in the order of codes] row of Tree::leaf_counts
};

/// The first node whose test is not that of its level, if there is one; then the tree is no fern.
std::optional<std::size_t> find_odd_node(const Tree& tree);

/// @param tree  Has no odd node, and at most kMaxFernDepth levels.
Fern make_fern(const Tree& tree);

/// Probabilities of a fern's leaves as leaf_votes() gives them, rows in the order of codes.
Array2<float> fern_probabilities(const Forest& forest, const Tree& tree, const Fern& fern);

}  // namespace fernwood::forest
