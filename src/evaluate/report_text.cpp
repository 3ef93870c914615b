// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>

#include "evaluate/format.h"
#include "fernwood/evaluate/report.h"

namespace fernwood::evaluate {
namespace {

constexpr std::size_t kMaxColumns = 100;
constexpr std::size_t kMaxMatrixClasses = 12;

/// Columns that UTF-8 text takes, one per code point.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// The first `width` code points, with "…" for what is missing.
std::string clip(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return text;
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end)
    if ((text[end] & 0xC0) != 0x80 && ++seen == width) break;
  return text.substr(0, end) + "…";
}

std::string left(const std::string& text, std::size_t width) {
  const std::string shown = clip(text, width);
  return shown + std::string(width - width_of(shown), ' ');
}

std::string right(const std::string& text, std::size_t width) {
  const std::string shown = clip(text, width);
  return std::string(width - width_of(shown), ' ') + shown;
}

/// Writes with ANSI colours, or without.
struct Painter {
  bool color;
  std::string paint(const std::string& text, const std::string& code) const {
    return color ? "\x1b[" + code + "m" + text + "\x1b[0m" : text;
  }
  std::string bold(const std::string& text) const { return paint(text, "1"); }
  std::string dim(const std::string& text) const { return paint(text, "2"); }
  /// Good is green, bad is red, between is as it is.
  std::string grade(const std::string& text, double share) const {
    if (std::isnan(share)) return dim(text);
    return share >= 0.75 ? paint(text, "32") : share < 0.25 ? paint(text, "31") : text;
  }
  /// Two columns in a class's colour and a blank; nothing without colours.
  std::string swatch(image::Rgb c) const {
    if (!color) return "";
    return paint("  ", "48;2;" + std::to_string(c.r) + ";" + std::to_string(c.g) + ";" + std::to_string(c.b)) + " ";
  }
  std::string no_swatch() const { return std::string(swatch_width(), ' '); }
  std::size_t swatch_width() const { return color ? 3 : 0; }
};

/// Width of the column of class names.
std::size_t name_width(const EvaluationReport& report, std::size_t at_most) {
  std::size_t width = 5;  // "class"
  for (const image::ClassInfo& c : report.classes.classes) width = std::max(width, width_of(c.name));
  return std::min(width, at_most);
}

std::string heading(const EvaluationReport& report, const Painter& painter) {
  const auto line = [&](const std::string& key, const std::string& value) {
    return painter.dim(left(key, 10)) + clip(value, kMaxColumns - 10) + "\n";
  };
  std::string out;
  if (!report.model.empty()) out += line("model", report.model);
  if (!report.dataset.empty()) out += line("data set", report.dataset);
  if (!report.device.empty()) out += line("device", report.device);
  out +=
      line("frames", grouped(report.frames.size()) + ", " + fixed(report.frames_per_second(), 1) +
                         " a second; mean pixel accuracy of a frame " + percent(report.mean_frame_accuracy()) + " %");
  out += line("pixels", grouped(report.metrics.labelled_pixels) + " labelled, " + percent(void_share(report.metrics)) +
                            " % of all are void");
  return out;
}

std::string class_table(const EvaluationReport& report, const Painter& painter) {
  const Metrics& metrics = report.metrics;
  const std::size_t width = name_width(report, 40);
  std::string out = painter.bold(painter.no_swatch() + left("class", width) + right("pixels %", 11) +
                                 right("accuracy", 11) + right("IoU", 8) + right("precision", 12)) +
                    "\n";
  for (std::size_t c = 0; c < report.classes.size(); ++c) {
    const image::ClassInfo& info = report.classes.classes[c];
    const double pixels = share(report.confusion.truth_pixels(c), metrics.labelled_pixels);
    out += painter.swatch(info.color) + left(info.name, width) + right(percent(pixels), 11) +
           painter.grade(right(percent(metrics.class_accuracy[c]), 11), metrics.class_accuracy[c]) +
           painter.grade(right(percent(metrics.class_iou[c]), 8), metrics.class_iou[c]) +
           painter.grade(right(percent(metrics.class_precision[c]), 12), metrics.class_precision[c]) + "\n";
  }
  return out;
}

std::string totals(const EvaluationReport& report, const Painter& painter) {
  const Metrics& metrics = report.metrics;
  const auto line = [](const std::string& name, const forest::Accuracy& accuracy, const std::string& iou = "") {
    return left(name, 40) + right(percent(accuracy.pixel), 9) + right(percent(accuracy.class_average), 9) +
           (iou.empty() ? "" : right(iou, 10));
  };
  std::string out =
      painter.bold(left("accuracy %", 40) + right("pixel", 9) + right("class", 9) + right("mean IoU", 10)) + "\n";
  out += painter.bold(line("without void", metrics.without_void, percent(metrics.mean_iou))) + "\n";
  out += line("with void as a class", metrics.all) + "\n";
  if (metrics.without_background)
    out += line("without background (" + clip(report.background_name(), 19) + ")", *metrics.without_background) + "\n";
  return out;
}

std::string matrix_cell(double share, std::size_t width, bool diagonal, const Painter& painter) {
  const std::string text = right(percent(share), width);
  if (diagonal) return painter.paint(text, "1;32");
  if (share >= 0.1) return painter.paint(text, "33");
  return share >= 0.0005 ? text : painter.dim(text);
}

std::string confusion_matrix(const EvaluationReport& report, const Painter& painter) {
  const Array2<double> shares = row_shares(report.confusion);
  const std::size_t names = name_width(report, 18);
  const std::size_t room = (kMaxColumns - painter.swatch_width() - names) / shares.cols();
  const std::size_t width = std::min(room, std::max<std::size_t>(names, 5) + 2);
  std::string header = painter.no_swatch() + std::string(names, ' ');
  for (std::size_t p = 0; p < shares.cols(); ++p) {
    const bool is_class = p < report.classes.size();
    header += ' ';
    header += right(is_class ? report.classes.classes[p].name : "void", width - 1);
  }
  std::string out = painter.dim("confusion: of the pixels of a row's class, % predicted as the column's class") + "\n" +
                    painter.bold(header) + "\n";
  for (std::size_t t = 0; t < shares.rows(); ++t) {
    const image::ClassInfo& info = report.classes.classes[t];
    out += painter.swatch(info.color) + left(info.name, names);
    for (std::size_t p = 0; p < shares.cols(); ++p) out += matrix_cell(shares(t, p), width, t == p, painter);
    out += "\n";
  }
  return out;
}

}  // namespace

std::string report_table(const EvaluationReport& report, bool color) {
  const Painter painter{color};
  std::string out = heading(report, painter) + "\n" + class_table(report, painter) + "\n" + totals(report, painter);
  const std::size_t num_classes = report.classes.size();
  if (num_classes > 0 && num_classes <= kMaxMatrixClasses) out.append("\n").append(confusion_matrix(report, painter));
  return out;
}

}  // namespace fernwood::evaluate
