// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>
#include <functional>

#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/report/evaluation.h"
#include "page/page.h"
#include "report/panoptic_means.h"
#include "report/pictures.h"

namespace fernwood::report {

using namespace page;

using evaluate::EvaluationReport;

namespace {

constexpr std::size_t kMaxNumberedClasses = 20;  // more classes: cells have only a colour and a tooltip
constexpr std::size_t kMaxLinkedCells = 100;     // the most frequent confusions
constexpr double kLeastLinked = 0.0005;          // share of a cell that is shown as more than 0.0 %
constexpr const char* kIouColor = "#4a86c8";

PageHead head(const EvaluationReport& report) {
  const Metrics& metrics = report.metrics;
  const std::string model = report.model.empty() ? "" : "Model " + code(report.model);
  const std::string dataset = report.dataset.empty() ? "" : "data set " + code(report.dataset);
  return {"Evaluation" + (report.dataset.empty() ? "" : " on " + report.dataset),
          "Evaluation",
          model + (model.empty() || dataset.empty() ? "" : " on ") + dataset,
          {{percent_sign(metrics.without_void.pixel), "pixel accuracy"},
           {percent_sign(metrics.without_void.class_average), "class accuracy"},
           {percent_sign(metrics.mean_iou), "mean IoU"},
           {format_count(report.frames.size()), "frames"},
           {fixed(report.frames_per_second(), 1), "frames per second"},
           {percent_sign(metrics.void_share()), "of all pixels are void"}}};
}

std::string accuracy_section(const EvaluationReport& report) {
  HtmlTable table({{""}, number_column("pixel"), number_column("class average")});
  const auto row = [&](const std::string& name, const Accuracy& accuracy) {
    table.row({name, percent_sign(accuracy.pixel), percent_sign(accuracy.class_average)});
  };
  row("without void", report.metrics.without_void);
  row("with void as a class", report.metrics.all);
  if (report.metrics.without_background)
    row("without background (" + escape(report.background_name()) + ")", *report.metrics.without_background);
  return section("Accuracy with void and background",
                 "The figures at the top, usually quoted, leave out pixels whose truth is void; the others count them "
                 "as a class, or count pixels of the background only where they are right. The mean pixel accuracy of "
                 "a frame is " +
                     percent_sign(report.mean_frame_accuracy()) + ".",
                 table.html());
}

std::string class_section(const EvaluationReport& report) {
  const Metrics& metrics = report.metrics;
  HtmlTable table({{"class"},
                   number_column("share of pixels"),
                   {"accuracy"},
                   {"intersection over union"},
                   number_column("precision")});
  for (std::size_t c = 0; c < report.classes.size(); ++c)
    table.row({class_label(report.classes.classes[c]),
               percent_sign(fernwood::ratio(report.confusion.truth_pixels(c), metrics.labelled_pixels)),
               bar_and_percent(metrics.class_accuracy[c]), bar_and_percent(metrics.class_iou[c], kIouColor),
               percent_sign(metrics.class_precision[c])});
  return section("Classes", "", table.html());
}

// Pictures of what is wrong.

constexpr image::Rgb kWrongColor = {230, 20, 30};

/// The picture in few shades of grey, which PNG compresses well, and pixels of a kind in red.
Array2<image::Rgb> marked(const Array2<image::Rgb>& picture, const image::LabelImage& truth,
                          const image::LabelImage& predicted, const auto& is_marked) {
  Array2<image::Rgb> result(truth.rows(), truth.cols());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const image::Rgb color = picture.empty() ? image::Rgb{} : picture.begin()[i];
    const auto grey = static_cast<std::uint8_t>((color.r + 2 * color.g + color.b) / 4 / 16 * 16 + 8);
    result.begin()[i] = is_marked(truth.begin()[i], predicted.begin()[i]) ? kWrongColor : image::Rgb{grey, grey, grey};
  }
  return result;
}

Array2<image::Rgb> errors(const Array2<image::Rgb>& picture, const image::LabelImage& truth,
                          const image::LabelImage& predicted) {
  return marked(picture, truth, predicted,
                [](std::uint16_t t, std::uint16_t p) { return t != image::kVoid && p != t; });
}

/// A wrong cell of the matrix, and where it is most frequent.
struct Confused {
  std::size_t truth = 0, predicted = 0;  ///< The number of classes: void.
  double share = 0;
  const evaluate::SmallFrame* frame = nullptr;

