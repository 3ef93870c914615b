// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fernwood/core/progress.h"

namespace fernwood::lab {

/// A sequence of values for a sketch.
struct SketchValues {
  std::string name;
  std::vector<float> values;
};

/// Distributions for the comparison of sketches: easy ones, long tails, ties, and sorted values.
std::vector<SketchValues> sketch_values(std::size_t count);

/// Error and cost of a sketch on one distribution.
struct SketchCost {
  std::string sketch, values;
  int workers = 1;  ///< Each counts an equal part of the values, in sequence; then the sketches are merged.
  double most_error = 0, mean_error = 0;  ///< Errors of ranks, as shares of all values.
  std::size_t size_bytes = 0;             ///< For the merged sketch.
  double update_seconds = 0;              ///< For each value, on one thread.
  double merge_seconds = 0;               ///< For all workers at once.
};

struct SketchStudy {
  std::size_t num_values = 0;
  std::vector<SketchCost> costs;
};

/// Compares sketches on sketch_values(). The error is the distance of sum(b) from the interval between the number of
/// values < b and that of values <= b, at 1000 values b of evenly spaced ranks.
SketchStudy run_sketch_study(std::size_t num_values, const ProgressCallback& progress);

std::string sketch_study_text(const SketchStudy& study);
/// Keys: values, costs [sketch, distribution, workers, most_rank_error, mean_rank_error, size_bytes, update_ns,
/// merge_us].
nlohmann::json sketch_study_json(const SketchStudy& study);

}  // namespace fernwood::lab
