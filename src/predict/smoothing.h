// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/predict/predictor.h"
#include "predict/smoothing_formulas.h"

namespace fernwood::predict {

/// @param smoothing  Checked, with an extent.
LinkTables link_tables(const Smoothing& smoothing);

/// Smooths the class probabilities of frames, one after another, on the processor's cores.
class Smoother {
 public:
  explicit Smoother(const Smoothing& smoothing);
  bool is_on() const { return on_; }

  /// Smooths out.probabilities and chooses out.labels by them; gives the probabilities back unless they are asked for.
  /// @param out  With all means over the trees.
  void smooth(const image::Frame& frame, const PredictRequest& request, ThreadPool& pool, Prediction& out);

 private:
  void find_links(const image::Frame& frame, ThreadPool& pool);
  void shorten_links(ThreadPool& pool);
  void run_along_rows(std::vector<Array2<float>>& planes, ThreadPool& pool);
  void run_along_columns(std::vector<Array2<float>>& planes, ThreadPool& pool);

  bool on_;
  LinkTables tables_;
  Array2<float> left_, up_;                ///< [rows][cols] weights of the links to the left and upper neighbour, or 0.
  std::vector<std::vector<float>> lines_;  ///< [worker] scratch
};

}  // namespace fernwood::predict
