// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>

#include "fernwood/predict/predictor.h"

namespace fernwood::predict {

/// Room for what is asked of a prediction.
inline Prediction make_room(std::size_t rows, std::size_t cols, std::size_t num_classes, std::size_t num_trees,
                            const PredictRequest& request) {
  Prediction room;
  room.labels = image::LabelImage(rows, cols);
  if (request.probabilities) room.probabilities.assign(num_classes, Array2<float>(rows, cols));
  if (request.per_tree)
    room.trees.assign(num_trees, make_room(rows, cols, num_classes, 0, {.probabilities = request.probabilities}));
  return room;
}

}  // namespace fernwood::predict
