// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/result_json.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/train.h"
#include "fernwood/tune/train_optimized.h"

namespace fernwood::report {

/// read_training_json() from a text. @param path  For messages.
train::TrainReport parse_training_json(std::string_view text, const std::filesystem::path& path,
                                       const forest::Forest& forest);

// Lines about class weights, tune::train_optimized(), in the report of a training.

/// The metric on held-out frames with and without the weights, and the weights.
std::string optimized_lines(const tune::OptimizeReport& optimized, const forest::Forest& forest);
Json optimized_json(const tune::OptimizeReport& optimized);

}  // namespace fernwood::report
