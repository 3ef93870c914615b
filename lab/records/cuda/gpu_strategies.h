// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// GPU strategies in other files, for the table in gpu_strategies.cu.

#include "lab/records/strategies.h"

namespace fernwood::lab {

/// Packed nodes in pairs of siblings: four records for each thread, or trees passed through shared memory.
OptionSentence packed_strategy_unsupported(const records::EvaluationModel& model, records::Values values,
                                           Device device);
std::unique_ptr<records::RecordEvaluator> make_packed(const records::StrategyRequest& request);
OptionSentence staged_unsupported(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_staged(const records::StrategyRequest& request);

/// Spencer's Procedure 4: a thread for each node.
OptionSentence speculative_all_unsupported(const records::EvaluationModel& model, records::Values values,
                                           Device device);
std::unique_ptr<records::RecordEvaluator> make_speculative_all(const records::StrategyRequest& request);
/// Procedure 5: a thread for each test.
/// @param reductions  Path reductions between two barriers, >= 1.
OptionSentence speculative_unsupported(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_speculative(const records::StrategyRequest& request, int reductions);

/// Windows of five levels.
OptionSentence windowed_unsupported(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_windowed(const records::StrategyRequest& request);

}  // namespace fernwood::lab
