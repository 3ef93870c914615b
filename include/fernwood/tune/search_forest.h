// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Search for the training options with which an image forest is most accurate, within limits on time.

#include <string>

#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/search/search.h"
#include "fernwood/train/train.h"

namespace fernwood::tune {

struct ForestSearchOptions : search::DataSearchOptions {
  train::TrainOptions train;        ///< The hand-made defaults, and values of options outside the space.
  train::TrainResources resources;  ///< Device and threads are also used for labelling.
  bool frames_apart = false;        ///< Whether folds may separate neighbours and groups (random, as in the thesis).
  /// @throws Error(kUsage) naming the first field out of range.
  void check() const;
};

/// Result of a search of image forests.
struct ForestSearch : search::DataSearch {
  train::TrainOptions train;        ///< The winner's.
  predict::Smoothing smoothing;     ///< The winner's; chosen after the race on its frames.
  forest::Forest forest;            ///< The winner's, trained on all frames.
  train::TrainReport train_report;  ///< Report of that training.
};

/// The search space, which `--space` files change; see docs/reference/search.md.
search::Space search_space(const dataset::Dataset& dataset, const ForestSearchOptions& options);

/// Runs a search.
/// @throws Error(kData) for too few frames or groups, errors of run_search(), train_forest() and evaluate().
ForestSearch search_forest(const dataset::Dataset& dataset, const ForestSearchOptions& options,
                           const search::SearchHooks& hooks = {});

/// The winner as a --config file, with sections for training and labelling, which trains the winner's forest from the
/// data of the search. An encoder that is a function of Python is not in it. @param preset  The train::presets() to
/// which ForestSearchOptions::train is equal, except for its seed.
std::string winner_config(const ForestSearch& found, const std::string& preset = train::kDefaultPreset);

}  // namespace fernwood::tune
