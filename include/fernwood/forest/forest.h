// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/forest/tree.h"
#include "fernwood/image/labels.h"

namespace fernwood::forest {

/// What the trees of a forest are.
enum class ForestKind {
  kForest,  ///< Every node has a test of its own.
  kFerns    ///< All nodes of a level share one test (thesis 3.1.3); see fern.h.
};

inline constexpr std::array kForestKinds = {ForestKind::kForest, ForestKind::kFerns};
/// As options and files call it.
std::string to_string(ForestKind kind);

/// Bounds of class weights. They keep products with re-weighting far from the ends of float.
inline constexpr float kLeastClassWeight = 1e-6f, kMostClassWeight = 1e6f;

/// How a leaf's counts become class probabilities.
struct LeafOptions {
  bool reweight = true;         ///< Undo the sampling: times p(c | data set) / p(c | samples) (thesis eq. 3.7).
  float histogram_bias = 0.0f;  ///< Share subtracted from every class, [0, 1) (thesis eq. 4.10-4.11).
  /// [class] Factors of the probabilities, after re-weighting, in [kLeastClassWeight, kMostClassWeight]; empty: all 1.
  std::vector<float> class_weights = {};
  bool operator==(const LeafOptions&) const = default;
};

/// A trained forest: everything that prediction needs, and where it came from.
struct Forest {
  ForestKind kind = ForestKind::kForest;
  image::ClassMap classes;
  image::Preparation preparation;
  LeafOptions leaves;
  std::vector<std::uint64_t> class_pixels;  ///< [class] labelled pixels in the training frames: p(c | data set).
  std::string options_json = "{}";          ///< The training options, a JSON object.
  std::string provenance_json = "{}";  ///< Frames and checksum of the training data, a JSON object; no time, no host.
  /// [stage] Trees of earlier stages: the class probabilities of each, at one pixel in kContextStep each way, are the
  /// context channels of the next, and those of the last are what `trees` read. Empty: there is one stage; or, where
  /// there are context channels, training goes on, and `trees` are those that are grown so far.
  std::vector<std::vector<Tree>> context_stages;
  std::vector<Tree> trees;  ///< Of the stage that labels.

  int num_classes() const { return static_cast<int>(classes.size()); }
  std::size_t num_stages() const { return context_stages.size() + 1; }
  /// The trees of a stage; those of the last one label.
  const std::vector<Tree>& stage(std::size_t index) const {
    return index < context_stages.size() ? context_stages[index] : trees;
  }
  /// Channels that the features of a stage may read, the first ones: there is no context before the first stage.
  int num_channels_of(std::size_t stage) const {
    const image::ChannelLayout& channels = preparation.channels;
    return stage == 0 && !context_stages.empty() ? channels.context_channel() : channels.num_channels();
  }
  bool operator==(const Forest&) const = default;
};

/// Probabilities of one tree's leaves, [leaf][class]: relative frequency (thesis eq. 3.6), biased (4.10-4.11),
/// re-weighted (3.7) and times the class weights as forest.leaves says, each row with sum 1, or all 0 when the bias
/// leaves nothing. A leaf that no training sample came to, as ferns have, answers with the samples of its nearest
/// ancestor that has any.
Array2<float> leaf_probabilities(const Forest& forest, const Tree& tree);

}  // namespace fernwood::forest
