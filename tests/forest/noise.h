// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Random frames, features and trees, for comparisons of optimised loops with reference implementations.

#include <limits>
#include <random>

#include "fernwood/forest/forest.h"

namespace fernwood::forest {

/// Random numbers that are the same on every machine.
class Noise {
 public:
  explicit Noise(std::uint32_t seed) : random_(seed) {}
  int between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint32_t>(high - low + 1));
  }
  bool one_in(int n) { return between(1, n) == 1; }

 private:
  std::mt19937 random_;
};

/// Random colours, and depths from 0.4 to 4 m; one in `hole_one_in` pixels has unknown depth (0: none).
inline image::Frame noise_frame(std::size_t rows, std::size_t cols, std::uint32_t seed, int hole_one_in = 4) {
  Noise noise(seed);
  const auto byte = [&] { return static_cast<std::uint8_t>(noise.between(0, 255)); };
  image::Frame frame{Array2<image::Rgb>(rows, cols), Array2<std::uint16_t>(rows, cols)};
  for (image::Rgb& color : frame.color) color = {byte(), byte(), byte()};
  for (std::uint16_t& depth : frame.depth_mm) {
    depth = static_cast<std::uint16_t>(noise.between(400, 4000));
    if (hole_one_in > 0 && noise.one_in(hole_one_in)) depth = 0;
  }
  return frame;
}

/// Feature maps of half the frame's resolution. Values have several magnitudes; one in nine is unknown.
inline image::SuppliedMaps noise_maps(std::size_t num_maps, std::size_t rows, std::size_t cols, std::uint32_t seed) {
  Noise noise(seed);
  image::SuppliedMaps maps{num_maps, (rows + 1) / 2, (cols + 1) / 2, {}};
  for (std::size_t i = 0; i < num_maps * maps.rows * maps.cols; ++i) {
    const auto value = static_cast<float>(noise.between(-9999, 9999)) / static_cast<float>(noise.between(1, 99));
    maps.values.push_back(noise.one_in(9) ? std::numeric_limits<float>::quiet_NaN() : value);
  }
  return maps;
}
/// Ranges of maps that clip some values of noise_maps().
inline std::vector<image::MapRange> noise_ranges(std::size_t num_maps, std::uint32_t seed) {
  Noise noise(seed);
  std::vector<image::MapRange> ranges;
  for (std::size_t i = 0; i < num_maps; ++i)
    ranges.push_back({static_cast<float>(noise.between(-3000, 0)) / 7, static_cast<float>(noise.between(1, 9000)) / 3});
  return ranges;
}

/// A linear head for `num_classes` classes with scores that are neither all clipped nor all equal.
inline std::shared_ptr<const image::LinearHead> noise_head(std::size_t num_classes, int num_maps, std::uint32_t seed) {
  Noise noise(seed);
  auto head = std::make_shared<image::LinearHead>();
  head->num_maps = num_maps;
  head->shift = 6;
  for (std::size_t c = 0; c < num_classes; ++c) {
    head->classes.push_back("class " + std::to_string(c));
    head->bias.push_back(noise.between(-image::kPartialOne, image::kPartialOne));
    for (int map = 0; map < num_maps; ++map) head->weights.push_back(noise.between(-200, 200));
  }
  return head;
}

/// A feature with regions near its pixel, so that about half of its responses are known; one in five is unary.
inline RegionFeature noise_feature(const image::ChannelLayout& channels, Noise& noise) {
  const auto offset = [&] { return static_cast<std::int8_t>(noise.between(-12, 12)); };
  const auto half = [&] { return static_cast<std::int8_t>(noise.between(1, 4)); };
  RegionFeature f{{offset(), offset(), half(), half()}, {offset(), offset(), half(), half()}, 0, 0};
  const int last = channels.num_channels() - 1;
  f.channel_a = static_cast<std::uint8_t>(noise.between(0, last));
  f.channel_b = kNoChannel;
  if (noise.one_in(5)) return f;
  do {
    f.channel_b = static_cast<std::uint8_t>(noise.between(0, last));
  } while (channels.group(f.channel_a) != channels.group(f.channel_b));
  return f;
}

