// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/tune/train_optimized.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stop_token>

#include "core/json_text.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "fernwood/predict/predictor.h"
#include "train/data/sampler.h"
#include "train/distributed/parallelism.h"
#include "train/grow_forest.h"
#include "train/options/describe_training.h"
#include "train/out_of_bag.h"
#include "tune/forest_problem.h"
#include "tune/label_weights.h"

namespace fernwood::tune {

namespace {

/// Extent of smoothing of the probabilities for which weights are chosen; other extents need about the same weights
/// (docs/notes/benchmarks_training.md).
constexpr int kSmoothPx = 40;
constexpr std::size_t kMaxRuns = 16, kLeaveOutEvery = 4;
/// Limit on the probabilities stored, to bound memory.
constexpr std::size_t kMaxProbabilities = std::size_t{1} << 24;

/// The frames of every fourth group, or run of neighbours, from the second on; ascending.
std::vector<std::uint32_t> frames_to_leave_out(std::size_t num_frames, const std::vector<std::uint32_t>& groups,
                                               const std::string& folder) {
  std::vector<std::uint32_t> frames;
  const auto all = frames_of_groups(num_frames, groups, std::min(num_frames, kMaxRuns));
  for (std::size_t group = 1; group < all.size(); group += kLeaveOutEvery)
    frames.insert(frames.end(), all[group].begin(), all[group].end());
  std::ranges::sort(frames);
  FW_CHECK(!frames.empty(), Data,
           folder << ": the " << num_frames << (num_frames == 1 ? " frame is" : " frames are") << " of one group; "
                  << named_option("optimize")
                  << " evaluates labels by frames that a forest has not seen: use more frames, "
                     "finer groups in groups.txt, or leave "
                  << named_option("optimize") << " out");
  return frames;
}

/// Adds every `stride`-th pixel of a frame; the stride is increased where necessary so that all columns are sampled.
void add_pixels(const predict::Prediction& prediction, const image::LabelImage& truth, std::size_t stride,
                std::vector<float>& probabilities, std::vector<std::uint16_t>& labels) {
  while (std::gcd(stride, truth.cols()) > 1) ++stride;
  for (std::size_t pixel = stride / 2; pixel < truth.size(); pixel += stride) {
    if (truth.data()[pixel] == image::kVoid) continue;
    labels.push_back(truth.data()[pixel]);
    for (const Array2<float>& plane : prediction.probabilities) probabilities.push_back(plane.data()[pixel]);
  }
}

/// @param frames  Not seen by the forest.
WeighedLabels choose_weights(train::Trainer& trainer, const forest::Forest& forest, const std::string& device,
                             const std::stop_token& stop, const std::vector<std::uint32_t>& frames, int smooth_px,
                             Goal goal, std::size_t* num_pixels) {
  const std::size_t num_classes = forest.classes.size();
  std::vector<float> probabilities;
  EvaluatedPixels pixels;
  std::size_t middle = 0;
  const auto predictor = predict::make_predictor(
      forest, {.device = device, .threads = trainer.pool().num_threads(), .smoothing = {.extent_px = smooth_px}});
  for (std::size_t i = 0; i < frames.size(); ++i) {
    FW_CHECK(!stop.stop_requested(), Interrupted, "training was interrupted");
    if (i == frames.size() / 2) middle = pixels.labels.size();
    const dataset::Dataset& dataset = trainer.dataset();
    const image::LabelImage truth = dataset.read_labels(frames[i], forest.classes);
    const std::size_t stride = 1 + truth.size() * num_classes * frames.size() / kMaxProbabilities;
    add_pixels(predictor->predict(dataset.read_frame(frames[i]), {.probabilities = true}), truth, stride, probabilities,
               pixels.labels);
    trainer.meter().add(1);
  }
  pixels.probabilities = Array2<float>(pixels.labels.size(), num_classes);
  std::ranges::copy(probabilities, pixels.probabilities.begin());
  *num_pixels = pixels.labels.size();
  return weigh_labels(pixels, middle, goal, trainer.pool());
}

/// Whether the warning advises --optimize, which is already in use.
bool advises_optimizing(const Warning& warning) { return warning.id == train::kImbalanceWarning; }

}  // namespace

std::string to_string(Goal goal) {
  return goal == Goal::kPixels ? "pixels" : goal == Goal::kClasses ? "classes" : "iou";
}

std::filesystem::path left_out_checkpoint(const std::filesystem::path& checkpoint) {
  return checkpoint.empty() ? checkpoint : std::filesystem::path(checkpoint.string() + ".left-out");
}

forest::Forest train_optimized(const dataset::Dataset& dataset, const train::TrainOptions& options, Goal goal,
                               const train::TrainResources& resources, const train::TrainHooks& hooks,
                               train::TrainReport* report, OptimizeReport* optimized, Communicator* ranks) {
  const DefaultFloats floats;
  if (const int size = train::ranks_to_start(resources, ranks); size > 1)
    return train::train_by_ranks(size, hooks, report,
                                 [&](const train::TrainHooks& own, train::TrainReport* written, Communicator& all) {
                                   return train_optimized(dataset, options, goal, resources, own, written,
                                                          all.rank() == 0 ? optimized : nullptr, &all);
                                 });
  OptimizeReport unwanted;
  OptimizeReport& found = optimized ? *optimized : unwanted;
  found = {};
  found.goal = goal;
  found.frames = dataset.size();
  found.smooth_px = kSmoothPx;
  train::TrainHooks own_hooks = hooks;
  if (hooks.warn)
    own_hooks.warn = [&](const Warning& warning) {
      if (!advises_optimizing(warning)) hooks.warn(warning);
    };
  train::TrainHooks second_hooks = hooks;
  second_hooks.checkpoint = left_out_checkpoint(hooks.checkpoint);
  if (!ranks || ranks->rank() == 0) train::check_checkpoint_path(second_hooks.checkpoint, hooks.resume);

  train::check_training(options, dataset.size(), own_hooks, ranks);
  train::TrainReport unwanted_report;
  train::TrainReport& first_report = report ? *report : unwanted_report;
  first_report = {};
  train::Trainer trainer(dataset, options, resources, own_hooks, ranks);
  trainer.describe(first_report);
  const std::vector<std::uint32_t> left_out =
      frames_to_leave_out(dataset.size(), trainer.groups(), dataset.folder().string());
  forest::Forest forest = trainer.finished(
      train::grow_forest(trainer, options, train::all_frames(dataset.size()), own_hooks, first_report));

  const double grown = seconds_now();
  train::TrainReport second_report;
  std::vector<std::uint32_t> others;
  std::ranges::set_difference(train::all_frames(dataset.size()), left_out, std::back_inserter(others));
  const forest::Forest has_not_seen = trainer.finished(train::grow_forest(
      trainer, options, others, second_hooks, second_report, train::TrainProgress::Phase::kGrowingAgain));
  found.seconds_growing = seconds_now() - grown;
  found.frames_left_out = left_out.size();
  trainer.meter().start({.phase = train::TrainProgress::Phase::kChoosing}, 2 * static_cast<double>(left_out.size()));
  found.plain = choose_weights(trainer, has_not_seen, resources.device, hooks.stop, left_out, 0, goal, &found.pixels);
  found.smoothed =
      choose_weights(trainer, has_not_seen, resources.device, hooks.stop, left_out, kSmoothPx, goal, &found.pixels);
  found.seconds_choosing = seconds_now() - grown - found.seconds_growing;
  trainer.describe(first_report);
  trainer.describe_ranks(first_report);
  std::erase_if(first_report.warnings, advises_optimizing);
  forest.label_weights = {found.plain.weights, found.smoothed.weights};
  nlohmann::json goal_too = nlohmann::json::parse(forest.options_json);
  goal_too["optimize"] = to_string(goal);
  forest.options_json = json_text(goal_too);
  return forest;
}

}  // namespace fernwood::tune
