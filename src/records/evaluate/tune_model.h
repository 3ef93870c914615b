// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/records/tuner.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

inline constexpr double kTuningBudgetSeconds = 0.05;
/// Enough that starting threads or kernels is not what is timed.
inline constexpr std::size_t kMostTuningRecords = std::size_t{1} << 17;

/// tune_strategy() of a model that is at hand.
/// @param sample  On the device of the request.
TuningReport tune_model(const StrategyRequest& request, const KeptRecords& sample, double budget_s);

}  // namespace fernwood::records
