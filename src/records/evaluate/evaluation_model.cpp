// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

SharedModel make_evaluation_model(const RecordForest& forest) {
  check_records(forest, "the forest");
  auto model = std::make_shared<EvaluationModel>();
  model->forest = forest;
  model->flat_obstacle = flat_obstacle(forest);
  if (model->flat_obstacle.empty()) model->flat = flatten(forest);
  model->rank_obstacle = rank_obstacle(forest);
  if (model->rank_obstacle.empty()) model->ranks = rank_thresholds(forest);
  return model;
}

}  // namespace fernwood::records
