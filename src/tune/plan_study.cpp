// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/text.h"
#include "fernwood/tune/study.h"

namespace fernwood::tune {

namespace {

constexpr int kMaxTrees = 10, kMaxSamples = 1000000;
constexpr int kSmoothingPx[] = {0, 40, 80};
constexpr int kTurnedDegrees[] = {15, 30};

struct GroupName {
  StudyGroup group;
  std::string_view name, title;
};
// In the order of StudyGroup.
constexpr GroupName kGroupNames[] = {{StudyGroup::kChannels, "channels", "channels"},
                                     {StudyGroup::kAbsolute, "absolute", "absolute responses"},
                                     {StudyGroup::kStages, "stages", "stages"},
                                     {StudyGroup::kTrees, "trees", "trees"},
                                     {StudyGroup::kSamples, "samples", "samples per frame"},
                                     {StudyGroup::kSmoothing, "smoothing", "smoothing"},
                                     {StudyGroup::kWeights, "weights", "class weights"},
                                     {StudyGroup::kRotation, "rotation", "rotation of the frames"}};

/// Sets of the base for which `keep` holds, in the base's order.
template <typename Keep>
std::vector<std::string> sets_with(const image::ChannelLayout& channels, const Keep& keep) {
  std::vector<std::string> names;
  for (const image::ChannelSet* set : channels.sets())
    if (keep(*set)) names.emplace_back(set->name);
  return names;
}

struct ChannelChoice {
  std::string name;
  std::vector<std::string> sets;
};

/// Choices among the base's sets, with all their names: of two sets, leaving out one means using only the other.
std::vector<ChannelChoice> choose_channels(const image::ChannelLayout& channels) {
  std::vector<ChannelChoice> choices;
  const auto add = [&](const std::string& name, const std::vector<std::string>& sets) {
    if (sets.empty() || sets.size() == channels.sets().size()) return;
    const auto same = std::ranges::find(choices, sets, &ChannelChoice::sets);
    if (same == choices.end()) return choices.push_back({name, sets});
    same->name += " = " + name;
  };
  add("colour only", sets_with(channels, [](const image::ChannelSet& set) { return !set.needs_depth; }));
  add("depth only", sets_with(channels, [](const image::ChannelSet& set) { return !set.needs_color; }));
  for (const std::string& name : channels.set_names())
    add("without " + name, sets_with(channels, [&](const image::ChannelSet& set) { return set.name != name; }));
  for (const std::string& name : channels.set_names()) add(name + " alone", {name});
  return choices;
}

class Plan {
 public:
  Plan(const train::TrainOptions& train, std::size_t num_trees, const predict::Smoothing& smoothing)
      : base_{{}, "base", train, train, smoothing, 0}, num_trees_(num_trees) {}

  void add(StudyGroup group) {
    switch (group) {
      case StudyGroup::kChannels:
        return add_channels();
      case StudyGroup::kAbsolute:
        return add_absolute();
      case StudyGroup::kStages:
        return add_stages();
      case StudyGroup::kTrees:
        return add_trees();
      case StudyGroup::kSamples:
        return add_samples();
      case StudyGroup::kSmoothing:
        return add_smoothing();
      case StudyGroup::kWeights:
        return add_weights();
      case StudyGroup::kRotation:
        return add_rotation();
    }
  }

  std::vector<StudyVariant> variants;

 private:
  StudyVariant& add(StudyGroup group, const std::string& name) {
    StudyVariant& variant = variants.emplace_back(base_);
    variant.group = group;
    variant.name = name;
    return variant;
  }
  /// A variant that requires its own training.
  void add_training(StudyGroup group, const std::string& name, const train::TrainOptions& train) {
    StudyVariant& variant = add(group, name);
    variant.train = variant.grown = train;
  }

  void add_channels() {
    for (const ChannelChoice& choice : choose_channels(image::ChannelLayout(base_.train.channels))) {
      train::TrainOptions train = base_.train;
      train.channels = choice.sets;
      add_training(StudyGroup::kChannels, choice.name, train);
    }
  }

