// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <limits>
#include <vector>

#include "fernwood/backbone/backbone.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/forest/forest.h"
#include "forest/fern.h"
#include "forest/leaf.h"
#include "forest/model_bytes.h"

namespace fernwood::forest {

namespace {

/// [stage][tree] @param end  End of the preceding arrays.
std::vector<std::vector<TreeArrays>> arrays_of(const Forest& forest, std::uint64_t end) {
  std::vector<std::vector<TreeArrays>> stages(forest.num_stages());
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (const Tree& tree : forest.stage(s)) {
      const std::string prefix = array_prefix(s + 1 < stages.size(), s, stages[s].size());
      TreeArrays of_tree =
          place_arrays(forest.kind, prefix, tree.nodes.size(), tree.num_leaves(), forest.classes.size(), end);
      sign(of_tree.nodes, tree.nodes.data());
      sign(of_tree.leaf_counts, tree.leaf_counts.data());
      if (of_tree.leaf_scores) sign(*of_tree.leaf_scores, tree.leaf_scores.data());
      end = of_tree.end();
      stages[s].push_back(std::move(of_tree));
    }
  return stages;
}

Tree read_tree(const TreeArrays& of_tree, ArrayReader& arrays) {
  Tree tree;
  tree.nodes.resize(of_tree.nodes.shape[0]);
  tree.leaf_counts = Array2<std::uint32_t>(of_tree.leaf_counts.shape[0], of_tree.leaf_counts.shape[1]);
  arrays.copy(of_tree.nodes, tree.nodes.data());
  arrays.copy(of_tree.leaf_counts, tree.leaf_counts.data());
  if (of_tree.leaf_scores) {
    tree.leaf_scores = Array2<float>(of_tree.leaf_scores->shape[0], of_tree.leaf_scores->shape[1]);
    arrays.copy(*of_tree.leaf_scores, tree.leaf_scores.data());
  }
  return tree;
}

}  // namespace

void write_forest(const Forest& forest, const std::string& name, std::ostream& out) {
  const DefaultFloats floats;
  const ErrorContext place = saving(name);
  check_forest(forest, place);
  MapArrays maps = place_map_arrays(forest.preparation);
  const std::vector<std::vector<TreeArrays>> stages = arrays_of(forest, maps.end());
  std::vector<ArraySource> sources;
  const auto add = [&](std::optional<ModelArray>& array, const void* bytes) {
    sign(*array, bytes);
    sources.push_back({&*array, bytes});
  };
  if (maps.backbone) add(maps.backbone, forest.preparation.maps->bytes().data());
  if (maps.head) add(maps.head, forest.preparation.head->weights.data());
  const std::string header = encode_header(forest, maps, stages, place);
  decode_header(header, place);  // throws for a header that a reader would reject

  for (std::size_t s = 0; s < stages.size(); ++s)
    for (std::size_t k = 0; k < stages[s].size(); ++k) {
      const Tree& tree = forest.stage(s)[k];
      sources.push_back({&stages[s][k].nodes, tree.nodes.data()});
      sources.push_back({&stages[s][k].leaf_counts, tree.leaf_counts.data()});
      if (const auto& scores = stages[s][k].leaf_scores) sources.push_back({&*scores, tree.leaf_scores.data()});
    }
  write_container(out, header, sources);
}

void save_forest(const Forest& forest, const std::filesystem::path& path, NamedBy named_by) {
  write_file_atomically(path, named_by, [&](std::ostream& out) { write_forest(forest, path.string(), out); });
}

Forest read_forest(std::span<const std::uint8_t> bytes, const ErrorContext& place) {
  const DefaultFloats floats;
  const std::string_view text = header_text(bytes, kPixelModel.maker, place);
  ModelHeader header = decode_header(text, place);
  ArrayReader arrays(bytes, text.size(), header.data_bytes, place);
  Forest forest = std::move(header.forest);
  if (header.maps.backbone) {
    const std::span<const std::uint8_t> file = arrays.next(*header.maps.backbone);
    forest.preparation.maps =
        backbone::read_backbone({file.begin(), file.end()}, place.file + ": its backbone", header.maps.reduction);
  }
  if (header.maps.head) {
    auto head = std::make_shared<image::LinearHead>(*forest.preparation.head);
    head->weights.resize(header.maps.head->size_bytes / sizeof(std::int32_t));
    arrays.copy(*header.maps.head, head->weights.data());
    forest.preparation.head = std::move(head);
    check_head(forest.preparation, place);
  }
  for (std::size_t s = 0; s < header.stages.size(); ++s) {
    std::vector<Tree>& trees = forest.stages[s];
    for (const TreeArrays& of_tree : header.stages[s]) {
      trees.push_back(read_tree(of_tree, arrays));
      const std::string tree = tree_name(forest, s, trees.size() - 1);
      check_tree(trees.back(), tree, forest.num_channels_of(s), forest, place);
    }
  }
  return forest;
}

Forest load_forest(const std::filesystem::path& path) { return read_forest(read_file(path), path.string()); }

namespace {

/// One node of a tree, with the context for error messages about it.
struct NodeCheck {
  const Node& node;
  const std::string& tree;
  std::size_t index;
  const ErrorContext& place;

