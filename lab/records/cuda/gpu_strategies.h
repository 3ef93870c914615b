// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the laboratory's strategies of GPUs bring to their table in gpu_strategies.cu.

#include "lab/records/strategies.h"

namespace fernwood::lab {

/// Packed nodes by pairs of siblings: four records a thread, or trees that pass by in shared memory.
OptionSentence packed_strategy_unsupported(const records::EvaluationModel& model, records::Values values,
                                           Device device);
std::unique_ptr<records::RecordEvaluator> make_packed(const records::StrategyRequest& request);
OptionSentence staged_unsupported(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_staged(const records::StrategyRequest& request);

/// Spencer's Procedure 4: a thread for every node.
OptionSentence speculative_all_unsupported(const records::EvaluationModel& model, records::Values values,
                                           Device device);
std::unique_ptr<records::RecordEvaluator> make_speculative_all(const records::StrategyRequest& request);
/// Procedure 5: a thread for every test.
/// @param reductions  Path reductions between two barriers, >= 1.
OptionSentence speculative_unsupported(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_speculative(const records::StrategyRequest& request, int reductions);

/// Five levels at a time.
OptionSentence windowed_unsupported(const records::EvaluationModel& model, records::Values values, Device device);
std::unique_ptr<records::RecordEvaluator> make_windowed(const records::StrategyRequest& request);

}  // namespace fernwood::lab
