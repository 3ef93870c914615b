// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Random forests with context stages.

#include <utility>

#include "forest/noise.h"

namespace fernwood::forest {

/// Adds class-probability channels for the forest's classes.
inline void add_context_channels(Forest& forest) {
  std::vector<std::string> names;
  for (const image::ClassInfo& info : forest.classes.classes) names.push_back(info.name);
  forest.preparation.channels = image::ChannelLayout(forest.preparation.channels.set_names(), names);
}

/// Makes each stage with trees(stage, channels, noise); the last stage predicts the labels.
template <typename MakeTrees>
Forest noise_stages(Forest forest, std::size_t num_stages, std::uint32_t seed, const MakeTrees& trees) {
  const image::ChannelLayout base = forest.preparation.channels;
  add_context_channels(forest);
  Noise noise(seed);
  forest.stages.clear();
  for (std::size_t s = 0; s < num_stages; ++s)
    forest.stages.push_back(trees(s, s == 0 ? base : forest.preparation.channels, noise));
  return forest;
}

/// @param num_trees  Number of trees, indexed [stage].
inline Forest noise_staged_forest(std::size_t num_classes, const std::vector<int>& num_trees,
                                  const std::vector<std::string>& channels, std::uint32_t seed) {
  return noise_stages(noise_forest(num_classes, 0, channels, seed), num_trees.size(), seed,
                      [&](std::size_t stage, const image::ChannelLayout& layout, Noise& noise) {
                        std::vector<Tree> trees;
                        for (int k = 0; k < num_trees[stage]; ++k)
                          trees.push_back(noise_tree(20 + 10 * k, num_classes, layout, noise));
                        return trees;
                      });
}

/// @param depths  Depth of each fern, indexed [stage][fern].
inline Forest noise_staged_ferns(std::size_t num_classes, const std::vector<std::vector<int>>& depths,
                                 const std::vector<std::string>& channels, std::uint32_t seed) {
  return noise_stages(noise_ferns(num_classes, {}, channels, seed), depths.size(), seed,
                      [&](std::size_t stage, const image::ChannelLayout& layout, Noise& noise) {
                        std::vector<Tree> ferns;
                        for (const int depth : depths[stage])
                          ferns.push_back(noise_fern(depth, num_classes, layout, noise));
                        return ferns;
                      });
}

}  // namespace fernwood::forest
