// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/option_text.h"

#include "fernwood/core/text_stream.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::predict {

namespace {

const std::vector<TextOption<PredictOptions>>& text_rows() {
  using O = PredictOptions;
  static const std::vector<TextOption<O>> kRows = {
      text_option<O>(
          "device", [](O & o) -> auto& { return o.device; }),
      text_option<O>(
          "threads", [](O & o) -> auto& { return o.threads; }),
      text_option<O>(
          "layout", [](O & o) -> auto& { return o.layout; }),
      text_option<O>(
          "loads", [](O & o) -> auto& { return o.loads; }),
      text_option<O>(
          "grid", [](O & o) -> auto& { return o.grid; }),
      {"interpolate", [](const std::string& text, O& o) { o.interpolate = parse_flag("interpolate", text); }},
      text_option<O>(
          "smooth", [](O & o) -> auto& { return o.smoothing.extent_px; }),
      text_option<O>(
          "smooth-color", [](O & o) -> auto& { return o.smoothing.color; }),
      text_option<O>(
          "smooth-depth", [](O & o) -> auto& { return o.smoothing.depth; })};
  return kRows;
}

}  // namespace

std::string describe_labelling(const PredictOptions& options) {
  const Smoothing& smoothing = options.smoothing;
  TextOutput text;
  text << "--grid " << options.grid << " --interpolate "
       << (!options.interpolate   ? "auto"
           : *options.interpolate ? "true"
                                  : "false")
       << " --smooth " << smoothing.extent_px << " --smooth-color " << smoothing.color << " --smooth-depth "
       << smoothing.depth;
  return std::move(text).str();
}

void set_options(const OptionTexts& texts, PredictOptions& options) {
  for (const auto& [name, text] : texts) set_option(text_rows(), name, text, options);
}

std::vector<std::string> option_names() { return names_of(text_rows()); }

}  // namespace fernwood::predict
