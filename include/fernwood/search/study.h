// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What each choice of a training is worth: the training that a user has in mind, and others that differ from it in one
// choice each, all evaluated on the same frames.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/core/warning.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/accuracy.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/train/options.h"

namespace fernwood::search {

/// The choice in which a variant differs from the base.
enum class StudyGroup { kChannels, kAbsolute, kStages, kTrees, kSamples, kSmoothing, kWeights, kRotation };

inline constexpr std::array kStudyGroups = {StudyGroup::kChannels, StudyGroup::kAbsolute, StudyGroup::kStages,
                                            StudyGroup::kTrees,    StudyGroup::kSamples,  StudyGroup::kSmoothing,
                                            StudyGroup::kWeights,  StudyGroup::kRotation};
/// As `--only` and files call it: "channels", "absolute", …
std::string to_string(StudyGroup group);
/// For people: "absolute responses".
std::string group_title(StudyGroup group);
/// The groups of names, in the order of kStudyGroups; of no names all.
/// @throws OptionError for a name that no group has.
std::vector<StudyGroup> parse_study_groups(const std::vector<std::string>& names);

/// A training, and how its forest labels.
struct StudyVariant {
  std::optional<StudyGroup> group;  ///< Empty: the base.
  std::string name;                 ///< "without depth", "smoothing 40 px".
  train::TrainOptions train;        ///< As a user would ask for it.
  /// The training whose forest is taken. It may have more trees than `train`, of which the first ones label, and other
  /// class weights, which are put into its leaves: neither needs a forest of its own.
  train::TrainOptions grown;
  predict::Smoothing smoothing;
  double turned_degrees = 0;  ///< Of the frames that are labelled.
};

/// The variants of a base, group by group; none equals the base, and none of the channels another.
/// @param train      The base's training, whose channels are named.
/// @param num_trees  That it gave: fewer than it asks for when it stopped early.
/// @param smoothing  The base's.
std::vector<StudyVariant> plan_study(const train::TrainOptions& train, std::size_t num_trees,
                                     const predict::Smoothing& smoothing, const std::vector<StudyGroup>& groups);

/// What a variant came to.
struct StudyRow {
  StudyVariant variant;
  forest::Accuracy accuracy;  ///< Without void.
  double frame_ms = 0;        ///< Median of preparing and labelling a frame, from memory to memory.
  double train_seconds = 0;   ///< Of its trees, loading frames included; trees of one forest are taken as alike.
  std::string problem;        ///< Why it cannot be had, a sentence; empty: it can, and the above is known.
};

struct StudyOptions {
  train::TrainOptions train;
  train::TrainResources resources;  ///< Its device and threads label, too.
  predict::Smoothing smoothing;     ///< Of the base.
  std::vector<std::string> only;    ///< Names of the groups to look at; none: all.

  static OptionTable<StudyOptions> table();  ///< What the structs of its members do not have.
  void check() const;                        ///< @throws OptionError naming the first option that is wrong.
};

/// How far a study is.
struct StudyProgress {
  std::string variant;
  std::string work;  ///< That goes on: "growing".
  bool base = true;  ///< Else a variant.
  double done = 0;   ///< Share of the base's work, or of that of all variants, [0, 1].
};

struct StudyHooks {
  std::function<void(const StudyProgress&)> progress;  ///< From one thread at a time; may throw to end the study.
  std::stop_token stop;                                ///< Asked to stop: Error(kInterrupted).
  /// Each of Study::warnings as soon as it is known.
  std::function<void(const Warning&)> warn = {};
};

struct Study {
  std::string train_folder, test_folder, device;
  std::size_t train_frames = 0, test_frames = 0;
  std::vector<Warning> warnings;  ///< Of the test frames and of training the base.
  StudyRow base;
  std::vector<StudyRow> rows;
};

/// Trains the base and its variants on `train` and evaluates all on `test`. A variant whose options contradict each
/// other, or that runs out of memory, has a problem instead of figures.
/// @throws Error(kData) when `test` lacks images or knows other classes, before training; Error(kInterrupted); for the
///         base all that train_forest() and evaluate() throw.
Study run_study(const dataset::Dataset& train, const dataset::Dataset& test, const StudyOptions& options,
                const StudyHooks& hooks = {});

}  // namespace fernwood::search
