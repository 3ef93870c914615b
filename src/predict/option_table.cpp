// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/predict/live.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::predict {

namespace {

using O = PredictOptions;

constexpr std::string_view kWork = "Resources", kLabels = "Labels";

constexpr std::array kRows = {
    option<&O::device>("device", "Device: auto, cpu, cuda, cuda:N, a list cuda:0,1, or cuda:all")
        .takes("NAME")
        .in_group(kWork),
    option<&O::threads>("threads", "CPU threads; 0: all").abbreviated('j').in_group(kWork),
    option<&O::layout>("layout", "Memory layout of frames and trees, see docs/reference/devices.md; auto: the fastest")
        .takes("NAME")
        .in_group(kWork),
    option<&O::interpolate>("interpolate", "Evaluate one pixel per 4 x 4 cell only and interpolate; best with {smooth}")
        .default_means("for boosted forests")
        .in_group(kLabels),
    option<&O::steady>("steady", "Fuse the labels of a video from frame to frame, using poses or depth")
        .in_group(kLabels),
    option<&O::min_confidence>("min-confidence", "Minimum probability of a pixel's class; below it, the pixel is void")
        .takes("P")
        .in(from_to(0, 1))
        .in_group(kLabels),
};

constexpr std::array kSmoothingRows = {
    option<&Smoothing::extent_px>("smooth", "Extent of edge-aware smoothing, in pixels; 0: none")
        .default_means("0; for steady labels and fernwood map 16; for objects 80")
        .in(from_to(0, 1000))
        .in_group(kLabels),
};

constexpr std::array kLiveRows = {
    option<&LiveOptions::max_frames>("frames", "Number of frames to label; 0: until the source ends"),
};

}  // namespace

OptionTable<LiveOptions> LiveOptions::table() { return kLiveRows; }
OptionTable<PredictOptions> PredictOptions::table() { return kRows; }
OptionTable<Smoothing> Smoothing::table() { return kSmoothingRows; }

void LiveOptions::check() const {
  check_options(table(), *this);
  capture.check();
}

void Smoothing::check() const { check_options(table(), *this); }

void PredictOptions::check() const {
  check_options(table(), *this);
  smoothing.check();
  require_together(!steady || interpolate.value_or(true),
                   "{} fuses probabilities of cells, and {} evaluates pixels; use one of them",
                   {{"steady"}, {"interpolate", "false"}});
}

std::string describe_labelling(const PredictOptions& options) {
  std::vector<std::string> parts;
  const auto add = [&](const auto& row, const auto& of) {
    parts.push_back("--" + std::string(row.name) + " " + to_text(row.get(of)));
  };
  for (const auto& row : PredictOptions::table())
    if (row.group == kLabels) add(row, options);
  for (const auto& row : Smoothing::table()) add(row, options.smoothing);
  return join(parts, " ");
}

std::vector<std::string> label_options() {
  std::vector<std::string> names;
  const auto add = [&](const auto& rows) {
    for (const auto& row : rows)
      if (row.group == kLabels) names.emplace_back(row.name);
  };
  add(kRows);
  add(kSmoothingRows);
  return names;
}

void set_options(const OptionTexts& texts, PredictOptions& options) {
  for (const auto& [name, text] : texts) set_option(name, text, options, options.smoothing);
}

}  // namespace fernwood::predict
