// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/forest_space.h"

#include <algorithm>
#include <charconv>

#include "fernwood/image/channels.h"
#include "search/option_row.h"
#include "train/prune_tree.h"

namespace fernwood::search {

namespace {

using train::TrainOptions;

using Row = OptionRow<TrainOptions>;

/// The number that a person would write: 0.4 in place of 0.4000000059604645.
double as_written(float value) {
  char text[32];
  const char* const end = std::to_chars(text, text + sizeof text, value).ptr;
  double written = 0;
  std::from_chars(text, end, written);
  return written;
}

std::string join_sets(const std::vector<std::string>& sets) {
  std::string text;
  for (const std::string& set : sets) text += (text.empty() ? "" : ",") + set;
  return text;
}

std::vector<std::string> split_sets(const std::string& text) {
  std::vector<std::string> sets;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    sets.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return sets;
}

/// All sets of the base, and all but one; depth, by which features are scaled, always stays.
std::vector<std::string> channel_choices(const std::vector<std::string>& sets) {
  std::vector<std::string> choices = {join_sets(sets)};
  for (const std::string& left_out : sets) {
    std::vector<std::string> others = sets;
    std::erase(others, left_out);
    if (left_out != "depth" && !others.empty()) choices.push_back(join_sets(others));
  }
  return choices;
}

/// The same for a parameter that costs time, from a fifth to two and a half times the default: a search costs as much
/// more than a training for each preset.
Row cost_row(const char* name, int TrainOptions::*option, int most) {
  Row row = number_row(name, option, 1, most, true);
  row.parameter = [=](const TrainOptions& base) {
    const int standard = base.*option;
    return integer_parameter(name, std::max(1, standard / 5), std::min(most, standard + standard / 2 * 3), standard,
                             true);
  };
  return row;
}

Row real_row(const char* name, float TrainOptions::*option, double low, double high) {
  return {[=](const TrainOptions& base) {
            const double standard = as_written(base.*option);
            return real_parameter(name, std::min(low, standard), std::max(high, standard), standard);
          },
          [option](const std::string& at, const std::string& value, TrainOptions& options) {
            options.*option = parse_number<float>(at, value);
          }};
}

/// The rows that all kinds of forests have, with ranges of the two that kinds differ in.
std::vector<Row> rows_with(const Row& trees, const Row& max_depth) {
  return {trees,
          cost_row("samples_per_frame", &TrainOptions::samples_per_frame, 1000000),
          cost_row("features", &TrainOptions::features, 1000000),
          number_row("thresholds", &TrainOptions::thresholds, 10, 100, true),
          max_depth,
          number_row("min_samples", &TrainOptions::min_samples, 10, 1000, true),
          number_row("box_radius", &TrainOptions::box_radius, 20, 127, true),
          number_row("region_size", &TrainOptions::region_size, 3, 80, true),
          real_row("absolute_share", &TrainOptions::absolute_share, 0, 1),
          choice_row("sampling", &TrainOptions::sampling, train::kSamplings),
          {[](const TrainOptions& base) {
             return choice_parameter("channels", channel_choices(base.channels), join_sets(base.channels));
           },
           [](const std::string&, const std::string& value, TrainOptions& options) {
             options.channels = split_sets(value);
           }},
          {[](const TrainOptions& base) {
             return choice_parameter("stages", {"1", "2"}, std::to_string(std::min(base.stages, 2)));
           },
           [](const std::string& name, const std::string& value, TrainOptions& options) {
             options.stages = parse_number<int>(name, value);
           }},
          {[](const TrainOptions& base) {
             std::vector<std::string> words = {"data", "sqrt"};
             if (std::ranges::find(words, base.class_weights) == words.end()) words.push_back(base.class_weights);
             return choice_parameter("class_weights", words, base.class_weights);
           },
           [](const std::string&, const std::string& value, TrainOptions& options) { options.class_weights = value; }}};
}

const std::vector<Row>& rows_of(forest::ForestKind kind) {
  static const std::vector<Row> of_forests = rows_with(number_row("trees", &TrainOptions::trees, 1, 8, false),
                                                       number_row("max_depth", &TrainOptions::max_depth, 8, 24, false));
  static const std::vector<Row> of_boosted = [] {
    std::vector<Row> rows = rows_with(cost_row("trees", &TrainOptions::trees, 10000),
                                      number_row("max_depth", &TrainOptions::max_depth, 3, 10, false));
    rows.push_back(real_row("learning_rate", &TrainOptions::learning_rate, 0.03, 0.3));
    return rows;
  }();
  return kind == forest::ForestKind::kBoosted ? of_boosted : of_forests;
}

}  // namespace

Space forest_space(const TrainOptions& base, const dataset::Dataset& dataset) {
  TrainOptions named = base;
  if (named.channels.empty())
    for (const image::ChannelSet& set : image::channel_sets())
      if (set.by_default && (dataset.has_color() || !set.needs_color) && (dataset.has_depth() || !set.needs_depth))
        named.channels.emplace_back(set.name);
  return space_of(rows_of(base.kind), named);
}

TrainOptions options_of(const Setting& setting, const TrainOptions& base) {
  return apply_setting(rows_of(base.kind), setting, base);
}

std::vector<Setting> free_variants(const Setting& setting, const Space& space, const TrainOptions& base) {
  const TrainOptions options = options_of(setting, base);
  std::vector<int> trees = {options.trees}, depths = {options.max_depth}, samples = {options.min_samples};
  if (options.stages > 1) {
    // earlier stages have as many trees
  } else if (options.kind == forest::ForestKind::kBoosted) {
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
  if (options.stages == 1)  // what a stage tells the next depends on the weights
    for (const Parameter& parameter : space.parameters())
      if (parameter.name == "class_weights")
        std::ranges::copy_if(parameter.choices, std::back_inserter(weights),
                             [&](const std::string& word) { return word != options.class_weights; });
  std::vector<Setting> variants;
  for (const int max_depth : depths)
    for (const int min_samples : samples)
      for (const std::string& class_weights : weights)
        for (const int num_trees : trees) {
          Setting variant = setting;
          variant["trees"] = std::to_string(num_trees);
          variant["max_depth"] = std::to_string(max_depth);
          variant["min_samples"] = std::to_string(min_samples);
          variant["class_weights"] = class_weights;
          if (variant == setting || space.has(variant)) variants.push_back(std::move(variant));
        }
  return variants;
}

}  // namespace fernwood::search
