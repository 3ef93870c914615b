// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>

#include "evaluate/format.h"
#include "fernwood/core/html.h"
#include "fernwood/evaluate/report.h"

namespace fernwood {
namespace {

constexpr std::size_t kMaxNumberedClasses = 20;  // beyond it, cells of the matrix show colour and a tooltip only

// What the house style sheet lacks: the matrix, and bars beside their numbers.
const char* const kStyle = R"(<style>
.bar { display: inline-block; width: 9rem; }
.bar > i.iou { background: #4a86c8; }
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

std::string with_sign(double share) { return std::isnan(share) ? "–" : percent(share) + " %"; }

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

std::string number(double share) { return "<td class=\"num\">" + with_sign(share) + "</td>"; }

std::string variants(const EvaluationReport& report) {
  const auto row = [](const std::string& name, const Accuracy& accuracy) {
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

std::string swatch(const ClassInfo& info) {
  const auto channel = [](std::uint8_t value) { return std::to_string(static_cast<int>(value)); };
  return "<span class=\"swatch\" style=\"background:rgb(" + channel(info.color.r) + "," + channel(info.color.g) + "," +
         channel(info.color.b) + ")\"></span>";
}

std::string bar(double share, const char* kind) {
  const std::string length = std::isnan(share) ? "0" : percent(share);
  return "<td><span class=\"bar\"><i class=\"" + std::string(kind) + "\" style=\"width:" + length +
         "%\"></i></span><span class=\"value\">" + with_sign(share) + "</span></td>";
}

std::string class_bars(const EvaluationReport& report) {
  const Metrics& metrics = report.metrics;
  std::string out =
      "<h2>Classes</h2>\n<div class=\"scroll\"><table><thead><tr><th>class</th><th class=\"num\">share of pixels</th>"
      "<th>accuracy</th><th>intersection over union</th><th class=\"num\">precision</th></tr></thead>\n<tbody>\n";
  for (std::size_t c = 0; c < report.classes.size(); ++c) {
    const ClassInfo& info = report.classes.classes[c];
    out += "<tr><td>" + swatch(info) + html_escape(info.name) + "</td>" +
           number(share(report.confusion.truth_pixels(c), metrics.labelled_pixels)) +
           bar(metrics.class_accuracy[c], "accuracy") + bar(metrics.class_iou[c], "iou") +
           number(metrics.class_precision[c]) + "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string matrix_cell(double share, bool right, bool numbered, const std::string& tooltip) {
  const std::string shown = std::isnan(share) ? "–" : percent(share);
  std::string style;
  if (!std::isnan(share)) {
    // The square root lets the few percent that matter be seen.
    const std::string strength = fixed(0.9 * std::sqrt(share), 3);
    style = std::string(" style=\"background:rgba(") + (right ? "47,125,79," : "196,78,40,") + strength + ")" +
            (share > 0.4 ? ";color:#fff" : "") + "\"";
  }
  return std::string("<td") + (right ? " class=\"right\"" : "") + style + " title=\"" + html_escape(tooltip) + ": " +
         shown + " %\">" + (numbered ? shown : "") + "</td>";
}

std::string confusion_matrix(const EvaluationReport& report) {
  const Array2<double> shares = row_shares(report.confusion);
  const std::vector<ClassInfo>& classes = report.classes.classes;
  const bool numbered = classes.size() <= kMaxNumberedClasses;
  const auto name = [&](std::size_t p) { return p < classes.size() ? classes[p].name : std::string("void"); };
  std::string out =
      "<h2>Confusion</h2>\n<p class=\"soft\">Rows are the truth, columns the prediction. A cell is the share, in "
      "percent, of its row's pixels that were given its column's class; void is left out of the truth.</p>\n"
      "<div class=\"scroll\"><table class=\"heat" +
      std::string(numbered ? "" : " many") + "\"><thead><tr><th></th>";
  for (std::size_t p = 0; p < shares.cols(); ++p)
    out += "<th title=\"" + html_escape(name(p)) + "\"><span class=\"name\">" +
           (p < classes.size() ? swatch(classes[p]) : "") + html_escape(name(p)) + "</span></th>";
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t t = 0; t < shares.rows(); ++t) {
    out += "<tr><th>" + swatch(classes[t]) + html_escape(classes[t].name) + "</th>";
    for (std::size_t p = 0; p < shares.cols(); ++p)
      out += matrix_cell(shares(t, p), t == p, numbered, classes[t].name + " as " + name(p));
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
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
                   kStyle + heading(report) + facts(report) + variants(report) + class_bars(report) +
                       confusion_matrix(report) + frame_pictures("Worst frames", report.worst) +
                       frame_pictures("Best frames", report.best));
}

}  // namespace fernwood
