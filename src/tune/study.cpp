// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/tune/study.h"

#include <algorithm>
#include <optional>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/train/train.h"
#include "train/data/class_weights.h"
#include "tune/forest_problem.h"

namespace fernwood::tune {

namespace {

constexpr int kMaxTrees = 10, kMaxSamples = 1000000;
constexpr int kSmoothingPx[] = {0, 40, 80};
constexpr int kTurnedDegrees[] = {15, 30};

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

  std::vector<StudyVariant> variants;

  void add_channels() {
    for (const ChannelChoice& choice : choose_channels(image::ChannelLayout(base_.train.channels))) {
      train::TrainOptions train = base_.train;
      train.channels = choice.sets;
      add_training(StudyGroup::kChannels, choice.name, train);
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

 private:
  StudyVariant& add(StudyGroup group, const std::string& name) {
    StudyVariant& variant = variants.emplace_back(base_);
    variant.group = group;
    variant.name = name;
    return variant;
  }
  void add_training(StudyGroup group, const std::string& name, const train::TrainOptions& train) {
    StudyVariant& variant = add(group, name);
    variant.train = variant.grown = train;
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

  StudyVariant base_;
  std::size_t num_trees_;
};

/// Name and title of a group, and what adds its variants.
struct GroupRow {
  std::string_view name, title;
  void (Plan::*add)();
};
// In the order of StudyGroup.
constexpr GroupRow kGroupRows[] = {{"channels", "channels", &Plan::add_channels},
                                   {"absolute", "absolute responses", &Plan::add_absolute},
                                   {"stages", "stages", &Plan::add_stages},
                                   {"trees", "trees", &Plan::add_trees},
                                   {"samples", "samples per frame", &Plan::add_samples},
                                   {"smoothing", "smoothing", &Plan::add_smoothing},
                                   {"weights", "class weights", &Plan::add_weights},
                                   {"rotation", "rotation of the frames", &Plan::add_rotation}};

const GroupRow& row_of(StudyGroup group) { return kGroupRows[static_cast<std::size_t>(group)]; }

}  // namespace

std::string to_string(StudyGroup group) { return std::string(row_of(group).name); }
std::string group_title(StudyGroup group) { return std::string(row_of(group).title); }

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
  for (const StudyGroup group : groups) (plan.*row_of(group).add)();
  return std::move(plan.variants);
}

namespace {

struct GrownForest {
  std::string key;  ///< Of its training: equal options give equal forests.
  forest::Forest forest;
  double seconds_once = 0;    ///< Time that does not depend on the trees of the last stage.
  double seconds_a_tree = 0;  ///< For each tree of any stage and fold.
  int num_grown = 0;          ///< Trees of all stages and folds.
  std::vector<Warning> warnings = {};
};

/// All options of training in which the variants of one base may differ.
std::string key_of(const train::TrainOptions& options) {
  std::string key = train::to_json(options) + " " + options.class_weights;
  for (const std::string& set : options.channels) key += " " + set;
  return key;
}

GrownForest grow(const dataset::Dataset& dataset, const train::TrainOptions& options,
                 const train::TrainResources& resources, const train::TrainHooks& hooks) {
  train::TrainReport report;
  GrownForest grown{key_of(options), train::train_forest(dataset, options, resources, hooks, &report)};
  grown.warnings = report.warnings;
  grown.num_grown = std::max(1, static_cast<int>(std::ranges::count(report.levels, 0, &train::LevelReport::level)));
  grown.seconds_once = report.seconds_loading + report.seconds_context;
  grown.seconds_a_tree = (report.seconds_sampling + report.seconds_growing) / grown.num_grown;
  return grown;
}

/// Finds errors that would otherwise occur only after the training of the base. @return  Dataset::class_warnings().
std::vector<std::string> check_data(const dataset::Dataset& train, const dataset::Dataset& test,
                                    const StudyOptions& options, ThreadPool& pool) {
  const std::vector<std::string>& sets = options.train.channels;
  const bool needs_color = sets.empty() ? train.has_color() : image::ChannelLayout(sets).needs_color();
  const bool needs_depth = sets.empty() ? train.has_depth() : image::ChannelLayout(sets).needs_depth();
  FW_CHECK(test.has_color() || !needs_color, Data,
           test.folder().string() << ": the data set has no colour images, which the forest reads; choose "
                                  << named_option("channels") << " without colour, or give frames that have it");
  FW_CHECK(test.has_depth() || !needs_depth, Data,
           test.folder().string() << ": the data set has no depth images, which the forest reads; choose "
                                  << named_option("channels") << " without depth, or give frames that have it");
  const image::ClassMap classes = train.scan_truth(pool).classes;
  test.scan_truth(pool, &classes);  // throws for a colour that the forests cannot know
  return test.class_warnings(pool, classes);
}

class StudyRunner {
 public:
  StudyRunner(const dataset::Dataset& train, const dataset::Dataset& test, const StudyOptions& options,
              const StudyHooks& hooks)
      : train_(train), test_(test), options_(options), hooks_(hooks), pool_(options.resources.threads) {}

