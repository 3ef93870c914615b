// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <string>

#include "fernwood/records/record_forest.h"
#include "records/evaluate/flat_forest.h"
#include "records/evaluate/rank_table.h"

namespace fernwood::records {

/// A forest in the forms that strategies want; made once, shared by all that evaluate it.
struct EvaluationModel {
  RecordForest forest;
  std::string flat_obstacle;  ///< Why `flat` is empty; empty: it is not.
  FlatForest flat;
  std::string rank_obstacle;  ///< Why `ranks` is empty; empty: it is not.
  RankTable ranks;
};
using SharedModel = std::shared_ptr<const EvaluationModel>;

/// @throws Error(kModel) as check_records().
SharedModel make_evaluation_model(const RecordForest& forest);

}  // namespace fernwood::records