  std::string id() const { return "as-" + std::to_string(truth) + "-" + std::to_string(predicted); }
  bool has(std::uint16_t t, std::uint16_t p, std::size_t num_classes) const {
    return t == truth && (p < num_classes ? p : num_classes) == predicted;
  }
};

/// The cells that lead to a frame, by falling share.
std::vector<Confused> confused_cells(const EvaluationReport& report, const Array2<double>& shares) {
  const std::size_t num_classes = report.classes.size();
  Array2<std::size_t> most(shares.rows(), shares.cols(), 0);
  Array2<const evaluate::SmallFrame*> where(shares.rows(), shares.cols(), nullptr);
  for (const evaluate::SmallFrame& small : report.small) {
    Array2<std::size_t> counts(shares.rows(), shares.cols(), 0);
    for (std::size_t i = 0; i < small.truth.size(); ++i)
      if (const std::uint16_t t = small.truth.begin()[i]; t < num_classes)
        ++counts(t, std::min<std::size_t>(small.predicted.begin()[i], num_classes));
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts.begin()[i] > most.begin()[i]) {
        most.begin()[i] = counts.begin()[i];
        where.begin()[i] = &small;
      }
  }
  std::vector<Confused> cells;
  for (std::size_t t = 0; t < shares.rows(); ++t)
    for (std::size_t p = 0; p < shares.cols(); ++p)
      if (t != p && where(t, p) && shares(t, p) >= kLeastLinked) cells.push_back({t, p, shares(t, p), where(t, p)});
  std::ranges::stable_sort(cells, std::greater{}, &Confused::share);
  if (cells.size() > kMaxLinkedCells) cells.resize(kMaxLinkedCells);
  return cells;
}

std::string class_name(const EvaluationReport& report, std::size_t c) {
  return c < report.classes.size() ? report.classes.classes[c].name : "void";
}

/// The frame of a cell, which the page shows when its address names it.
std::string confused_figure(const Confused& cell, const EvaluationReport& report) {
  const std::string& frame = report.frames.at(cell.frame->frame).name;
  const std::string what = class_name(report, cell.truth) + " as " + class_name(report, cell.predicted);
  const auto is_marked = [&](std::uint16_t t, std::uint16_t p) { return cell.has(t, p, report.classes.size()); };
  return "<figure class=\"confused\" id=\"" + cell.id() + "\">" +
         flat_picture(marked(cell.frame->picture, cell.frame->truth, cell.frame->predicted, is_marked),
                      frame + ", " + what) +
         "<figcaption>" + escape(what) + " is most frequent in <a href=\"#frame-" + std::to_string(cell.frame->frame) +
         "\">" + escape(frame) + "</a>; it is red there</figcaption></figure>\n";
}

std::string matrix_cell(double share, bool right, bool numbered, const std::string& tooltip, const std::string& link) {
  const std::string shown = std::isnan(share) ? "–" : percent(share);
  std::string style;
  if (!std::isnan(share)) {
    // The square root makes small percentages visible.
    const std::string strength = fixed(0.9 * std::sqrt(share), 3);
    style = std::string(" style=\"background:rgba(") + (right ? "47,125,79," : "196,78,40,") + strength + ")" +
            (share > 0.4 ? ";color:#fff" : "") + "\"";
  }
  const std::string content = numbered ? shown : link.empty() ? "" : "&nbsp;";
  return std::string("<td") + (right ? " class=\"right\"" : "") + style + " title=\"" + escape(tooltip) + ": " + shown +
         " %\">" + (link.empty() ? content : "<a href=\"#" + link + "\">" + content + "</a>") + "</td>";
}

std::string confusion_section(const EvaluationReport& report) {
  const Array2<double> shares = report.confusion.row_shares();
  const std::vector<image::ClassInfo>& classes = report.classes.classes;
  const bool numbered = classes.size() <= kMaxNumberedClasses;
  const std::vector<Confused> cells = confused_cells(report, shares);
  Array2<std::string> links(shares.rows(), shares.cols());
  std::string figures;
  for (const Confused& cell : cells) {
    links(cell.truth, cell.predicted) = cell.id();
    figures += confused_figure(cell, report);
  }
  std::string html =
      "<div class=\"scroll\"><table class=\"heat" + std::string(numbered ? "" : " many") + "\"><thead><tr><th></th>";
  for (std::size_t p = 0; p < shares.cols(); ++p)
    html += "<th title=\"" + escape(class_name(report, p)) + "\"><span class=\"name\">" +
            (p < classes.size() ? class_label(classes[p]) : "void") + "</span></th>";
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t t = 0; t < shares.rows(); ++t) {
    html += "<tr><th>" + class_label(classes[t]) + "</th>";
    for (std::size_t p = 0; p < shares.cols(); ++p)
      html +=
          matrix_cell(shares(t, p), t == p, numbered, classes[t].name + " as " + class_name(report, p), links(t, p));
    html += "</tr>\n";
  }
  return section(
      "Confusion",
      "Rows are the truth, columns the prediction. A cell is the share, in percent, of its row's pixels that "
      "were given its column's class; void is left out of the truth." +
          std::string(cells.empty() ? "" : " A click on a cell shows the frame where it is most frequent."),
      html + "</tbody></table></div>\n" + figures);
}