  Study run() {
    Study study;
    add_warnings(study.warnings, "classes", check_data(train_, test_, options_, pool_));
    add_warnings(study.warnings, "input", test_.input_warnings());
    if (hooks_.warn) std::ranges::for_each(study.warnings, hooks_.warn);
    study.base = measure({{}, "base", options_.train, options_.train, options_.smoothing, 0});
    StudyVariant& base = study.base.variant;
    base.train.channels = base.grown.channels = base_->forest.preparation.channels.set_names();
    base_->key = key_of(base.grown);
    study.warnings.insert(study.warnings.end(), base_->warnings.begin(), base_->warnings.end());
    const std::vector<StudyVariant> plan = plan_study(base.train, base_->forest.labelling_trees().size(),
                                                      options_.smoothing, parse_study_groups(options_.only));
    num_variants_ = plan.size();
    for (const StudyVariant& variant : plan) {
      try {
        study.rows.push_back(measure(variant));
      } catch (const Error& failure) {
        if (failure.kind() != ErrorKind::kUsage && failure.kind() != ErrorKind::kResource) throw;
        study.rows.push_back({variant, {}, 0, 0, failure.what()});
      }
      ++num_done_;
    }
    study.train_folder = train_.folder().string();
    study.test_folder = test_.folder().string();
    study.train_frames = train_.size();
    study.test_frames = test_.size();
    study.device = to_string(choose_device(options_.resources.device).device);
    return study;
  }

 private:
  StudyRow measure(const StudyVariant& variant) {
    variant.train.check();
    const GrownForest& grown = forest_of(variant);
    forest::Forest forest = grown.forest;
    const auto num_trees = static_cast<std::size_t>(variant.train.trees);
    if (num_trees < forest.labelling_trees().size()) forest.labelling_trees().resize(num_trees);
    forest.leaves.class_weights =
        train::resolve_class_weights(variant.train.class_weights, forest.classes, forest.class_pixels);
    const auto left_out = static_cast<double>(grown.forest.labelling_trees().size() - forest.labelling_trees().size());
    const search::EvaluatedForest evaluated = evaluate_frames(
        forest, test_,
        {.device = options_.resources.device, .threads = options_.resources.threads, .smoothing = variant.smoothing},
        variant.turned_degrees, pool_, [&](std::size_t done, std::size_t total) {
          tell(variant, "labelling", 0.5 + 0.5 * static_cast<double>(done) / static_cast<double>(total));
        });
    return {variant, evaluated.accuracy, evaluated.time,
            grown.seconds_once + grown.seconds_a_tree * (grown.num_grown - left_out), ""};
  }

  /// Caches the base's forest and the last other one: variants that share a forest are consecutive.
  const GrownForest& forest_of(const StudyVariant& variant) {
    const std::string key = key_of(variant.grown);
    for (const std::optional<GrownForest>* kept : {&base_, &other_})
      if (*kept && (*kept)->key == key) return **kept;
    std::optional<GrownForest>& place = base_ ? other_ : base_;
    place.reset();  // before the next one allocates memory
    train::TrainHooks hooks;
    hooks.progress = [&](const train::TrainProgress& now) {
      const bool growing = now.phase == train::TrainProgress::Phase::kGrowing;
      tell(variant, to_string(now.phase), growing ? 0.5 * now.done : 0);
    };
    hooks.stop = hooks_.stop;
    if (!base_) hooks.warn = hooks_.warn;  // the others would repeat it
    return place.emplace(grow(train_, variant.grown, options_.resources, hooks));
  }

  /// @param done  Share of the variant's work; training and labelling count half each.
  void tell(const StudyVariant& variant, const std::string& work, double done) const {
    FW_CHECK(!hooks_.stop.stop_requested(), Interrupted, "the study was interrupted");
    if (!hooks_.progress) return;
    const bool base = !variant.group;
    hooks_.progress({variant.name, work, base,
                     base ? done : (static_cast<double>(num_done_) + done) / static_cast<double>(num_variants_)});
  }

  const dataset::Dataset &train_, &test_;
  const StudyOptions& options_;
  const StudyHooks& hooks_;
  ThreadPool pool_;
  std::optional<GrownForest> base_, other_;
  std::size_t num_variants_ = 0, num_done_ = 0;
};

}  // namespace

OptionTable<StudyOptions> StudyOptions::table() {
  static constexpr std::array kRows = {
      option<&StudyOptions::only>("only", "Groups of variants, separated by commas")
          .names([] { return names_of(kStudyGroups); })
          .default_means("all"),
  };
  return kRows;
}

void StudyOptions::check() const {
  train.check();
  smoothing.check();
  parse_study_groups(only);
}

Study run_study(const dataset::Dataset& train, const dataset::Dataset& test, const StudyOptions& options,
                const StudyHooks& hooks) {
  const DefaultFloats floats;
  options.check();
  return StudyRunner(train, test, options, hooks).run();
}

}  // namespace fernwood::tune
