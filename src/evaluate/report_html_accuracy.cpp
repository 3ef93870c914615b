// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/report_html_parts.h"

namespace fernwood::evaluate {
namespace {

std::string number(double share) { return number_cell(with_sign(share)); }

std::string variants(const EvaluationReport& report) {
  const auto row = [](const std::string& name, const forest::Accuracy& accuracy) {
    return "<tr><td>" + name + "</td>" + number(accuracy.pixel) + number(accuracy.class_average) + "</tr>\n";
  };
  const Metrics& metrics = report.metrics;
  std::string out =
      "<h2>Accuracy</h2>\n<table><thead><tr><th></th><th class=\"num\">pixel</th><th class=\"num\">class average</th>"
      "</tr></thead>\n<tbody>\n" +
      row("without void", metrics.without_void) + row("with void as a class", metrics.all);
  if (metrics.without_background)
    out += row("without background (" + html_escape(report.background_name()) + ")", *metrics.without_background);
  return out +
         "</tbody></table>\n<p class=\"soft\">Pixel accuracy is the share of pixels that are right, class accuracy the "
         "mean of the classes' own accuracies. Without void, pixels whose truth is void are not looked at: the figures "
         "usually quoted. Without background, pixels of the background count only where they are right. The mean pixel "
         "accuracy of a frame is " +
         with_sign(report.mean_frame_accuracy()) + ".</p>\n";
}

std::string class_bars(const EvaluationReport& report) {
  const Metrics& metrics = report.metrics;
  std::string out =
      "<h2>Classes</h2>\n<div class=\"scroll\"><table><thead><tr><th>class</th><th class=\"num\">share of pixels</th>"
      "<th>accuracy</th><th>intersection over union</th><th class=\"num\">precision</th></tr></thead>\n<tbody>\n";
  for (std::size_t c = 0; c < report.classes.size(); ++c) {
    const image::ClassInfo& info = report.classes.classes[c];
    out += "<tr><td>" + swatch(info) + html_escape(info.name) + "</td>" +
           number(share(report.confusion.truth_pixels(c), metrics.labelled_pixels)) +
           bar_cell(metrics.class_accuracy[c], "") + bar_cell(metrics.class_iou[c], ";background:#4a86c8") +
           number(metrics.class_precision[c]) + "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string accuracy_section(const EvaluationReport& report) { return variants(report) + class_bars(report); }

}  // namespace fernwood::evaluate
