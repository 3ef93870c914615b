// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/predictor.h"

#include "fernwood/core/error.h"
#include "predict/cpu_predictor.h"

namespace fernwood {

std::unique_ptr<Predictor> make_predictor(const Forest& forest, const PredictOptions& options) {
  FW_CHECK(options.device == "auto" || options.device == "cpu", Device,
           "this build labels on the CPU only; give --device cpu, not " << options.device);
  return std::make_unique<CpuPredictor>(forest, options.threads, available_isas().back());
}

}  // namespace fernwood
