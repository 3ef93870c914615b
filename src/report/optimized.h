// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/search/train_optimized.h"
#include "report/json.h"

namespace fernwood::report {

// Lines about class weights, search::train_optimized(), in the report of a training.

/// The metric on held-out frames with and without the weights, and the weights.
std::string optimized_lines(const search::OptimizeReport& optimized, const forest::Forest& forest);
Json optimized_json(const search::OptimizeReport& optimized);

}  // namespace fernwood::report
