// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// An ablation study: a base training and variants that differ from it in one choice each, all evaluated on the same
// frames.

#include <array>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "fernwood/core/confusion.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_table.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/train/options.h"

namespace fernwood::tune {

/// The choice in which a variant differs from the base.
enum class StudyGroup { kChannels, kAbsolute, kStages, kTrees, kSamples, kSmoothing, kWeights, kRotation };

inline constexpr std::array kStudyGroups = {StudyGroup::kChannels, StudyGroup::kAbsolute, StudyGroup::kStages,
                                            StudyGroup::kTrees,    StudyGroup::kSamples,  StudyGroup::kSmoothing,
                                            StudyGroup::kWeights,  StudyGroup::kRotation};
/// Its name in `--only` and files: "channels", "absolute", …
std::string to_string(StudyGroup group);
/// Its title in reports: "absolute responses".
std::string group_title(StudyGroup group);
/// The groups with the given names, in the order of kStudyGroups; all groups if there are no names.
/// @throws OptionError for an unknown name.
std::vector<StudyGroup> parse_study_groups(const std::vector<std::string>& names);

/// A training, and the options of labelling with its forest.
struct StudyVariant {
  std::optional<StudyGroup> group;  ///< Empty: the base.
  std::string name;                 ///< "without depth", "smoothing 40 px".
  train::TrainOptions train;        ///< The options of this variant.
  /// The training whose forest is used. It may have more trees than `train`, of which only the first ones label, and
  /// other class weights, which are replaced in its leaves: neither needs a forest of its own.
  train::TrainOptions grown;
  predict::Smoothing smoothing;
  double turned_degrees = 0;  ///< Rotation of the frames that are labelled.
};

/// The variants of a base, group by group. None equals the base, and all variants of channels are different.
/// @param train      The base's training, with explicit channels.
/// @param num_trees  Number of trees of its forest: fewer than requested if training stopped early.
/// @param smoothing  The base's.
std::vector<StudyVariant> plan_study(const train::TrainOptions& train, std::size_t num_trees,
                                     const predict::Smoothing& smoothing, const std::vector<StudyGroup>& groups);

/// Result of a variant.
struct StudyRow {
  StudyVariant variant;
  Accuracy accuracy;         ///< Without void.
  double latency_ms = 0;     ///< Median of preparing and labelling a frame, from memory to memory.
  double train_seconds = 0;  ///< For its trees, including loading frames; all trees of a forest count alike.
  std::string problem;       ///< The reason why it has no result; empty: the above members are valid.
};

struct StudyOptions {
  train::TrainOptions train;
  train::TrainResources resources;  ///< Device and threads are also used for labelling.
  predict::Smoothing smoothing;     ///< Smoothing of the base.
  std::vector<std::string> only;    ///< Names of the groups to evaluate; empty: all.

  static OptionTable<StudyOptions> table();  ///< Options that the members' structs do not have.
  void check() const;                        ///< @throws OptionError naming the first invalid option.
};

/// Progress of a study.
struct StudyProgress {
  std::string variant;
  std::string work;  ///< The current work, such as "growing".
  bool base = true;  ///< Whether the base is evaluated, or a variant.
  double done = 0;   ///< Share of the base's work, or of that of all variants, [0, 1].
};

struct StudyHooks {
  std::function<void(const StudyProgress&)> progress;  ///< From one thread at a time; may throw to end the study.
  std::stop_token stop;                                ///< On request: Error(kInterrupted).
  /// Receives each of Study::warnings as soon as it is known.
  std::function<void(const Warning&)> warn = {};
};

struct Study {
  std::string train_folder, test_folder, device;
  std::size_t train_frames = 0, test_frames = 0;
  std::vector<Warning> warnings;  ///< Warnings about the test frames and of training the base.
  StudyRow base;
  std::vector<StudyRow> rows;
};

/// Trains the base and its variants on `train` and evaluates all on `test`. A variant whose options contradict each
/// other, or that runs out of memory, has a problem instead of results.
/// @throws Error(kData), before training, if `test` lacks images or has other classes; Error(kInterrupted); for the
///         base all errors of train_forest() and evaluate().
Study run_study(const dataset::Dataset& train, const dataset::Dataset& test, const StudyOptions& options,
                const StudyHooks& hooks = {});

}  // namespace fernwood::tune
