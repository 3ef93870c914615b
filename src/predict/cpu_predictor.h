// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/core/isa.h"
#include "fernwood/core/parallel.h"
#include "fernwood/predict/predictor.h"
#include "predict/strip.h"

namespace fernwood {

/// Labels frames on the processor's cores, strips of rows in parallel.
class CpuPredictor : public Predictor {
 public:
  CpuPredictor(const Forest& forest, int threads, Isa isa);
  Prediction predict(const Frame& frame, const PredictRequest& request) override;
  std::string layout() const override { return to_string(isa_); }

 private:
  /// Memory that one thread uses again and again.
  struct Worker {
    Strip strip;
    std::vector<float> sums, alone;
  };
  void label_rows(const FrameView& frame, std::int32_t row_begin, std::int32_t row_end, const PredictRequest& request,
                  Worker& worker, Prediction& out) const;

  Preparation preparation_;
  std::size_t num_classes_;
  std::vector<TreeTables> trees_;
  ThreadPool pool_;
  Isa isa_;
  const RespondKernels& kernels_;
  std::vector<Worker> workers_;
};

}  // namespace fernwood
