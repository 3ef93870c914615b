// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/file.h"
#include "fernwood/core/model_format.h"
#include "fernwood/encoder/encoder.h"
#include "fernwood/forest/region_feature.h"
#include "fernwood/image/labels.h"

namespace fernwood::forest {

/// An inner node, with its split, or a leaf. Its 20 bytes are stored unchanged in model files.
struct Node {
  std::int32_t child = -1;  ///< Inner node: index of the left child, followed by the right one. Leaf: ~leaf index.
  float threshold = 0;      ///< Responses up to the threshold go left; larger ones and NaN go right.
  RegionFeature feature{};
  std::uint16_t unused = 0;

  FW_HD bool is_leaf() const { return child < 0; }
  FW_HD std::int32_t leaf_index() const { return ~child; }
  bool operator==(const Node&) const = default;
};
static_assert(sizeof(Node) == 20);

/// A decision tree, with its nodes in breadth-first order: the root first, children after their parent.
struct Tree {
  std::vector<Node> nodes;
  Array2<std::uint32_t> leaf_counts;  ///< [leaf][class] Number of training samples that reached the leaf.
  Array2<float> leaf_scores = {};     ///< [leaf][class] Scores that a boosted tree adds; empty for other trees.

  std::size_t num_leaves() const { return leaf_counts.rows(); }
  /// Number of levels below the root.
  int depth() const;
  bool operator==(const Tree&) const = default;
};

/// [node][class] Number of training samples that reached each node of a tree.
Array2<std::uint64_t> node_counts(const Tree& tree);

/// Index of the leaf that a pixel reaches: the loop of thesis algorithm 6.
/// @param nodes  A pointer to nodes, or another type for which `nodes[i]` is a Node.
/// @param frame  A FrameView, or another type for which response() is defined.
template <typename Nodes, typename AnyFrame>
FW_HD std::int32_t find_leaf(const Nodes& nodes, const AnyFrame& frame, const PixelSite& site) {
  for (std::int32_t index = 0;;) {
    const Node& node = nodes[index];
    if (node.is_leaf()) return node.leaf_index();
    index = node.child + side(response(node.feature, frame, site), node.threshold);
  }
}

/// Kind of the trees of a forest.
enum class ForestKind {
  kForest,  ///< Each node has its own split.
  kFerns,   ///< All nodes of a level share one split (thesis 3.1.3); see fern.h.
  kBoosted  ///< As kForest, but each tree corrects the previous ones, and leaves have scores (Friedman 2001).
};

inline constexpr std::array kForestKinds = {ForestKind::kForest, ForestKind::kFerns, ForestKind::kBoosted};
/// Name in options and files.
std::string to_string(ForestKind kind);

/// Bounds of class weights; with these, products with re-weighting factors stay well within the range of float.
inline constexpr float kMinClassWeight = 1e-6f, kMaxClassWeight = 1e6f;

/// Conversion of a leaf's counts to class probabilities.
struct LeafOptions {
  bool reweight = true;  ///< Undo class sampling: factors p(c | data set) / p(c | samples) (thesis eq. 3.7).
  /// [class] Factors of the re-weighted probabilities, in [kMinClassWeight, kMaxClassWeight]; empty: all 1.
  std::vector<float> class_weights = {};
  bool operator==(const LeafOptions&) const = default;
};

/// Factors of a forest's class probabilities in the choice of labels; reported probabilities do not include them.
/// [class], in [kMinClassWeight, kMaxClassWeight]; empty: all 1.
struct LabelWeights {
  std::vector<float> plain = {};     ///< For probabilities without smoothing.
  std::vector<float> smoothed = {};  ///< For smoothed probabilities.
  bool operator==(const LabelWeights&) const = default;
};

/// A trained forest: everything that prediction needs, and its provenance.
struct Forest {
  ForestKind kind = ForestKind::kForest;
  image::ClassMap classes;
  image::Preparation preparation;
  LeafOptions leaves;
  LabelWeights label_weights;
  /// The encoder of the supplied maps, if one computed them; it runs before frames are prepared.
  std::optional<encoder::EncoderInfo> encoder = {};
  std::vector<std::uint64_t> class_pixels;  ///< [class] Labelled pixels in the training frames, for p(c | data set).
  std::string options_json = "{}";          ///< The training options, a JSON object.
  std::string provenance_json = "{}";  ///< Number and checksum of the training frames, a JSON object; no time or host.
  /// [stage][tree] At least one stage, which may be without trees. The class probabilities of a stage, evaluated at
  /// every kContextStep-th pixel in each direction, are the context channels of the next stage; the last stage predicts
  /// labels.
  std::vector<std::vector<Tree>> stages = {{}};

