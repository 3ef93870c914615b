// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/stream_options.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/json_text.h"
#include "core/result_json.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"

namespace fernwood::stream {

std::string to_string(Schedule schedule) {
  constexpr std::array kNames = {"passes", "fresh", "hoeffding", "adaptive", "forest"};
  return kNames[static_cast<std::size_t>(schedule)];
}

std::string to_string(LeafPrediction prediction) {
  return prediction == LeafPrediction::kMajority ? "majority" : "naive-bayes-adaptive";
}

std::string to_string(Subspace subspace) { return subspace == Subspace::kLeaf ? "leaf" : "tree"; }

namespace {

StreamOptions forest_options() {
  StreamOptions options;
  options.schedule = Schedule::kForest;
  options.criterion = records::Criterion::kEntropy;
  options.failure_probability = 0.01;
  options.tie = 0.1;
  options.bins = 12;
  options.drift_delta = 0.001;
  options.leaf_prediction = LeafPrediction::kNaiveBayesAdaptive;
  return options;
}

}  // namespace

StreamOptions StreamOptions::for_schedule(Schedule schedule, records::Task task) {
  if (schedule == Schedule::kForest) return forest_options();
  StreamOptions options;
  options.schedule = schedule;
  if (schedule == Schedule::kPasses || schedule == Schedule::kFresh) return options;
  options.failure_probability = 0.05;
  options.tie = 0.1;
  options.bins = 64;
  if (task == records::Task::kRegression) return options;
  options.criterion = records::Criterion::kEntropy;
  options.leaf_prediction = LeafPrediction::kNaiveBayesAdaptive;
  return options;
}

namespace {

using O = StreamOptions;

bool is_adaptive(const O& options) { return options.schedule == Schedule::kAdaptive; }
bool is_forest(const O& options) { return options.schedule == Schedule::kForest; }
bool detects_drift(const O& options) { return is_adaptive(options) || is_forest(options); }
bool predicts_targets(const O& options) { return options.predicts_targets(); }
bool in_passes(const O& options) { return options.schedule == Schedule::kPasses; }

constexpr std::array kRows = {
    choice_option<kSchedules, &O::schedule>(
        "schedule",
        "Which records a level is grown from: all again (passes), new ones (fresh), new ones until the Hoeffding "
        "bound decides (hoeffding), likewise with parts replaced where the stream has changed (adaptive), or record by "
        "record in several trees (forest)")
        .stored(),
    choice_option<records::kTasks, &O::task>(
        "task", "Type of the labels: classes (also with auto) or, with regression, numbers")
        .stored(predicts_targets),
    option<&O::target_range>("target-range", "Regression: range of the targets; unset: estimated from the first batch")
        .takes("LOW:HIGH")
        .default_means("from the stream")
        .stored([](const O& options) { return !options.target_range.empty(); }),
    choice_option<records::kCriteria, &O::criterion>("criterion", "Split criterion of classification")
        .default_means("gini; with hoeffding, adaptive and forest entropy")
        .stored([](const O& options) { return !options.predicts_targets(); }),
    option<&O::bins>("bins", "Histogram bins per attribute and leaf")
        .in(from_to(2, 255))
        .default_means("255; with hoeffding and adaptive 64, with forest 12")
        .stored(),
    option<&O::max_depth>("max-depth", "Maximum depth of the tree: levels below the root")
        .in(from_to(1, kMaxDepth))
        .stored(),
    option<&O::max_leaves>("max-leaves", "Maximum number of leaves, best splits of a level first; 0: no limit")
        .in(from_to(0, 1 << 24))
        .stored(),
    option<&O::min_samples>("min-samples", "A leaf with fewer records is not split").in(at_least(2)).stored(),
    option<&O::min_leaf_samples>("min-leaf-samples", "Minimum number of records on each side of a split")
        .in(at_least(1))
        .stored(),
    option<&O::min_gain>("min-gain", "Minimum decrease of impurity by a split").in(from_to(0, 1e9)).stored(),
    option<&O::samples_per_leaf>("samples-per-leaf", "Schedule fresh: records read per open leaf and level")
        .in(from_to(1, 1000000000))
        .stored(),
    option<&O::batch>("batch", "Schedules hoeffding and adaptive: records between two rounds of decisions")
        .in(from_to(1, 1000000000))
        .stored(),
    option<&O::grace_period>("grace-period",
                             "Schedules hoeffding, adaptive and forest: records that a leaf sees between two decisions")
        .in(from_to(1, 1000000000))
        .stored(),
    option<&O::failure_probability>("failure-probability",
                                    "Failure probability (delta) of the Hoeffding bound; 0 disables it")
        .in(from_below(0, 1))
        .default_means("0; with hoeffding and adaptive 0.05, with forest 0.01")
        .stored(),
    option<&O::tie>("tie", "Attributes whose gains differ by less are equally good")
        .default_means("0.05; with hoeffding, adaptive and forest 0.1")
        .in(from_to(0, 1e9))
        .stored(),
    option<&O::prune>("prune", "Prune at the end by minimum description length").stored(),
    choice_option<kLeafPredictions, &O::leaf_prediction>("leaf-prediction",
                                                         "Not with passes: leaves classify by the class of most "
                                                         "records, or by naive Bayes where it is right more often")
        .default_means("majority; with hoeffding, adaptive and forest naive-bayes-adaptive")
        .stored([](const O& options) { return !in_passes(options) && !options.predicts_targets(); }),
    option<&O::drift_delta>("drift-delta",
                            "Schedules adaptive and forest: confidence of the drift detector, ADWIN's delta")
        .in(OptionRange{0, 1, true, true})
        .default_means("0.002; with forest 0.001")
        .stored(detects_drift),
    option<&O::switch_significance>("switch-significance",
                                    "Schedule adaptive: significance of the test that replaces a part of the tree")
        .in(OptionRange{0, 1, true, true})
        .stored(is_adaptive),
    option<&O::drift_window>(
        "drift-window", "Schedule adaptive: minimum number of records on which a part and its alternate are compared")
        .in(at_least(1))
        .stored(is_adaptive),
    option<&O::trees>("trees", "Schedule forest: number of trees").in(from_to(1, 10000)).stored(is_forest),
    choice_option<kSubspaces, &O::subspace>(
        "subspace",
        "Schedule forest: a random subset of the attributes for each leaf (adaptive "
        "random forest) or for each tree (streaming random patches)")
        .stored(is_forest),
    option<&O::warning_delta>("warning-delta",
                              "Schedule forest: confidence of the warning that begins a tree in the background")
        .in(OptionRange{0, 1, true, true})
        .stored(is_forest),
    option<&O::seed>("seed", "Schedule forest: seed of the weights of records and of subspaces").stored(is_forest),
};

/// Options of the other schedules that a forest does not have.
void check_forest(const O& options) {
  const O defaults;
  const auto refuse = [](bool is_set, const char* name) {
    if (is_set)
      throw OptionError(name, "set", OptionSentence{"{} does not have it; leave it out", {{"schedule", "forest"}}});
  };
  refuse(options.max_leaves != defaults.max_leaves, "max-leaves");
  refuse(options.min_samples != defaults.min_samples, "min-samples");
  refuse(options.min_leaf_samples != defaults.min_leaf_samples, "min-leaf-samples");
  refuse(options.min_gain != defaults.min_gain, "min-gain");
  refuse(options.prune, "prune");
}

bool is_finite(const std::string& text, double& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc() && stop == end && std::isfinite(number);
}

void check_task(const StreamOptions& options) {
  if (!options.predicts_targets()) {
    if (!options.target_range.empty())
      throw OptionError("target-range", options.target_range,
                        OptionSentence{"only {} has targets; leave it out", {{"task", "regression"}}});
    return;
  }
  options.known_targets();
  if (is_adaptive(options))
    throw OptionError(
        "schedule", "adaptive",
        OptionSentence{
            "it detects drift by misclassification, so it needs classes; with {} give passes, fresh or hoeffding",
            {{"task", "regression"}}});
  if (is_forest(options)) return;
  records::check_criterion(options.criterion, options.predicts_targets());
  if (options.leaf_prediction != LeafPrediction::kMajority)
    throw OptionError("leaf-prediction", to_string(options.leaf_prediction),
                      OptionSentence{"naive Bayes is for classes; use majority with {}", {{"task", "regression"}}});
  if (options.prune)
    throw OptionError(
        "prune", "true",
        OptionSentence{"minimum description length is defined for classification only; leave it out with {}",
                       {{"task", "regression"}}});
}

}  // namespace

OptionTable<StreamOptions> StreamOptions::table() { return kRows; }

std::optional<std::pair<double, double>> StreamOptions::known_targets() const {
  if (target_range.empty()) return {};
  const std::size_t colon = target_range.find(':');
  double lowest = 0, highest = 0;
  const bool are_numbers = colon != std::string::npos && is_finite(target_range.substr(0, colon), lowest) &&
                           is_finite(target_range.substr(colon + 1), highest);
  if (!are_numbers || !(lowest < highest))
    throw OptionError("target-range", target_range, "use two finite numbers, the lower one first, such as 0:100");
  return std::pair(lowest, highest);
}

void StreamOptions::check() const {
  check_options(table(), *this);
  check_task(*this);
  if (max_leaves == 1) throw OptionError("max-leaves", "1", "use at least 2, or 0 for no limit");
  if (is_forest(*this)) check_forest(*this);
  if (in_passes(*this) && leaf_prediction != LeafPrediction::kMajority)
    throw OptionError("leaf-prediction", to_string(leaf_prediction),
                      OptionSentence{"{} has no naive Bayes; use majority", {{"schedule", "passes"}}});
  if (is_adaptive(*this) && max_leaves > 0)
    throw OptionError("max-leaves", std::to_string(max_leaves),
                      OptionSentence{"{} has no limit of leaves, as alternates must grow, too; use {}",
                                     {{"schedule", "adaptive"}, {"max-depth"}}});
}

namespace {

/// @param others  Further structs of options whose names may occur in texts.
template <typename... Others>
void set_all(const OptionTexts& texts, StreamOptions& options, Others&... others) {
  for (const auto& [name, text] : texts) {
    if (name == "schedule") options.schedule = parse_name("schedule", text, kSchedules);
    if (name == "task") options.task = parse_name("task", text, records::kTasks);
  }
  options = StreamOptions::for_schedule(options.schedule, options.task);
  for (const auto& [name, text] : texts) set_option(name, text, options, others...);
}

}  // namespace

void set_options(const OptionTexts& texts, StreamOptions& options) { set_all(texts, options); }

void set_options(const OptionTexts& texts, StreamOptions& options, StreamWork& work) { set_all(texts, options, work); }

std::string to_json(const StreamOptions& options) {
  nlohmann::json json = model_json(StreamOptions::table(), options);
  json["sketch"] = "log-linear";
  return json_text(json);
}

}  // namespace fernwood::stream
