// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/predictor.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "predict/cpu_predictor.h"

namespace fernwood {

namespace {

/// The instruction set of a layout; the newest of the processor for "auto".
Isa isa_of_layout(const std::string& layout) {
  const std::vector<Isa>& isas = available_isas();
  if (layout == "auto") return isas.back();
  const auto found = std::ranges::find_if(isas, [&](Isa isa) { return to_string(isa) == layout; });
  std::string known = "auto";
  for (const Isa isa : isas) known += ", " + to_string(isa);
  FW_CHECK(found != isas.end(), Usage, "the CPU has no layout \"" << layout << "\"; give one of " << known);
  return *found;
}

}  // namespace

std::vector<std::string> predict_layouts(Device) {
  std::vector<std::string> names;
  for (const Isa isa : available_isas()) names.push_back(to_string(isa));
  return names;
}

std::unique_ptr<Predictor> make_predictor(const Forest& forest, const PredictOptions& options) {
  FW_CHECK(options.device == "auto" || options.device == "cpu", Device,
           "this build labels on the CPU only; give --device cpu, not " << options.device);
  return std::make_unique<CpuPredictor>(forest, options.threads, isa_of_layout(options.layout));
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
