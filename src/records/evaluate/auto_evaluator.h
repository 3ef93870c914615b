// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>

#include "records/evaluate/strategy.h"

namespace fernwood::records {

/// Tunes on the first records of each class of batch, then evaluates by what was found.
/// @param remember  Choices come from and go to the memory of choices.
std::unique_ptr<RecordEvaluator> make_auto_evaluator(const StrategyRequest& request, bool remember);

}  // namespace fernwood::records
