// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>

#include "fernwood/report/evaluation.h"
#include "fernwood/report/format.h"
#include "fernwood/search/study.h"
#include "report/charts.h"
#include "report/page.h"

namespace fernwood::report {

using search::group_title, search::Study, search::StudyGroup, search::StudyRow;

namespace {

constexpr double kMostPoints = 0.1;  // longer bars are cut

std::string color_of(std::optional<StudyGroup> group) {
  return group ? series_color(static_cast<std::size_t>(*group)) : "var(--ink)";
}

PageHead head(const Study& study) {
  const auto data = [](const std::string& folder, std::size_t num_frames) {
    return code(folder) + " (" + counted(num_frames, "frame") + ")";
  };
  const StudyRow& base = study.base;
  return {"Study of " + study.test_folder,
          "Study",
          "Trained on " + data(study.train_folder, study.train_frames) + ", evaluated on " +
              data(study.test_folder, study.test_frames) + ", on " + escape(study.device),
          {{percent_sign(base.accuracy.pixel), "pixel accuracy of the base"},
           {percent_sign(base.accuracy.class_average), "class accuracy"},
           {fixed(base.frame_ms, 2) + " ms", "a frame"},
           {fixed(base.train_seconds, 1) + " s", "of training"},
           {std::to_string(base.variant.train.trees), "trees"},
           {join(base.variant.train.channels), "channels"}}};
}

/// Variants that a user can choose: how frames are held is none.
ScatterChart chart_of(const Study& study, double forest::Accuracy::*accuracy, const std::string& y_name) {
  ScatterChart chart{{}, "ms a frame", y_name};
  const auto add = [&](const StudyRow& row) {
    chart.points.push_back({row.frame_ms, 100 * row.accuracy.*accuracy, row.variant.name, color_of(row.variant.group),
                            !row.variant.group});
  };
  add(study.base);
  for (const StudyRow& row : study.rows)
    if (row.problem.empty() && row.variant.group != StudyGroup::kRotation) add(row);
  return chart;
}

std::string legend(const Study& study) {
  std::string html = swatch(color_of({})) + "the base";
  for (const StudyGroup group : search::kStudyGroups)
    if (group != StudyGroup::kRotation &&
        std::ranges::any_of(study.rows, [&](const StudyRow& row) { return row.variant.group == group; }))
      html += " &emsp; " + swatch(color_of(group)) + group_title(group);
  return paragraph(html);
}

std::string charts_section(const Study& study) {
  return section("Accuracy and time",
                 "A point is a variant: further up is more accurate, further left is faster, and twice the time is as "
                 "far everywhere. The time is the median of preparing and labelling a frame, from memory to memory.",
                 legend(study) + scatter(chart_of(study, &forest::Accuracy::pixel, "pixel accuracy, %")) +
                     scatter(chart_of(study, &forest::Accuracy::class_average, "class accuracy, %")));
}

std::string difference_bar(double difference) {
  const double share = std::isnan(difference) ? 0 : std::min(std::abs(difference), kMostPoints) / kMostPoints;
  return "<span class=\"difference\"><i class=\"" + std::string(difference < 0 ? "less" : "more") +
         "\" style=\"width:" + fixed(50 * share, 1) + "%\"></i></span><span class=\"value\">" + points(difference) +
         "</span>";
}

void add_row(HtmlTable& table, const StudyRow& row, const StudyRow& base) {
  const std::string name = escape(row.variant.name);
  if (!row.problem.empty()) return table.row({name, "<span class=\"soft\">" + escape(row.problem) + "</span>"});
  table.row({name, percent(row.accuracy.pixel), difference_bar(row.accuracy.pixel - base.accuracy.pixel),
             percent(row.accuracy.class_average),
             difference_bar(row.accuracy.class_average - base.accuracy.class_average), fixed(row.frame_ms, 2),
             fixed(row.train_seconds, 1)});
}

std::string differences_section(const Study& study) {
  HtmlTable table({{"variant"},
                   number_column("pixel"),
                   {"to the base"},
                   number_column("class"),
                   {"to the base"},
                   number_column("ms a frame"),
                   number_column("s of training")});
  add_row(table, study.base, study.base);
  std::optional<StudyGroup> group;
  for (const StudyRow& row : study.rows) {
    if (row.variant.group != group)
      table.row({swatch(color_of(row.variant.group)) + group_title(*row.variant.group)}, "group");
    group = row.variant.group;
    add_row(table, row, study.base);
  }
  return section(
      "Differences to the base",
      "Accuracies in percent, bars and the numbers beside them in points; a bar ends at " +
          fixed(100 * kMostPoints, 0) +
          " points. Trees are the first of one forest. Without the channels \"depth\", regions are placed in "
          "pixels, not by distance.",
      table.html());
}

}  // namespace

std::string study_page(const Study& study) {
  return page(head(study), charts_section(study) + differences_section(study));
}

}  // namespace fernwood::report
