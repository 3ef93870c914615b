// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/core/isa.h"
#include "fernwood/core/parallel.h"
#include "fernwood/predict/predictor.h"
#include "predict/label_kernels.h"

namespace fernwood {

/// Labels frames on the processor's cores: rows of patches in parallel, the pixels of a patch in vectors.
class CpuPredictor : public Predictor {
 public:
  CpuPredictor(const Forest& forest, int threads, Isa isa);
  Prediction predict(const Frame& frame, const PredictRequest& request) override;

 private:
  struct TreeTables {
    std::vector<Node> nodes;
    Array2<float> probabilities;  // [leaf][class]
  };
  void label_patch(const FrameView& frame, int x0, int y0, const PredictRequest& request, std::vector<float>& scratch,
                   Prediction& out) const;

  Preparation preparation_;
  std::size_t num_classes_;
  std::vector<TreeTables> trees_;
  ThreadPool pool_;
  const LabelKernels& kernels_;
};

}  // namespace fernwood
