// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/parallel.h"
#include "fernwood/predict/predictor.h"
#include "predict/smoothing.h"
#include "predict/stage_runner.h"

namespace fernwood::predict {

/// Labels frames on the processor's cores, strips of rows in parallel.
class CpuPredictor : public Predictor {
 public:
  CpuPredictor(const forest::Forest& forest, int threads, Isa isa, const Smoothing& smoothing = {});
  Prediction predict(const image::Frame& frame, const PredictRequest& request) override;
  std::string layout() const override { return to_string(isa_); }

 private:
  void label_rows(const image::FrameView& frame, const GridRows& rows, const PredictRequest& request,
                  StripWorker& worker, Prediction& out) const;

  std::size_t num_classes_;
  StageRunner context_;
  std::vector<TreeTables> trees_;
  ThreadPool pool_;
  Isa isa_;
  const forest::RespondKernels& kernels_;
  std::vector<StripWorker> workers_;
  Smoother smoother_;
};

}  // namespace fernwood::predict