  std::string node_name() const { return tree + ", node " + std::to_string(index); }
  std::string at() const { return node_name() + ": "; }

  void region(const Region& r) const {
    // A leaf's feature is not used, but branchless loops may evaluate it.
    const int least = node.is_leaf() ? 0 : 1;
    FW_CHECK(r.half_w >= least && r.half_h >= least, Model,
             place.file << ": " << at() << "a region's half extents are " << +r.half_w << " x " << +r.half_h
                        << ", below " << least << place.remedy);
    FW_CHECK(r.dx >= -127 && r.dy >= -127, Model,
             place.file << ": " << at() << "a region's offset is (" << +r.dx << ", " << +r.dy << "), beyond 127"
                        << place.remedy);
  }

  void feature(const image::Preparation& preparation, int num_channels) const {
    const RegionFeature& f = node.feature;
    if (reads_map(f)) {
      FW_CHECK(map_of(f) < preparation.num_maps(), Model,
               place.file << ": " << node_name() << " reads feature map " << map_of(f) << " of "
                          << preparation.num_maps() << place.remedy);
      FW_CHECK(f == map_feature(map_of(f)), Model,
               place.file << ": " << node_name() << " reads a feature map, and has regions next to it" << place.remedy);
    } else {
      regions(preparation.channels, num_channels);
    }
    FW_CHECK(!is_nan(node.threshold), Model,
             place.file << ": " << at() << "the threshold is not a number" << place.remedy);
    FW_CHECK(node.unused == 0, Model,
             place.file << ": " << at() << "unused bytes are " << node.unused << ", not 0" << place.remedy);
  }

