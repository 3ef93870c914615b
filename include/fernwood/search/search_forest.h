// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The options that give the most accurate image forest on some frames, within limits of time.

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/accuracy.h"
#include "fernwood/forest/forest.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/search/data_search.h"
#include "fernwood/train/train.h"

namespace fernwood::search {

struct ForestSearchOptions : DataSearchOptions {
  train::TrainOptions train;        ///< The hand-made defaults, and what the space does not name.
  train::TrainResources resources;  ///< Its device and threads label, too.
  bool frames_apart = false;        ///< Neighbours and groups may be parted: random splits, as in the thesis.
  /// @throws Error(kUsage) naming the first field out of its range.
  void check() const;
};

/// A forest on the frames that no race has seen, whole frames, without void.
struct HeldOut {
  forest::Accuracy accuracy;
  double frame_ms = 0;  ///< Median of preparing and labelling a frame, from memory to memory.
};

/// What a search of image forests came to.
struct ForestSearch {
  SearchReport race;
  std::string data_folder, device;
  std::size_t race_frames = 0, held_out_frames = 0, folds = 0;
  Objective objective = Objective::kMean;
  double frame_ms_limit = 0, train_seconds_limit = 0;  ///< 0: none.
  train::TrainOptions train;                           ///< The winner's.
  predict::Smoothing smoothing;                        ///< Goes with it; chosen after the race on its frames.
  HeldOut winner, defaults;                            ///< Both trained on the frames of the race.
  forest::Forest forest;                               ///< The winner's, trained on all frames.
  train::TrainReport train_report;                     ///< Of that training.
  std::vector<Warning> warnings;
};

/// The space that would be searched: what `--space` files change. See docs/reference/search.md.
Space search_space(const dataset::Dataset& dataset, const ForestSearchOptions& options);

/// @throws Error(kData) for too few frames or groups, what run_search(), train_forest() and evaluate() throw.
ForestSearch search_forest(const dataset::Dataset& dataset, const ForestSearchOptions& options,
                           const SearchHooks& hooks = {});

/// Takes part in the race of other processes that search_forest() with the same folder, and ends with it.
/// @throws Error as search_forest() does.
void race_forests(const dataset::Dataset& dataset, const ForestSearchOptions& options, const SearchHooks& hooks = {});

/// The winner as a --config file, with sections for training and labelling: with the data of the search it trains the
/// winner's forest. @param preset  Of train::presets(), that ForestSearchOptions::train was but for its seed.
std::string winner_config(const ForestSearch& found, const std::string& preset = train::kDefaultPreset);

}  // namespace fernwood::search
