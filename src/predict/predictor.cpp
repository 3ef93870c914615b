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

void check_images(const Forest& forest, bool has_color, bool has_depth, const std::string& place) {
  const ChannelLayout& channels = forest.preparation.channels;
  std::string names;
  for (const std::string& name : channels.set_names()) names += (names.empty() ? "" : ", ") + name;
  const auto require = [&](bool needed, bool there, const char* what) {
    FW_CHECK(there || !needed, Model,
             place << ": the model reads " << names << "; there are no " << what
                   << " images; add them, or train a model without these channels");
  };
  require(channels.needs_color(), has_color, "colour");
  require(channels.needs_depth(), has_depth, "depth");
}

}  // namespace fernwood
