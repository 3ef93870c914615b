// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "records/evaluate/strategy.h"

namespace fernwood::records {

// Strategies of the CPU that compile the forest first; see generated_code.h.

std::unique_ptr<RecordEvaluator> make_if_else(const StrategyRequest& request);
std::string if_else_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_no_if(const StrategyRequest& request);
std::string no_if_obstacle(const EvaluationModel& model, Values values, Device device);

}  // namespace fernwood::records
