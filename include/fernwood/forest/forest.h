// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/forest/region_feature.h"
#include "fernwood/image/labels.h"

namespace fernwood::forest {

/// A test (inner node) or the end of a path (leaf). 20 bytes, stored as they are in model files.
struct Node {
  std::int32_t child = -1;  ///< Inner node: index of the left child, the right one follows it. Leaf: ~leaf index.
  float threshold = 0;      ///< Responses up to it go left.
  RegionFeature feature{};
  std::uint16_t unused = 0;

  FW_HD bool is_leaf() const { return child < 0; }
  FW_HD std::int32_t leaf_index() const { return ~child; }
  bool operator==(const Node&) const = default;
};
static_assert(sizeof(Node) == 20);

/// A decision tree: nodes in breadth-first order, the root first; children come after their parent.
struct Tree {
  std::vector<Node> nodes;
  Array2<std::uint32_t> leaf_counts;  ///< [leaf][class] training samples that ended there.
  Array2<float> leaf_scores = {};     ///< [leaf][class] Of boosted trees: what the leaf adds; of others empty.

  std::size_t num_leaves() const { return leaf_counts.rows(); }
  /// Levels below the root.
  int depth() const;
  bool operator==(const Tree&) const = default;
};

/// [node][class] training samples that came to each node of a tree.
Array2<std::uint64_t> node_counts(const Tree& tree);

/// Index of the leaf that a pixel ends in: the loop of thesis algorithm 6.
/// @param nodes  `nodes[i]` is a Node: a pointer, or the like.
/// @param frame  A FrameView, or the like.
template <typename Nodes, typename AnyFrame>
FW_HD std::int32_t find_leaf(const Nodes& nodes, const AnyFrame& frame, const PixelSite& site) {
  for (std::int32_t index = 0;;) {
    const Node& node = nodes[index];
    if (node.is_leaf()) return node.leaf_index();
    index = node.child + side(response(node.feature, frame, site), node.threshold);
  }
}

/// What the trees of a forest are.
enum class ForestKind {
  kForest,  ///< Every node has a test of its own.
  kFerns,   ///< All nodes of a level share one test (thesis 3.1.3); see fern.h.
  kBoosted  ///< As kForest; each tree corrects those before it, and leaves have scores (Friedman 2001).
};

inline constexpr std::array kForestKinds = {ForestKind::kForest, ForestKind::kFerns, ForestKind::kBoosted};
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

/// Factors of the probabilities of all trees together, by which labels are chosen, never what probabilities are said to
/// be: [class], in [kLeastClassWeight, kMostClassWeight]; empty: all 1.
struct LabelWeights {
  std::vector<float> plain = {};     ///< Of probabilities as the trees give them.
  std::vector<float> smoothed = {};  ///< Of smoothed ones.
  bool operator==(const LabelWeights&) const = default;
};

/// A trained forest: everything that prediction needs, and where it came from.
struct Forest {
  ForestKind kind = ForestKind::kForest;
  image::ClassMap classes;
  image::Preparation preparation;
  LeafOptions leaves;
  LabelWeights label_weights;
  std::vector<std::uint64_t> class_pixels;  ///< [class] labelled pixels in the training frames: p(c | data set).
  std::string options_json = "{}";          ///< The training options, a JSON object.
  std::string provenance_json = "{}";  ///< Frames and checksum of the training data, a JSON object; no time, no host.
  /// [stage][tree] At least one stage, whose trees may be missing. The class probabilities by a stage's trees, at one
  /// pixel in kContextStep each way, are the context channels of the next stage; the trees of the last one label.
  std::vector<std::vector<Tree>> stages = {{}};

  int num_classes() const { return static_cast<int>(classes.size()); }
  std::size_t num_stages() const { return stages.size(); }
  const std::vector<Tree>& stage(std::size_t index) const { return stages[index]; }
  const std::vector<Tree>& labelling_trees() const { return stages.back(); }
  std::vector<Tree>& labelling_trees() { return stages.back(); }
  /// Channels that the features of a stage may read, the first ones: there is no context before the first stage.
  int num_channels_of(std::size_t stage) const {
    const image::ChannelLayout& channels = preparation.channels;
    return stage == 0 && num_stages() > 1 ? channels.context_channel() : channels.num_channels();
  }
  bool operator==(const Forest&) const = default;
};

/// What the leaves of one tree say, [leaf][class]; labelling takes the class of the highest sum over the trees.
/// Probabilities: relative frequency (thesis eq. 3.6), biased (4.10-4.11),
/// re-weighted (3.7) and times the class weights as forest.leaves says, each row with sum 1, or all 0 when the bias
/// leaves nothing. A leaf that no training sample came to, as ferns have, answers with the samples of its nearest
/// ancestor that has any. Boosted trees: their scores, the first one's with the logarithms of re-weighting and class
/// weights added, and each row moved so that its least is 1, which changes no probability.
/// @param place  Of the tree in its stage.
Array2<float> leaf_votes(const Forest& forest, const Tree& tree, std::size_t place);

}  // namespace fernwood::forest
