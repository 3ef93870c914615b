// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the table, the JSON and the page of an evaluation share.

#include "fernwood/core/array.h"
#include "fernwood/report/evaluation.h"
#include "report/json.h"

namespace fernwood::report {

/// The confusion matrix with each row divided by its sum, void left out of the truth; rows without a pixel are NaN.
/// [classes][classes], with one more column when a labelled pixel was predicted void.
Array2<double> row_shares(const evaluate::Confusion& confusion);
/// [truth][prediction] counts, without void.
Json confusion_json(const evaluate::Confusion& confusion);

}  // namespace fernwood::report
