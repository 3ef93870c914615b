// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "records/evaluate/strategy.h"

namespace fernwood::records {

// Four strategies of the CPU that cut trees into a part that is merged and one that is walked.

/// All records of a block take a step down a tree before any takes the next.
std::unique_ptr<RecordEvaluator> make_interleaved(const StrategyRequest& request);
/// Records walk a tree in the lanes of vectors.
std::unique_ptr<RecordEvaluator> make_gather(const StrategyRequest& request);
/// Every test is taken for all records (after QuickScorer, Lucchese et al., SIGIR 2015).
std::unique_ptr<RecordEvaluator> make_bit_mask(const StrategyRequest& request);
std::string bit_mask_obstacle(const EvaluationModel& model, Values values, Device device);
/// The upper levels as by bit-mask, the lower ones as interleaved, cut where that takes the least time.
std::unique_ptr<RecordEvaluator> make_layered(const StrategyRequest& request);
/// "" : these can evaluate every flat forest.
std::string no_obstacle(const EvaluationModel& model, Values values, Device device);

}  // namespace fernwood::records
