// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/core/warning.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/options.h"
#include "train/data/frame_prefetcher.h"

namespace fernwood::train {

/// A forest without trees: all that is known before growing.
/// @param ranks  That read the data together, see Dataset::scan_truth(). @param read  Keeps the frames read here.
/// @throws Error(kUsage) for channels that the data do not have, or too many of them.
/// @param warnings  Are added: of colours that became classes.
forest::Forest describe_training(const dataset::Dataset& dataset, const TrainOptions& options, ThreadPool& pool,
                                 Communicator* ranks, FramePrefetcher& read, std::vector<Warning>& warnings);

/// How the files of frames become samples, beyond what the model remembers: a JSON object. A training that is resumed
/// must read them the same way. @param groups  [frame] as Dataset::groups() gives them.
std::string describe_reading(const dataset::DatasetConfig& config, const std::vector<std::uint32_t>& groups);

/// That one class has nearly all pixels, and what helps the others; empty where that is not so, or the user has weighed
/// them already. The folder of the data goes before it.
/// @param class_weights  Of the options; "data" and "cbrt" are what nobody asked for.
OptionSentence class_imbalance_note(const forest::Forest& forest, const std::string& class_weights);

/// The id of class_imbalance_note() among the warnings.
inline constexpr const char* kImbalanceWarning = "class-imbalance";

/// @param class_weights  As above. @throws Error(kData) when no pixel has a class.
std::vector<Warning> find_warnings(const dataset::Dataset& dataset, const forest::Forest& forest,
                                   const std::string& class_weights);

}  // namespace fernwood::train
