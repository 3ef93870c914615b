// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "records/evaluate/strategy.h"

namespace fernwood::records {

/// Where the table of nodes lies.
enum class TableMemory { kGlobal, kReadOnly, kConstant, kShared };

/// @param direct  The value of the only attribute that a forest asks stays in a register.
std::string table_obstacle(const EvaluationModel& model, Values values, Device device, TableMemory memory, bool direct);
std::unique_ptr<RecordEvaluator> make_table(const StrategyRequest& request, TableMemory memory, bool direct);

}  // namespace fernwood::records
