// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/train/train.h"

namespace fernwood {

/// What a training took, for people: trees, samples, times. In UTF-8, at most 100 columns.
std::string train_report_table(const TrainReport& report, const Forest& forest);

/// Time per stage and level, summed over the trees; for `fernwood bench train`.
std::string stage_table(const TrainReport& report);

/// One JSON object, indented by two spaces, with a final newline. Keys: docs/training.md.
std::string train_report_json(const TrainReport& report, const Forest& forest);

}  // namespace fernwood
