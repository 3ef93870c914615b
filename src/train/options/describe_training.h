// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/options.h"

namespace fernwood::train {

/// The forest before its frames are read: everything that options and file names determine. The ranges of supplied
/// maps are empty, kNoRange. @throws Error(kUsage) for channels that the data lack.
forest::Forest describe_training(const dataset::Dataset& dataset, const TrainOptions& options);

/// Adds the classes, and the channels of their context. @throws Error(kUsage) for too many channels, and for class
/// weights of other classes.
void describe_classes(const image::ClassMap& classes, const TrainOptions& options, forest::Forest& forest);

/// Describes how files become samples, beyond the preparation stored in the model: a JSON object. A resumed training
/// must read them the same way. @param groups  [frame] see Dataset::groups().
std::string describe_reading(const dataset::DatasetConfig& config, const std::vector<std::uint32_t>& groups);

/// A note that one class has nearly all pixels, and how to help the others; empty otherwise, or if the user has chosen
/// class weights. The caller prefixes the folder of the data.
/// @param class_weights  Value of the option; "data" and "cbrt" count as defaults.
OptionSentence class_imbalance_note(const forest::Forest& forest, const std::string& class_weights);

/// Identifier of class_imbalance_note() among the warnings.
inline constexpr const char* kImbalanceWarning = "class-imbalance";

/// @param class_weights  As for class_imbalance_note(). @throws Error(kData) when no pixel has a class.
std::vector<Warning> find_warnings(const dataset::Dataset& dataset, const forest::Forest& forest,
                                   const std::string& class_weights);

}  // namespace fernwood::train
