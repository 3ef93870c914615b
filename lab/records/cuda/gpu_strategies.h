// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the laboratory's strategies of GPUs bring to their table in gpu_strategies.cu.

#include "lab/records/strategies.h"

namespace fernwood::lab {

/// Packed nodes by pairs of siblings: four records a thread, or trees that pass by in shared memory.
std::string packed_strategy_unsupported(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_packed(const records::StrategyRequest& request);
std::string staged_unsupported(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_staged(const records::StrategyRequest& request);

/// Spencer's Procedure 4: a thread for every node.
std::string speculative_all_unsupported(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_speculative_all(const records::StrategyRequest& request);
/// Procedure 5: a thread for every test.
/// @param reductions  Path reductions between two barriers, >= 1.
std::string speculative_unsupported(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_speculative(const records::StrategyRequest& request, int reductions);

/// Five levels at a time.
std::string windowed_unsupported(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_windowed(const records::StrategyRequest& request);

}  // namespace fernwood::lab
