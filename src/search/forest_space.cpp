// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/forest_space.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/image/channels.h"
#include "train/prune_tree.h"

namespace fernwood::search {

namespace {

using train::TrainOptions;

/// A row of the table: what is chosen, and where training has it.
struct Row {
  std::function<Parameter(const TrainOptions& base)> parameter;
  std::function<void(const std::string& name, const std::string& value, TrainOptions& options)> apply;
};

template <typename Number>
Number parse_number(const std::string& name, const std::string& value) {
  Number number{};
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
  FW_CHECK(failure == std::errc() && end == value.data() + value.size(), Usage,
           name << " is \"" << value << "\", not a number; give one");
  return number;
}

Row number_row(const char* name, int TrainOptions::*option, int low, int high, bool logarithmic) {
  return {[=](const TrainOptions& base) {
            return integer_parameter(name, std::min(low, base.*option), std::max(high, base.*option), base.*option,
                                     logarithmic);
          },
          [option](const std::string& at, const std::string& value, TrainOptions& options) {
            options.*option = parse_number<int>(at, value);
          }};
}

template <typename Value, std::size_t kCount>
Row choice_row(const char* name, Value TrainOptions::*option, const std::array<Value, kCount>& values) {
  return {[name, option, values](const TrainOptions& base) {
            std::vector<std::string> words;
            for (const Value value : values) words.push_back(to_string(value));
            return choice_parameter(name, words, to_string(base.*option));
          },
          [option, values](const std::string& at, const std::string& word, TrainOptions& options) {
            options.*option = parse_name(at, word, values);
          }};
}

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

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      number_row("trees", &TrainOptions::trees, 1, 8, false),
      number_row("samples_per_frame", &TrainOptions::samples_per_frame, 200, 4000, true),
      number_row("features", &TrainOptions::features, 200, 4000, true),
      number_row("thresholds", &TrainOptions::thresholds, 10, 100, true),
      number_row("max_depth", &TrainOptions::max_depth, 8, 24, false),
      number_row("min_samples", &TrainOptions::min_samples, 10, 1000, true),
      number_row("box_radius", &TrainOptions::box_radius, 20, 127, true),
      number_row("region_size", &TrainOptions::region_size, 3, 80, true),
      {[](const TrainOptions& base) { return real_parameter("absolute_share", 0, 1, as_written(base.absolute_share)); },
       [](const std::string& name, const std::string& value, TrainOptions& options) {
         options.absolute_share = parse_number<float>(name, value);
       }},
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
  return table;
}

bool has(const Space& space, const Setting& setting) {
  try {
    space.check(setting);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Space forest_space(const TrainOptions& base, const dataset::Dataset& dataset) {
  TrainOptions named = base;
  if (named.channels.empty())
    for (const image::ChannelSet& set : image::channel_sets())
      if (set.by_default && (dataset.has_color() || !set.needs_color) && (dataset.has_depth() || !set.needs_depth))
        named.channels.emplace_back(set.name);
  std::vector<Parameter> parameters;
  for (const Row& row : rows()) parameters.push_back(row.parameter(named));
  return Space(std::move(parameters));
}

TrainOptions options_of(const Setting& setting, const TrainOptions& base) {
  TrainOptions options = base;
  for (const Row& row : rows()) {
    const std::string name = row.parameter(base).name;
    const auto found = setting.find(name);
    if (found != setting.end()) row.apply(name, found->second, options);
  }
  options.check();
  return options;
}

std::vector<Setting> free_variants(const Setting& setting, const Space& space, const TrainOptions& base) {
  const TrainOptions options = options_of(setting, base);
  std::vector<int> trees = {options.trees}, depths = {options.max_depth}, samples = {options.min_samples};
  if (options.stages == 1)  // earlier stages have as many trees
    for (int fewer = options.trees - 1; fewer >= 1; --fewer) trees.push_back(fewer);
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
          if (variant == setting || has(space, variant)) variants.push_back(std::move(variant));
        }
  return variants;
}

std::string to_config(const Setting& setting) {
  std::string text;
  for (const auto& [name, value] : setting) {
    std::string key = name;
    std::ranges::replace(key, '_', '-');
    const bool is_number = !value.empty() && value.find_first_not_of("0123456789.e-+") == std::string::npos;
    text += key + " = " + (is_number ? value : "\"" + value + "\"") + "\n";
  }
  return text;
}

}  // namespace fernwood::search
