// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Means of the panoptic quality, as tables, JSON and pages list them.

#include <array>

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

}  // namespace fernwood::report
