// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A forest whose labels are chosen for what is to be high, by what frames show that a second forest has not seen.

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/train.h"

namespace fernwood::search {

/// What labels are to be high in.
enum class Goal {
  kPixels,   ///< Share of the pixels that get their class.
  kClasses,  ///< Mean over the classes of the share of their pixels.
  kIou       ///< Mean intersection over union of the classes.
};
inline constexpr std::array kGoals = {Goal::kPixels, Goal::kClasses, Goal::kIou};
/// As options and files call it: "pixels", "classes", "iou".
std::string to_string(Goal goal);

/// What labels are worth, in [0, 1]; see evaluate::Metrics, void left out.
struct LabelScores {
  double pixel = 0, class_average = 0, mean_iou = 0;
  bool operator==(const LabelScores&) const = default;
};

/// Weights of classes, and what they gained on the frames left out.
struct WeighedLabels {
  std::vector<float> weights;  ///< [class] With a mean of 1 over the classes that occur; empty: none gained anything.
  LabelScores before;          ///< With equal weights.
  /// Each half of the frames labelled with the weights that are best for the other half.
  LabelScores after;
};

/// What choosing weights took and gave.
struct OptimizeReport {
  Goal goal = Goal::kIou;
  std::size_t frames = 0, frames_left_out = 0, pixels = 0;  ///< Pixels that judged.
  double seconds_growing = 0;                               ///< Of the second forest.
  double seconds_choosing = 0;                              ///< Labelling what it has not seen, and the search.
  WeighedLabels plain, smoothed;
  int smooth_px = 0;  ///< predict::Smoothing::extent_px that `smoothed` was judged with.
};

/// Trains as train_forest() does, and a second time without every fourth group of frames (Dataset::groups(), or runs of
/// neighbours). By the probabilities that the second forest gives pixels of those, plain and smoothed, finds the factor
/// of each class with which the labels come out best, and gives the first forest these as its label weights. The same
/// bytes on every device and any number of threads. A checkpoint of the second forest lies beside that of the first,
/// see left_out_checkpoint().
/// @param ranks  As of train_forest(); the search for factors is not divided.
/// @throws Error as train_forest() does, and kData when all frames are of one group.
forest::Forest train_optimized(const dataset::Dataset& dataset, const train::TrainOptions& options, Goal goal,
                               const train::TrainResources& resources = {}, const train::TrainHooks& hooks = {},
                               train::TrainReport* report = nullptr, OptimizeReport* optimized = nullptr,
                               Communicator* ranks = nullptr);

/// @param checkpoint  Of train::TrainHooks.
std::filesystem::path left_out_checkpoint(const std::filesystem::path& checkpoint);

}  // namespace fernwood::search
