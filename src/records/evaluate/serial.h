// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "records/evaluate/strategy.h"

namespace fernwood::records {

/// One record after another, each down every tree: Spencer, Procedure 2. What all others are compared with.
std::unique_ptr<RecordEvaluator> make_serial(const StrategyRequest& request);

}  // namespace fernwood::records
