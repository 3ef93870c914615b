// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "tune/forest_problem.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/image/channels.h"
#include "search/option_space.h"
#include "train/grow/grow_tree.h"

namespace fernwood::tune {

using namespace search;

namespace {

using train::TrainOptions;

/// All sets of the base, and all but one; depth, which scales features, always stays.
std::vector<std::string> channel_choices(const std::vector<std::string>& sets) {
  std::vector<std::string> choices = {join(sets, ",")};
  for (const std::string& left_out : sets) {
    std::vector<std::string> others = sets;
    std::erase(others, left_out);
    if (left_out != "depth" && !others.empty()) choices.push_back(join(others, ","));
  }
  return choices;
}

}  // namespace

Space forest_space(const TrainOptions& base, const dataset::Dataset& dataset) {
  TrainOptions named = base;
  if (named.channels.empty())
    for (const image::ChannelSet& set : image::channel_sets())
      if (set.by_default && (dataset.has_color() || !set.needs_color) && (dataset.has_depth() || !set.needs_depth))
        named.channels.emplace_back(set.name);
  return space_of(TrainOptions::table(), named, [&](const Option<TrainOptions>& row) {
    FW_CHECK(row.name == "channels", Usage, row.name << " has no parameter; add one here");
    return choice_parameter("channels", channel_choices(named.channels), join(named.channels, ","));
  });
}

TrainOptions options_of(const Configuration& configuration, const TrainOptions& base) {
  return apply_configuration(configuration, base);
}

std::vector<Configuration> free_variants(const Configuration& configuration, const Space& space,
                                         const TrainOptions& base) {
  const TrainOptions options = options_of(configuration, base);
  std::vector<int> trees = {options.trees}, depths = {options.max_depth}, samples = {options.min_samples};
  if (options.cascade > 1) {
    // earlier stages have the same number of trees
  } else if (options.algorithm == forest::ForestKind::kBoosted) {
    for (const int share : {2, 4})
      if (options.trees >= share) trees.push_back(options.trees / share);
  } else {
    for (int fewer = options.trees - 1; fewer >= 1; --fewer) trees.push_back(fewer);
  }
  if (train::is_prunable(options)) {
    depths.push_back(options.max_depth - 4);
    for (const int times : {3, 9}) samples.push_back(options.min_samples * times);
  }
  std::vector<std::string> weights = {options.class_weights};
  if (options.cascade == 1)  // the output of a stage for the next one depends on the weights
    for (const Parameter& parameter : space.parameters())
      if (parameter.name == "class_weights")
        std::ranges::copy_if(parameter.choices, std::back_inserter(weights),
                             [&](const std::string& word) { return word != options.class_weights; });
  std::vector<Configuration> variants;
  for (const int max_depth : depths)
    for (const int min_samples : samples)
      for (const std::string& class_weights : weights)
        for (const int num_trees : trees) {
          Configuration variant = configuration;
          variant["trees"] = std::to_string(num_trees);
          variant["max_depth"] = std::to_string(max_depth);
          variant["min_samples"] = std::to_string(min_samples);
          variant["class_weights"] = class_weights;
          if (variant == configuration || space.has(variant)) variants.push_back(std::move(variant));
        }
  return variants;
}

}  // namespace fernwood::tune
