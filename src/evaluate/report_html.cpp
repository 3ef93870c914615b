// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/report_html_parts.h"
#include "evaluate/stacked_bars.h"

namespace fernwood::evaluate {
namespace {

// What the house style sheet lacks: the matrix, and bars beside their numbers.
const char* const kStyle = R"(<style>
.bar { display: inline-block; width: 9rem; }
.value { display: inline-block; min-width: 4rem; text-align: right; }
.heat th, .heat td { border: 0; }
.heat tbody td { min-width: 2.7rem; padding: .35rem .3rem; text-align: center; border: 1px solid var(--line); }
.heat thead th { padding: .3rem 0; text-align: center; vertical-align: bottom; }
.heat .name { display: inline-block; writing-mode: vertical-rl; transform: rotate(180deg); max-height: 9rem;
  line-height: 1.5; overflow: hidden; text-overflow: ellipsis; }
.heat .name .swatch { margin: 0 0 .4em 0; }
.heat tbody td.right { outline: 2px solid var(--soft); outline-offset: -2px; }
.heat.many tbody td { min-width: 1.1rem; height: 1.1rem; padding: 0; }
.heat.many th { font-size: .75rem; line-height: 1.2; padding-top: 0; padding-bottom: 0; }
figure { margin-bottom: 1rem; }
</style>
)";

std::string heading(const EvaluationReport& report) {
  std::string out = "<h1>Evaluation</h1>\n<p class=\"soft\">";
  if (!report.model.empty()) out += "Model <code>" + html_escape(report.model) + "</code>";
  if (!report.model.empty() && !report.dataset.empty()) out += " on ";
  if (!report.dataset.empty()) out += "data set <code>" + html_escape(report.dataset) + "</code>";
  return out + "</p>\n";
}

std::string facts(const EvaluationReport& report) {
  const auto fact = [](const std::string& value, const std::string& meaning) {
    return "<div><b>" + value + "</b><span class=\"soft\">" + meaning + "</span></div>\n";
  };
  const Metrics& metrics = report.metrics;
  return "<div class=\"facts\">\n" + fact(with_sign(metrics.without_void.pixel), "pixel accuracy") +
         fact(with_sign(metrics.without_void.class_average), "class accuracy") +
         fact(with_sign(metrics.mean_iou), "mean IoU") + fact(grouped(report.frames.size()), "frames") +
         fact(fixed(report.frames_per_second(), 1), "frames a second") +
         fact(with_sign(void_share(metrics)), "of all pixels are void") + "</div>\n";
}

std::string frame_pictures(const std::string& title, const std::vector<FramePictures>& frames) {
  if (frames.empty()) return "";
  std::string out = "<h2>" + title + "</h2>\n";
  for (const FramePictures& frame : frames) {
    out += "<figure><div class=\"row\">\n";
    for (const EncodedPicture& picture : frame.pictures)
      out += "<div>" + html_image(picture.bytes, picture.mime, frame.name + ", " + picture.caption) +
             "<span class=\"soft\">" + html_escape(picture.caption) + "</span></div>\n";
    out += "</div><figcaption>" + html_escape(frame.name) + ": " + with_sign(frame.pixel_accuracy) +
           " of the labelled pixels are right</figcaption></figure>\n";
  }
  return out;
}

}  // namespace

std::string report_html(const EvaluationReport& report) {
  return html_page("Evaluation" + (report.dataset.empty() ? "" : " on " + report.dataset),
                   kStyle + std::string(kStackedBarsStyle) + heading(report) + facts(report) +
                       accuracy_section(report) + confusion_section(report) +
                       frame_pictures("Worst frames", report.worst) + frame_pictures("Best frames", report.best) +
                       features_section(report) + training_section(report));
}

}  // namespace fernwood::evaluate