  int num_classes() const { return static_cast<int>(classes.size()); }
  std::size_t num_stages() const { return stages.size(); }
  const std::vector<Tree>& stage(std::size_t index) const { return stages[index]; }
  const std::vector<Tree>& labelling_trees() const { return stages.back(); }
  std::vector<Tree>& labelling_trees() { return stages.back(); }
  /// Number of channels that the features of a stage may read, from channel 0. The first stage has no context channels.
  int num_channels_of(std::size_t stage) const {
    const image::ChannelLayout& channels = preparation.channels;
    return stage == 0 && num_stages() > 1 ? channels.context_channel() : channels.num_channels();
  }
  bool operator==(const Forest&) const = default;
};

/// The votes of one tree, [leaf][class]; a pixel's label is the class with the highest sum over the trees.
/// - Forests and ferns: class probabilities, that is, relative frequencies (thesis eq. 3.6) with the re-weighting (3.7)
///   and class weights of forest.leaves. Each row has the sum 1, or is all 0 if these leave nothing. A leaf without
///   training samples, as in ferns, uses the samples of its nearest ancestor that has any.
/// - Boosted trees: their scores, to which the first tree adds the logarithms of re-weighting and class weights. Each
///   row is shifted so that its least value is 1, which changes no probability.
/// @param place  Index of the tree in its stage.
Array2<float> leaf_votes(const Forest& forest, const Tree& tree, std::size_t place);

/// Writes a forest to one file: magic and version, a JSON header, then raw little-endian arrays, each aligned to 64
/// bytes and checksummed (see docs/reference/model_file.md). The file is written atomically: completely or not at all.
/// @throws Error(kModel), before a byte is written, if load_forest() would reject the forest;
/// Error(kRuntime, kResource) if the file cannot be written.
void save_forest(const Forest& forest, const std::filesystem::path& path, NamedBy named_by = NamedBy::kUser);

/// Reads a model file and checks every array and index, so that any loaded forest can be used. A forest without trees,
/// as in a training checkpoint, is valid.
/// @throws Error(kModel), in one sentence, for a damaged, truncated, foreign or newer file; Error(kRuntime) if the file
/// cannot be read.
Forest load_forest(const std::filesystem::path& path);

/// Number of splits that compare a pair of channels (thesis figure A.1), in total and by level (figure 5.9).
struct ChannelPairUse {
  std::string channel_a, channel_b;  ///< channel_b is empty for unary features.
  std::uint64_t count = 0;
  std::vector<std::uint64_t> by_level;  ///< [level]
};

/// Statistics of a forest.
struct ForestSummary {
  struct TreeSummary {
    std::size_t nodes = 0, leaves = 0;
    int depth = 0;
    std::uint64_t samples = 0;
  };
  std::vector<std::vector<TreeSummary>> stages;  ///< [stage][tree]
  // For the last stage only:
  std::vector<std::uint64_t> splits_by_level;  ///< [level] Number of splits, over all trees.
  std::vector<ChannelPairUse> channel_pairs;   ///< Most used first.
};

ForestSummary summarize(const Forest& forest);

/// How vectorised loops over features load the corners of regions on a CPU: by "gather" instructions, which are slower
/// than scalar loads on some processors, or by "scalar" loads between vectorised loops. Both give the same bits.
struct GatherReport {
  std::string instruction_set;              ///< Instruction set of the measured loops.
  std::string choice;                       ///< The faster variant on this processor: "gather" or "scalar".
  double gather_rate = 0, scalar_rate = 0;  ///< Measured responses per second of one core.
  bool remembered = false;                  ///< Whether the measurement is one of an earlier run.
};

/// The faster variant on this processor: measured once, in about a millisecond, and stored in the cache folder.
const GatherReport& gather_report();

}  // namespace fernwood::forest
