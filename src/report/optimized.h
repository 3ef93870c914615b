// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/search/train_optimized.h"
#include "report/json.h"

namespace fernwood::report {

// What is told of classes that were weighed, search::train_optimized(), in the report of a training.

/// What labels were worth on the frames left out, with weights and without, and the weights.
std::string optimized_lines(const search::OptimizeReport& optimized, const forest::Forest& forest);
Json optimized_json(const search::OptimizeReport& optimized);

}  // namespace fernwood::report
