// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fernwood/core/progress.h"

namespace fernwood::lab {

/// Values that a sketch meets, in this order.
struct SketchValues {
  std::string name;
  std::vector<float> values;
};

/// The distributions that sketches are compared on: easy ones, long tails, ties, and values in order.
std::vector<SketchValues> sketch_values(std::size_t count);

/// What a sketch lost and cost on one distribution.
struct SketchCost {
  std::string sketch, values;
  int workers = 1;  ///< Each counts as large a part of the values, one after another; then they are merged.
  double most_error = 0, mean_error = 0;  ///< Of ranks, as shares of all values.
  std::size_t size_bytes = 0;             ///< Of the merged sketch.
  double update_seconds = 0;              ///< For each value, on one thread.
  double merge_seconds = 0;               ///< Of all workers at once.
};

struct SketchStudy {
  std::size_t num_values = 0;
  std::vector<SketchCost> costs;
};

/// Compares sketches on sketch_values(). An error is how far sum(b) is from the number of values < b and that of
/// values <= b, 0 between them, at 1000 values b of evenly spaced ranks.
SketchStudy run_sketch_study(std::size_t num_values, const ProgressCallback& progress);

std::string sketch_study_text(const SketchStudy& study);
/// Keys: values, costs [sketch, distribution, workers, most_rank_error, mean_rank_error, size_bytes, update_ns,
/// merge_us].
nlohmann::json sketch_study_json(const SketchStudy& study);

}  // namespace fernwood::lab
