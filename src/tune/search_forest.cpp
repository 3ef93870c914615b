// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/tune/search_forest.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/json_text.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "search/option_space.h"
#include "train/data/sampler.h"
#include "tune/forest_problem.h"

namespace fernwood::tune {

using namespace search;

namespace {

/// Extents of smoothing to try for a winner's labels, as in studies.
constexpr std::array kExtentsPx = {0, 40, 80};
constexpr std::size_t kSmoothingFolds = 2;  // on which smoothings are compared
/// Minimum gain in the objective; otherwise labels are not smoothed.
constexpr double kWorthwhileSmoothing = 0.001;
/// Options of a training, and their keys in encoder::EncoderInfo::options_json.
constexpr std::array<std::pair<const char*, const char*>, 3> kEncoderOptions = {
    {{"encoder", "encoder"}, {"encoder-size", "size"}, {"encoder-normalization", "normalization"}}};

class ForestSearcher {
 public:
  ForestSearcher(const dataset::Dataset& dataset, const ForestSearchOptions& options, const SearchHooks& hooks)
      : dataset_(dataset),
        options_(options),
        hooks_(hooks),
        space_(search_space(dataset, options)),
        folds_(cut_folds(dataset.size(), options.frames_apart ? train::all_frames(dataset.size()) : dataset.groups(),
                         static_cast<std::size_t>(options.folds), options.held_out, options.race.seed,
                         dataset.folder().string())) {
    train_hooks_.stop = hooks.stop;
    train_hooks_.warn = hooks.warn;
  }

  SearchReport race() {
    trainer_.emplace(dataset_, common_options(), options_.resources, train_hooks_);
    train::TrainReport unwanted;
    trainer_->load_frames(unwanted);
    ForestProblem problem(*trainer_, space_, folds_, options_);
    return run_search(problem, options_.race, hooks_);
  }

  ForestSearch run() {
    ForestSearch found;
    const std::optional<Warning> few =
        warning_of_few_held_out(folds_.held_out.size(), "frame", dataset_.folder().string());
    if (few && hooks_.warn) hooks_.warn(*few);
    found.race = race();
    train::TrainReport loaded;
    trainer_->describe(loaded);
    found.warnings = loaded.warnings;
    if (few) found.warnings.push_back(*few);
    found.data = dataset_.folder().string();
    found.device = loaded.on_gpu() ? loaded.gpu.name : loaded.device;
    found.num_raced = folds_.race_frames().size();
    found.num_held_out = folds_.held_out.size();
    found.num_folds = folds_.folds.size();
    found.objective = options_.objective;
    found.time_limit = options_.race.max_latency_ms;
    found.max_train_seconds = options_.race.train_seconds;
    found.train = apply_configuration(found.race.winner().configuration, options_.train);
    tell("comparing smoothed labels", 0.0);
    found.smoothing = choose_smoothing(found.train);
    tell("judging the winner on the frames held out", 0.4);
    found.winner = evaluate_held_out(found.train, found.smoothing);
    tell("judging the defaults on the frames held out", 0.6);
    found.defaults = evaluate_held_out(apply_configuration(space_.standard(), options_.train), {});
    tell("training the winner on all frames", 0.8);
    found.forest = grow(found.train, train::all_frames(dataset_.size()), &found.train_report);
    return found;
  }

 private:
  /// All channels and stages that a configuration may have.
  train::TrainOptions common_options() const {
    train::TrainOptions common = apply_configuration(space_.standard(), options_.train);
    for (const Parameter& parameter : space_.parameters()) {
      if (parameter.name == "cascade")
        for (const std::string& stages : parameter.choices)
          common.cascade = std::max(common.cascade, std::stoi(stages));
      if (parameter.name != "channels") continue;
      common.channels.clear();
      for (const image::ChannelSet& set : image::channel_sets())
        if (std::ranges::any_of(parameter.choices, [&](const std::string& choice) {
              return ("," + choice + ",").find("," + std::string(set.name) + ",") != std::string::npos;
            }))
          common.channels.emplace_back(set.name);
    }
    return common;
  }

  void tell(const char* what, double done) const {
    if (!hooks_.progress) return;
    SearchProgress now;
    now.after = what;
    now.done = done;
    hooks_.progress(now);
  }

