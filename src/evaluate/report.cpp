// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/evaluate/report.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fernwood::evaluate {

double EvaluationReport::frames_per_second() const {
  return seconds > 0 ? static_cast<double>(frames.size()) / seconds : std::numeric_limits<double>::quiet_NaN();
}

double EvaluationReport::median_seconds() const {
  if (frames.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sorted;
  for (const FrameScore& frame : frames) sorted.push_back(frame.seconds);
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

double EvaluationReport::mean_frame_accuracy() const {
  double sum = 0;
  int num_known = 0;
  for (const FrameScore& frame : frames) {
    if (std::isnan(frame.pixel_accuracy)) continue;
    sum += frame.pixel_accuracy;
    ++num_known;
  }
  return num_known > 0 ? sum / num_known : std::numeric_limits<double>::quiet_NaN();
}

std::string EvaluationReport::background_name() const {
  return classes.background ? classes.classes[*classes.background].name : "void";
}

}  // namespace fernwood::evaluate