  void regions(const image::ChannelLayout& channels, int num_channels) const {
    const RegionFeature& f = node.feature;
    FW_CHECK(f.channel_a < num_channels && second_channel(f) < num_channels, Model,
             place.file << ": " << at() << "channels " << +f.channel_a << " and " << +f.channel_b << " must be below "
                        << num_channels
                        << (num_channels < channels.num_channels() ? ", for the first stage has no context" : "")
                        << place.remedy);
    FW_CHECK(channels.group(f.channel_a) == channels.group(second_channel(f)), Model,
             place.file << ": " << at() << "compares channel " << +f.channel_a << " with channel " << +f.channel_b
                        << " of another group" << place.remedy);
    region(f.a);
    region(f.b);
  }
};

/// In breadth-first order the pairs of children of inner nodes are consecutive, so that one counter proves that each
/// node except the root is the child of exactly one earlier node.
void check_order(const NodeCheck& check, std::size_t num_nodes, std::size_t* next_child) {
  const auto child = static_cast<std::size_t>(check.node.child);
  FW_CHECK(child == *next_child && child > check.index && child + 1 < num_nodes, Model,
           check.place.file << ": " << check.at() << "its children start at " << child
                            << ", where breadth-first order among " << num_nodes << " nodes wants " << *next_child
                            << check.place.remedy);
  *next_child += 2;
}

void check_leaf(const NodeCheck& check, std::vector<bool>& seen) {
  const auto leaf = static_cast<std::size_t>(check.node.leaf_index());
  FW_CHECK(leaf < seen.size(), Model,
           check.place.file << ": " << check.at() << "leaf " << leaf << " is not below " << seen.size()
                            << check.place.remedy);
  FW_CHECK(!seen[leaf], Model,
           check.place.file << ": " << check.at() << "leaf " << leaf << " is used twice" << check.place.remedy);
  seen[leaf] = true;
}

void check_fern(const Tree& tree, const std::string& name, const ErrorContext& place) {
  FW_CHECK(tree.depth() <= kMaxFernDepth, Model,
           place.file << ": " << name << " has " << tree.depth() << " levels, ferns have at most " << kMaxFernDepth
                      << place.remedy);
  const std::optional<std::size_t> odd = find_odd_node(tree);
  FW_CHECK(!odd, Model,
           place.file << ": " << name << ", node " << *odd
                      << ": its test is not that of its level, which the nodes of a fern share" << place.remedy);
}

/// Boosted trees must have a score for each leaf and class, other trees none.
void check_scores(const Tree& tree, const std::string& name, const Forest& forest, const ErrorContext& place) {
  const std::size_t num_leaves = forest.kind == ForestKind::kBoosted ? tree.num_leaves() : 0;
  FW_CHECK(tree.leaf_scores.rows() == num_leaves, Model,
           place.file << ": " << name << " has scores for " << tree.leaf_scores.rows()
                      << " leaves, where a tree of kind " << to_string(forest.kind) << " has them for " << num_leaves
                      << place.remedy);
  FW_CHECK(num_leaves == 0 || tree.leaf_scores.cols() == forest.classes.size(), Model,
           place.file << ": " << name << ": scores " << tree.leaf_scores.cols() << " classes, the forest has "
                      << forest.classes.size() << place.remedy);
  for (std::size_t leaf = 0; leaf < num_leaves; ++leaf)
    for (std::size_t c = 0; c < tree.leaf_scores.cols(); ++c)
      FW_CHECK(tree.leaf_scores(leaf, c) >= -kMaxLeafScore && tree.leaf_scores(leaf, c) <= kMaxLeafScore, Model,
               place.file << ": " << name << ", leaf " << leaf << ": its score of class " << c << " is "
                          << tree.leaf_scores(leaf, c) << ", beyond " << kMaxLeafScore << place.remedy);
}

}  // namespace

std::string tree_name(const Forest& forest, std::size_t stage, std::size_t index) {
  const std::string tree = "tree " + std::to_string(index);
  return stage + 1 < forest.num_stages() ? "context stage " + std::to_string(stage) + ", " + tree : tree;
}

void check_tree(const Tree& tree, const std::string& name, int num_channels, const Forest& forest,
                const ErrorContext& place) {
  const std::size_t num_nodes = tree.nodes.size(), num_leaves = tree.num_leaves();
  FW_CHECK(num_leaves >= 1 && num_nodes == 2 * num_leaves - 1, Model,
           place.file << ": " << name << " has " << num_nodes << " nodes and counts for " << num_leaves
                      << " leaves, where a binary tree has one node less than twice its leaves" << place.remedy);
  FW_CHECK(num_nodes <= std::numeric_limits<std::int32_t>::max(), Model,
           place.file << ": " << name << " has " << num_nodes << " nodes, more than 31 bits can count" << place.remedy);
  FW_CHECK(tree.leaf_counts.cols() == forest.classes.size(), Model,
           place.file << ": " << name << ": counts " << tree.leaf_counts.cols() << " classes, the forest has "
                      << forest.classes.size() << place.remedy);
  check_scores(tree, name, forest, place);
  std::vector<bool> seen(num_leaves, false);
  std::size_t next_child = 1;
  for (std::size_t i = 0; i < num_nodes; ++i) {
    const NodeCheck check{tree.nodes[i], name, i, place};
    check.feature(forest.preparation, num_channels);
    if (tree.nodes[i].is_leaf())
      check_leaf(check, seen);
    else
      check_order(check, num_nodes, &next_child);
  }
  if (forest.kind == ForestKind::kFerns) check_fern(tree, name, place);
}

image::ChannelLayout channels_of(const std::vector<std::string>& set_names, const image::ClassMap& classes,
                                 bool has_context, const ErrorContext& place) {
  const image::ChannelLayout base(set_names);
  if (!has_context) return base;
  FW_CHECK(static_cast<std::size_t>(base.num_channels()) + classes.size() <= image::kMaxChannels, Model,
           place.file << ": " << base.num_channels() << " channels and the probabilities of " << classes.size()
                      << " classes are more than the " << image::kMaxChannels
                      << " channels that a forest with context stages may have; train with one stage");
  return image::ChannelLayout(set_names, classes.names());
}

void check_head(const image::Preparation& preparation, const ErrorContext& place) {
  const image::LinearHead& head = *preparation.head;
  const int read = preparation.num_backbone_maps() + preparation.num_supplied_maps();
  FW_CHECK(head.num_maps == read, Model,
           place.file << ": the linear head reads " << head.num_maps << " feature maps, and there are " << read
                      << place.remedy);
  FW_CHECK(head.weights.size() == static_cast<std::size_t>(head.num_maps) * head.classes.size() &&
               std::ranges::all_of(head.weights,
                                   [](std::int32_t weight) {
                                     return weight >= -image::kMaxHeadWeight && weight <= image::kMaxHeadWeight;
                                   }),
           Model, place.file << ": a weight of the linear head is beyond " << image::kMaxHeadWeight << place.remedy);
}

void check_forest(const Forest& forest, const ErrorContext& place) {
  if (forest.preparation.head) check_head(forest.preparation, place);
  const image::ChannelLayout& channels = forest.preparation.channels;
  const bool fits = channels.num_context() > 0
                        ? channels == channels_of(channels.set_names(), forest.classes, true, place)
                        : forest.num_stages() == 1;
  FW_CHECK(fits, Model,
           place.file << ": the forest has " << forest.num_stages() - 1 << " context stages, " << forest.num_classes()
                      << " classes and " << channels.num_context()
                      << " context channels, where each class must be one if there are stages" << place.remedy);
  for (std::size_t s = 0; s < forest.num_stages(); ++s) {
    const std::vector<Tree>& trees = forest.stage(s);
    for (std::size_t k = 0; k < trees.size(); ++k)
      check_tree(trees[k], tree_name(forest, s, k), forest.num_channels_of(s), forest, place);
  }
}

}  // namespace fernwood::forest