  /// Adds a training for each value of an option other than the base's.
  template <typename Value, typename NameOf>
  void add_values(StudyGroup group, Value train::TrainOptions::*option, const std::vector<Value>& values,
                  const NameOf& name_of) {
    for (const Value value : values) {
      train::TrainOptions train = base_.train;
      if (value == train.*option) continue;
      train.*option = value;
      add_training(group, name_of(value), train);
    }
  }

  void add_absolute() {
    add_values(StudyGroup::kAbsolute, &train::TrainOptions::unary_feature_fraction, {0.0f, 1.0f},
               [](float share) { return share > 0 ? "absolute responses alone" : "no absolute responses"; });
  }

  void add_stages() {
    add_values(StudyGroup::kStages, &train::TrainOptions::cascade, {1, 2},
               [](int stages) { return stages > 1 ? std::to_string(stages) + " stages" : "1 stage"; });
  }

  void add_trees() {
    train::TrainOptions grown = base_.train;
    grown.early_stopping_rounds = 0;
    grown.trees = std::max(grown.trees, kMaxTrees);
    for (int trees = 1; trees <= kMaxTrees; ++trees) {
      if (static_cast<std::size_t>(trees) == num_trees_) continue;
      StudyVariant& variant = add(StudyGroup::kTrees, trees > 1 ? std::to_string(trees) + " trees" : "1 tree");
      variant.train = variant.grown = grown;
      variant.train.trees = trees;
    }
  }

  void add_samples() {
    const int base = base_.train.samples_per_frame;
    std::vector<int> numbers = {base / 4, base / 2, base * 2};
    std::erase_if(numbers, [](int samples) { return samples < 1 || samples > kMaxSamples; });
    add_values(StudyGroup::kSamples, &train::TrainOptions::samples_per_frame, numbers,
               [](int samples) { return std::to_string(samples) + (samples > 1 ? " samples" : " sample"); });
  }

  void add_smoothing() {
    for (const int extent_px : kSmoothingPx) {
      if (extent_px == base_.smoothing.extent()) continue;
      add(StudyGroup::kSmoothing, extent_px > 0 ? format_text("smoothing %d px", extent_px) : "no smoothing")
          .smoothing.extent_px = extent_px;
    }
  }

  /// The output of a stage for the next one depends on the weights, so forests with stages are trained anew.
  void add_weights() {
    for (const char* weights : {"data", "sqrt"}) {
      if (weights == base_.train.class_weights) continue;
      StudyVariant& variant = add(StudyGroup::kWeights, std::string("class weights ") + weights);
      variant.train.class_weights = weights;
      if (variant.train.cascade > 1) variant.grown = variant.train;
    }
  }

  void add_rotation() {
    for (const int degrees : kTurnedDegrees)
      add(StudyGroup::kRotation, format_text("turned by %d°", degrees)).turned_degrees = degrees;
  }

  StudyVariant base_;
  std::size_t num_trees_;
};

}  // namespace

std::string to_string(StudyGroup group) { return std::string(kGroupNames[static_cast<std::size_t>(group)].name); }
std::string group_title(StudyGroup group) { return std::string(kGroupNames[static_cast<std::size_t>(group)].title); }

std::vector<StudyGroup> parse_study_groups(const std::vector<std::string>& names) {
  if (names.empty()) return {kStudyGroups.begin(), kStudyGroups.end()};
  std::vector<StudyGroup> groups;
  for (const std::string& name : names) groups.push_back(parse_name("only", name, kStudyGroups));
  std::ranges::sort(groups);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

std::vector<StudyVariant> plan_study(const train::TrainOptions& train, std::size_t num_trees,
                                     const predict::Smoothing& smoothing, const std::vector<StudyGroup>& groups) {
  const DefaultFloats floats;
  Plan plan(train, num_trees, smoothing);
  for (const StudyGroup group : groups) plan.add(group);
  return std::move(plan.variants);
}

}  // namespace fernwood::tune
