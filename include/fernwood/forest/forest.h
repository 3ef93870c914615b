// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/forest/tree.h"
#include "fernwood/image/labels.h"

namespace fernwood {

/// How a leaf's counts become class probabilities.
struct LeafOptions {
  bool reweight = true;         ///< Undo the sampling: times p(c | data set) / p(c | samples) (thesis eq. 3.7).
  float histogram_bias = 0.0f;  ///< Share subtracted from every class, [0, 1) (thesis eq. 4.10-4.11).
  bool operator==(const LeafOptions&) const = default;
};

/// A trained forest: everything that prediction needs, and where it came from.
struct Forest {
  ClassMap classes;
  Preparation preparation;
  LeafOptions leaves;
  std::vector<std::uint64_t> class_pixels;  ///< [class] labelled pixels in the training frames: p(c | data set).
  std::string options_json = "{}";          ///< The training options, a JSON object.
  std::string provenance_json = "{}";  ///< Frames and checksum of the training data, a JSON object; no time, no host.
  std::vector<Tree> trees;

  int num_classes() const { return static_cast<int>(classes.size()); }
  bool operator==(const Forest&) const = default;
};

/// Probabilities of one tree's leaves, [leaf][class]: relative frequency (thesis eq. 3.6), biased (4.10-4.11) and
/// re-weighted (3.7) as forest.leaves says, each row with sum 1, or all 0 when the bias leaves nothing.
Array2<float> leaf_probabilities(const Forest& forest, const Tree& tree);

}  // namespace fernwood