std::string panoptic_section(const EvaluationReport& report) {
  if (!report.panoptic) return "";
  const evaluate::PanopticReport& panoptic = *report.panoptic;
  HtmlTable table({{"class"},
                   {"panoptic quality"},
                   number_column("SQ"),
                   number_column("RQ"),
                   number_column("true"),
                   number_column("found"),
                   number_column("matched"),
                   number_column("error of the centre")});
  const auto with_unit = [](double value, int digits, const char* unit) {
    return std::isnan(value) ? "–" : fixed(value, digits) + unit;
  };
  const auto row = [&](const std::string& name_html, const evaluate::PanopticQuality& quality,
                       const evaluate::SegmentCounts& counts) {
    table.row({name_html, bar_and_percent(quality.pq, kIouColor), percent_sign(quality.sq), percent_sign(quality.rq),
               format_count(counts.num_true), format_count(counts.num_found), format_count(counts.num_matched),
               with_unit(counts.mean_center_error_m(), 3, " m")});
  };
  for (std::size_t c = 0; c < report.classes.size(); ++c)
    if (const evaluate::PanopticQuality quality = panoptic.found[c].quality(); !std::isnan(quality.pq))
      row(class_label(report.classes.classes[c]), quality, panoptic.found[c]);
  for (const PanopticMean& mean : panoptic_means(panoptic)) row(mean.name, mean.quality, mean.counts);
  HtmlTable measures({{"class"},
                      number_column("objects, true"),
                      number_column("found"),
                      number_column("area, true"),
                      number_column("found"),
                      number_column("error"),
                      number_column("error of the distance")});
  for (std::size_t c = 0; c < report.classes.size(); ++c) {
    if (std::isnan(panoptic.found[c].quality().pq)) continue;
    const MeasureMeans means = measure_means(panoptic, c);
    measures.row({class_label(report.classes.classes[c]), with_unit(means.true_count, 1, ""),
                  with_unit(means.found_count, 1, ""), with_unit(means.true_area_m2, 3, " m²"),
                  with_unit(means.found_area_m2, 3, " m²"), with_unit(means.area_error_m2, 3, " m²"),
                  with_unit(means.distance_error_m, 3, " m")});
  }
  return section(
      "Objects",
      "In " + counted(panoptic.num_frames, "frame") +
          " with instances. A true and a found object of a class match if their intersection over union is "
          "above one half; of stuff, all pixels of a class in a frame are one segment. RQ is the share of "
          "matches, SQ their mean intersection over union, panoptic quality the product. Connected pixels: "
          "objects found without depth. True labels: objects found in the ground truth of classes, an upper "
          "bound.",
      table.html() +
          paragraph("What is measured of a class in a frame, on average: its objects, its visible area by the "
                    "true and by the found labels, and the errors of the area and of the distance to its "
                    "nearest point.") +
          measures.html());
}

std::string frame_figure(const evaluate::ShownFrame& frame, const image::ClassMap& classes) {
  std::string html = "<figure><div class=\"row\">\n";
  const auto add = [&](const char* caption, const Array2<image::Rgb>& picture, const auto& element) {
    html +=
        "<div>" + element(picture, frame.name + ", " + caption) + "<span class=\"soft\">" + caption + "</span></div>\n";
  };
  if (!frame.frame.color.empty()) add("colour", frame.frame.color, photo);
  if (!frame.frame.depth_mm.empty()) add("depth", dataset::colorize_depth(frame.frame.depth_mm), photo);
  add("truth", dataset::colorize_labels(frame.truth, classes), flat_picture);
  add("prediction", dataset::colorize_labels(frame.predicted, classes), flat_picture);
  add("wrong", errors(frame.frame.color, frame.truth, frame.predicted), flat_picture);
  return html + "</div><figcaption>" + escape(frame.name) + ": " + percent_sign(frame.pixel_accuracy) +
         " of the labelled pixels are right</figcaption></figure>\n";
}

/// The colours of the classes.
std::string legend(const image::ClassMap& classes) {
  return join(classes.classes, " &emsp; ",
              [](const image::ClassInfo& info) { return "<span class=\"name\">" + class_label(info) + "</span>"; });
}

std::string frames_section(const std::string& title, const std::vector<evaluate::ShownFrame>& frames,
                           const image::ClassMap& classes) {
  if (frames.empty()) return "";
  std::string html;
  for (const evaluate::ShownFrame& frame : frames) html += frame_figure(frame, classes);
  return section(title, legend(classes), html);
}

/// Every frame, small, with what is wrong.
std::string all_frames_section(const EvaluationReport& report) {
  if (report.small.empty()) return "";
  std::string html = "<div class=\"small\">\n";
  for (const evaluate::SmallFrame& small : report.small) {
    const evaluate::FrameScore& score = report.frames.at(small.frame);
    html += "<figure id=\"frame-" + std::to_string(small.frame) + "\">" +
            flat_picture(errors(small.picture, small.truth, small.predicted), score.name + ", wrong") + "<figcaption>" +
            escape(score.name) + ": " + percent_sign(score.pixel_accuracy) + "</figcaption></figure>\n";
  }
  const bool all = report.small.size() == report.frames.size();
  return section(
      all ? "All frames" : format_count(report.small.size()) + " of " + format_count(report.frames.size()) + " frames",
      "Wrong pixels are red.", html + "</div>\n");
}

}  // namespace

std::string evaluation_page(const EvaluationReport& report) {
  return html_page(head(report),
                   class_section(report) + accuracy_section(report) + panoptic_section(report) +
                       confusion_section(report) + frames_section("Worst frames", report.worst, report.classes) +
                       frames_section("Best frames", report.best, report.classes) + all_frames_section(report));
}

}  // namespace fernwood::report
