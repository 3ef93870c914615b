// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Means of the panoptic quality and of measures, as tables, JSON and pages list them.

#include <array>

#include "fernwood/core/confusion.h"
#include "fernwood/evaluate/panoptic.h"

namespace fernwood::report {

struct PanopticMean {
  const char *key, *name;
  evaluate::PanopticQuality quality;
  evaluate::SegmentCounts counts;
};

inline std::array<PanopticMean, 5> panoptic_means(const evaluate::PanopticReport& report) {
  using evaluate::ClassKind;
  const auto mean = [&](const char* key, const char* name, const auto& counts, ClassKind kind) {
    return PanopticMean{key, name, report.mean(counts, kind), report.sum(counts, kind)};
  };
  return {mean("things", "things", report.found, ClassKind::kThings),
          mean("stuff", "stuff", report.found, ClassKind::kStuff), mean("all", "all", report.found, ClassKind::kAll),
          mean("things_connected_pixels", "things, connected pixels", report.connected, ClassKind::kThings),
          mean("things_true_labels", "things, true labels", report.true_labels, ClassKind::kThings)};
}

/// Measures of a class, on average of a frame; the counts are NaN for stuff.
struct MeasureMeans {
  double true_count, found_count, true_area_m2, found_area_m2, area_error_m2;
  double distance_error_m;  ///< NaN where no frame shows the class in both labels.
};

inline MeasureMeans measure_means(const evaluate::PanopticReport& report, std::size_t label) {
  const evaluate::MeasureSums& sums = report.measures[label];
  const evaluate::SegmentCounts& counts = report.found[label];
  const auto count = [&](std::uint64_t sum) {
    return report.is_thing[label] ? ratio(sum, report.num_frames) : evaluate::PanopticQuality::kUnknown;
  };
  const auto area_m2 = [&](std::uint64_t sum_cm2) { return ratio(sum_cm2, report.num_frames) / 1e4; };
  return {count(counts.num_true),       count(counts.num_found),      area_m2(sums.true_area_cm2),
          area_m2(sums.found_area_cm2), area_m2(sums.area_error_cm2), sums.mean_distance_error_m()};
}

}  // namespace fernwood::report
