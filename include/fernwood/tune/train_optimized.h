// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Training of a forest with class weights that maximise a metric, measured on frames that a second forest has not seen.

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/train.h"

namespace fernwood::tune {

/// Metric to maximise.
enum class Goal {
  kPixels,   ///< Pixel accuracy.
  kClasses,  ///< Mean over the classes of their pixel accuracy.
  kIou       ///< Mean intersection over union of the classes.
};
inline constexpr std::array kGoals = {Goal::kPixels, Goal::kClasses, Goal::kIou};
/// Its name in options and files: "pixels", "classes", "iou".
std::string to_string(Goal goal);

/// Metrics of labels, in [0, 1], without void; see Metrics.
struct LabelScores {
  double pixel = 0, class_average = 0, mean_iou = 0;
  bool operator==(const LabelScores&) const = default;
};

/// Class weights, and their effect on the frames left out.
struct WeighedLabels {
  std::vector<float> weights;  ///< [class] With a mean of 1 over the classes that occur; empty: no weights helped.
  LabelScores before;          ///< With equal weights.
  /// By two-fold validation: each half of the frames labelled with the best weights for the other half.
  LabelScores after;
};

/// Report on the choice of weights.
struct OptimizeReport {
  Goal goal = Goal::kIou;
  std::size_t frames = 0, frames_left_out = 0, pixels = 0;  ///< `pixels`: number of pixels evaluated.
  double seconds_growing = 0;                               ///< Growing the second forest.
  double seconds_choosing = 0;                              ///< Labelling the frames left out, and the search.
  WeighedLabels plain, smoothed;
  int smooth_px = 0;  ///< predict::Smoothing::extent_px for `smoothed`.
};

/// Trains as train_forest() does, and a second forest without every fourth group of frames (Dataset::groups(), or runs
/// of neighbours). From the second forest's probabilities for the frames left out, plain and smoothed, it finds the
/// factor for each class that maximises the goal, and stores the factors in the first forest as its label weights. The
/// same bytes on every device and for any number of threads. A checkpoint of the second forest lies beside that of the
/// first, see left_out_checkpoint().
/// @param ranks  See train_forest(); the search for factors is not divided.
/// @throws Error as train_forest(), and kData if all frames belong to one group.
forest::Forest train_optimized(const dataset::Dataset& dataset, const train::TrainOptions& options, Goal goal,
                               const train::TrainResources& resources = {}, const train::TrainHooks& hooks = {},
                               train::TrainReport* report = nullptr, OptimizeReport* optimized = nullptr,
                               Communicator* ranks = nullptr);

/// Path of the second forest's checkpoint. @param checkpoint  That of train::TrainHooks.
std::filesystem::path left_out_checkpoint(const std::filesystem::path& checkpoint);

}  // namespace fernwood::tune
