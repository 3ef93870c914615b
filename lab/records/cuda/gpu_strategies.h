// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the laboratory's strategies of GPUs bring to their table in direct_table.cu.

#include "lab/records/strategies.h"

namespace fernwood::lab {

/// Spencer's Procedure 4: a thread for every node.
std::string speculative_all_obstacle(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_speculative_all(const records::StrategyRequest& request);
/// Procedure 5: a thread for every test.
/// @param reductions  Path reductions between two barriers, >= 1.
std::string speculative_obstacle(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_speculative(const records::StrategyRequest& request, int reductions);

/// Five levels at a time.
std::string windowed_obstacle(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_windowed(const records::StrategyRequest& request);

}  // namespace fernwood::lab
