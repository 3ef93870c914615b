// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "core/result_json.h"
#include "fernwood/tune/train_optimized.h"

namespace fernwood::report {

// Lines about class weights, tune::train_optimized(), in the report of a training.

/// The metric on held-out frames with and without the weights, and the weights.
std::string optimized_lines(const tune::OptimizeReport& optimized, const forest::Forest& forest);
Json optimized_json(const tune::OptimizeReport& optimized);

}  // namespace fernwood::report