  forest::Forest grow(const train::TrainOptions& options, const std::vector<std::uint32_t>& frames,
                      train::TrainReport* report = nullptr) {
    train::TrainReport unwanted;
    train::TrainReport& written = report ? *report : unwanted;
    train::GrowingForest grown = train::grow_forest(*trainer_, options, frames, train_hooks_, written);
    trainer_->describe(written);
    return trainer_->finished(std::move(grown));
  }

  EvaluatedForest label(const forest::Forest& forest, const predict::Smoothing& smoothing,
                        const std::vector<std::uint32_t>& frames) {
    return evaluate_frames(
        forest, dataset_.with_frames(frames),
        {.device = options_.resources.device, .threads = options_.resources.threads, .smoothing = smoothing}, 0,
        trainer_->pool(), [&](std::size_t, std::size_t) {
          FW_CHECK(!hooks_.stop.stop_requested(), Interrupted, "the search was interrupted");
        });
  }

  /// Evaluated on whole frames of folds that the forests have not seen, within the limit of time.
  predict::Smoothing choose_smoothing(const train::TrainOptions& options) {
    std::array<double, kExtentsPx.size()> loss{};
    const std::size_t num_folds = std::min(kSmoothingFolds, folds_.folds.size());
    for (std::size_t b = 0; b < num_folds; ++b) {
      const forest::Forest forest = grow(options, folds_.race_frames(static_cast<int>(b)));
      for (std::size_t s = 0; s < kExtentsPx.size(); ++s) {
        const EvaluatedForest labelled = label(forest, {.extent_px = kExtentsPx[s]}, folds_.folds[b]);
        const bool too_slow = options_.race.max_latency_ms > 0 && labelled.time > options_.race.max_latency_ms;
        loss[s] += too_slow ? 1 : loss_of(labelled.accuracy, options_.objective);
      }
    }
    std::size_t best = 0;
    for (std::size_t s = 1; s < kExtentsPx.size(); ++s)
      if (loss[s] < loss[best] - kWorthwhileSmoothing * static_cast<double>(num_folds)) best = s;
    return {.extent_px = kExtentsPx[best]};
  }

  EvaluatedForest evaluate_held_out(const train::TrainOptions& options, const predict::Smoothing& smoothing) {
    return label(grow(options, folds_.race_frames()), smoothing, folds_.held_out);
  }

  const dataset::Dataset& dataset_;
  const ForestSearchOptions& options_;
  const SearchHooks& hooks_;
  const Space space_;
  const ForestFolds folds_;
  train::TrainHooks train_hooks_;
  std::optional<train::Trainer> trainer_;
};

}  // namespace

void ForestSearchOptions::check() const {
  DataSearchOptions::check();
  train.check();
  FW_CHECK(is_utf8(train.backbone), Usage,
           named_option("backbone", train.backbone)
               << " is not UTF-8, as the configuration of the winner must be; rename the file or its folder");
}

Space search_space(const dataset::Dataset& dataset, const ForestSearchOptions& options) {
  const DefaultFloats floats;
  const Space space = forest_space(options.train, dataset);
  return options.space_file.empty() ? space : space.changed_by(options.space_toml, options.space_file);
}

ForestSearch search_forest(const dataset::Dataset& dataset, const ForestSearchOptions& options,
                           const SearchHooks& hooks) {
  const DefaultFloats floats;
  options.check();
  return ForestSearcher(dataset, options, hooks).run();
}

std::string winner_config(const ForestSearch& found, const std::string& preset) {
  const DefaultFloats floats;
  std::string text = "[train]\npreset = \"" + preset + "\"\nseed = " + std::to_string(found.train.seed) + "\n";
  // The backbone is neither in the space nor in presets, and its default depends on frames and installation.
  text += "backbone = " + json_text(nlohmann::json(found.train.backbone)) + "\n";
  if (found.train.has_backbone())
    text += "backbone-reduction = " + std::to_string(found.train.backbone_reduction) + "\n";
  // Of an encoder in an ONNX file; only Python can give a function again.
  if (found.forest.encoder) {
    const auto options = nlohmann::json::parse(found.forest.encoder->options_json);
    for (const auto& [option, key] : kEncoderOptions)
      if (options.contains(key)) text += std::string(option) + " = " + json_text(options[key]) + "\n";
  }
  text += to_config(found.race.winner().configuration);
  if (found.smoothing.extent() == 0) return text;
  for (const char* command : {"predict", "evaluate", "live"})
    text += "\n[" + std::string(command) + "]\nsmooth = " + std::to_string(found.smoothing.extent()) + "\n";
  return text;
}

}  // namespace fernwood::tune
