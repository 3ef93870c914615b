// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <limits>
#include <string>

#include "core/counts.h"
#include "fernwood/report/evaluation.h"

namespace fernwood::report::testdata {

/// The example counts with names, two frames (one without labelled pixels) and half a second.
inline evaluate::EvaluationReport example_report() {
  evaluate::EvaluationReport report;
  report.model = "rooms.fernwood";
  report.dataset = "rooms/test";
  report.classes.classes = {{"floor", {1, 2, 3}}, {"door", {4, 5, 6}}, {"wall", {7, 8, 9}}};
  report.confusion = fernwood::testdata::example_confusion();
  report.metrics = compute_metrics(report.confusion, {});
  report.seconds = 0.5;
  report.frames = {{"one", 0.5, 0.25}, {"two", std::numeric_limits<double>::quiet_NaN(), 1.0}};
  return report;
}

/// `num_classes` classes named "class 0" …, each with one pixel, all correct.
inline evaluate::EvaluationReport perfect_report(std::size_t num_classes) {
  evaluate::EvaluationReport report;
  report.confusion = Confusion(num_classes);
  for (std::size_t c = 0; c < num_classes; ++c) {
    report.classes.classes.push_back({"class " + std::to_string(c), {}});
    const image::LabelImage labels(1, 1, static_cast<std::uint16_t>(c));
    report.confusion.add(labels, labels);
  }
  report.metrics = compute_metrics(report.confusion, {});
  return report;
}

/// The objects of example_report(), in two frames: "floor" is stuff; of two doors one is found, with half of its
/// pixels.
inline evaluate::PanopticReport example_objects() {
  constexpr std::uint64_t kOne = evaluate::SegmentCounts::kIouUnits;
  evaluate::PanopticReport objects({false, true, true});
  objects.num_frames = 2;
  objects.found = {{2, 2, 2, kOne * 3 / 2, 0, 0}, {2, 1, 1, kOne / 2, 1, 13'000}, {}};
  objects.connected = {{2, 0, 0, 0, 0, 0}, {2, 4, 0, 0, 0, 0}, {}};
  objects.true_labels = {{2, 2, 2, 2 * kOne, 0, 0}, {2, 2, 2, 2 * kOne, 0, 0}, {}};
  objects.measures = {{40'000, 35'000, 7'000, 2, 30}, {5'000, 6'000, 3'000, 0, 0}, {}};
  return objects;
}

}  // namespace fernwood::report::testdata
