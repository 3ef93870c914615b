// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <optional>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/evaluate/evaluate.h"
#include "fernwood/train/train.h"
#include "fernwood/tune/study.h"
#include "train/data/class_weights.h"
#include "train/stage_plan.h"

namespace fernwood::tune {

namespace {

/// A forest, and its training times.
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
  // The last stage may have ended early.
  grown.num_grown =
      static_cast<int>(train::plan_trees(options).size() + grown.forest.labelling_trees().size()) - options.trees;
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
      study.rows.push_back(measure_if_possible(variant));
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
  StudyRow measure_if_possible(const StudyVariant& variant) {
    try {
      return measure(variant);
    } catch (const Error& failure) {
      if (failure.kind() != ErrorKind::kUsage && failure.kind() != ErrorKind::kResource) throw;
      return {variant, {}, 0, 0, failure.what()};
    }
  }

  StudyRow measure(const StudyVariant& variant) {
    variant.train.check();
    const GrownForest& grown = forest_of(variant);
    const forest::Forest forest = forest_that_labels(variant, grown);
    const auto left_out = static_cast<double>(grown.forest.labelling_trees().size() - forest.labelling_trees().size());
    const std::unique_ptr<predict::Predictor> predictor = predict::make_predictor(
        forest,
        {.device = options_.resources.device, .threads = options_.resources.threads, .smoothing = variant.smoothing});
    const evaluate::EvaluationReport report = evaluate::evaluate(
        *predictor, forest, test_, {.turned_degrees = variant.turned_degrees}, pool_,
        [&](std::size_t done, std::size_t total) {
          tell(variant, "labelling", 0.5 + 0.5 * static_cast<double>(done) / static_cast<double>(total));
        });
    return {variant, report.metrics.without_void, 1000 * report.median_seconds(),
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

  static forest::Forest forest_that_labels(const StudyVariant& variant, const GrownForest& grown) {
    forest::Forest forest = grown.forest;
    const auto num_trees = static_cast<std::size_t>(variant.train.trees);
    if (num_trees < forest.labelling_trees().size()) forest.labelling_trees().resize(num_trees);
    forest.leaves.class_weights =
        train::resolve_class_weights(variant.train.class_weights, forest.classes, forest.class_pixels);
    return forest;
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
