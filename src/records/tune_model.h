// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/records/tuner.h"
#include "records/strategy.h"

namespace fernwood {

inline constexpr double kTuningBudgetSeconds = 0.05;

/// tune_strategy() of a model that is at hand.
TuningReport tune_model(const StrategyRequest& request, const RecordView& sample, double budget_s);

}  // namespace fernwood