/// A tree with 2 * num_inner + 1 nodes, grown by splitting nodes in order; each stays a leaf with probability 1/4.
inline Tree noise_tree(int num_inner, std::size_t num_classes, const image::ChannelLayout& channels, Noise& noise) {
  Tree tree;
  tree.nodes.resize(1);
  int left = num_inner, leaves = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const bool last = i + 1 == tree.nodes.size();
    if (left == 0 || (!last && noise.one_in(4))) {
      tree.nodes[i].child = ~leaves++;
      continue;
    }
    --left;
    tree.nodes[i] = {static_cast<std::int32_t>(tree.nodes.size()), static_cast<float>(noise.between(-300, 300)),
                     noise_feature(channels, noise), 0};
    tree.nodes.resize(tree.nodes.size() + 2);
  }
  tree.leaf_counts = Array2<std::uint32_t>(static_cast<std::size_t>(leaves), num_classes);
  for (std::uint32_t& count : tree.leaf_counts) count = static_cast<std::uint32_t>(noise.between(0, 3));
  return tree;
}

/// A fern of up to `depth` levels; one node in four becomes a leaf early, and some leaves have no samples.
inline Tree noise_fern(int depth, std::size_t num_classes, const image::ChannelLayout& channels, Noise& noise) {
  Tree tree;
  tree.nodes.resize(1);
  int leaves = 0;
  std::size_t begin = 0;
  for (int level = 0; level <= depth; ++level) {
    const auto threshold = static_cast<float>(noise.between(-300, 300));
    const RegionFeature feature = noise_feature(channels, noise);
    const std::size_t end = tree.nodes.size();
    for (std::size_t i = begin; i < end; ++i) {
      if (level == depth || (i + 1 < end && noise.one_in(4))) {
        tree.nodes[i].child = ~leaves++;
        continue;
      }
      tree.nodes[i] = {static_cast<std::int32_t>(tree.nodes.size()), threshold, feature, 0};
      tree.nodes.resize(tree.nodes.size() + 2);
    }
    begin = end;
  }
  tree.leaf_counts = Array2<std::uint32_t>(static_cast<std::size_t>(leaves), num_classes);
  for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
    if (!noise.one_in(5))
      for (std::size_t c = 0; c < num_classes; ++c)
        tree.leaf_counts(leaf, c) = static_cast<std::uint32_t>(noise.between(0, 3));
  return tree;
}

inline Forest noise_forest(std::size_t num_classes, int num_trees, const std::vector<std::string>& channels,
                           std::uint32_t seed) {
  Noise noise(seed);
  Forest forest;
  for (std::size_t c = 0; c < num_classes; ++c) {
    const auto level = static_cast<std::uint8_t>(c + 1);
    forest.classes.classes.push_back({"class " + std::to_string(c), {level, 0, 0}});
    forest.class_pixels.push_back(100 * (c + 1));
  }
  forest.classes.void_colors = {{0, 0, 0}};
  forest.preparation.channels = image::ChannelLayout(channels);
  for (int k = 0; k < num_trees; ++k)
    forest.labelling_trees().push_back(noise_tree(20 + 10 * k, num_classes, forest.preparation.channels, noise));
  return forest;
}

/// A noise_forest() with scores in its leaves; without reweighting, so that a tree votes the same by itself as first.
inline Forest noise_boosted(std::size_t num_classes, int num_trees, const std::vector<std::string>& channels,
                            std::uint32_t seed) {
  Forest forest = noise_forest(num_classes, num_trees, channels, seed);
  forest.kind = ForestKind::kBoosted;
  forest.leaves.reweight = false;
  Noise noise(seed);
  for (Tree& tree : forest.labelling_trees()) {
    tree.leaf_scores = Array2<float>(tree.num_leaves(), num_classes);
    for (float& score : tree.leaf_scores) score = 0.01f * static_cast<float>(noise.between(-400, 400));
  }
  return forest;
}

/// The same with ferns of the given depths instead of trees.
inline Forest noise_ferns(std::size_t num_classes, const std::vector<int>& depths,
                          const std::vector<std::string>& channels, std::uint32_t seed) {
  Forest forest = noise_forest(num_classes, 0, channels, seed);
  forest.kind = ForestKind::kFerns;
  Noise noise(seed);
  for (const int depth : depths)
    forest.labelling_trees().push_back(noise_fern(depth, num_classes, forest.preparation.channels, noise));
  return forest;
}

}  // namespace fernwood::forest
