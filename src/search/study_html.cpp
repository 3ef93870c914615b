// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>

#include "evaluate/report_html_parts.h"
#include "evaluate/stacked_bars.h"
#include "fernwood/search/study.h"
#include "search/scatter.h"
#include "search/study_words.h"

namespace fernwood::search {

namespace {

constexpr double kMostPoints = 0.1;  // longer bars are cut

const char* const kStyle = R"(<style>
.difference { display: inline-block; position: relative; width: 10rem; height: .7rem; vertical-align: -.05rem;
  background: linear-gradient(var(--soft), var(--soft)) center / 1px 100% no-repeat; }
.difference i { position: absolute; top: 0; height: 100%; border-radius: 2px; }
.difference .more { left: 50%; background: var(--accent); }
.difference .less { right: 50%; background: var(--bad); }
.value { display: inline-block; min-width: 3.2rem; text-align: right; }
tr.group td { padding-top: 1rem; font-weight: 600; }
</style>
)";

std::string color_of(std::optional<StudyGroup> group) {
  return group ? evaluate::series_color(static_cast<std::size_t>(*group)) : "var(--ink)";
}

std::string heading(const Study& study) {
  return "<h1>Study</h1>\n<p class=\"soft\">Trained on <code>" + html_escape(study.train_folder) + "</code> (" +
         frames_text(study.train_frames) + "), evaluated on <code>" + html_escape(study.test_folder) + "</code> (" +
         frames_text(study.test_frames) + "), on " + html_escape(study.device) + "</p>\n";
}

std::string facts(const StudyRow& base) {
  const auto fact = [](const std::string& value, const std::string& meaning) {
    return "<div><b>" + value + "</b><span class=\"soft\">" + meaning + "</span></div>\n";
  };
  std::string channels;
  for (const std::string& set : base.variant.train.channels) channels += (channels.empty() ? "" : ", ") + set;
  return "<div class=\"facts\">\n" + fact(evaluate::with_sign(base.accuracy.pixel), "pixel accuracy of the base") +
         fact(evaluate::with_sign(base.accuracy.class_average), "class accuracy") +
         fact(evaluate::fixed(base.frame_ms, 2) + " ms", "a frame") +
         fact(evaluate::fixed(base.train_seconds, 1) + " s", "of training") +
         fact(std::to_string(base.variant.train.trees), "trees") + fact(html_escape(channels), "channels") + "</div>\n";
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
  std::string html = "<p class=\"soft\">" + html_swatch(color_of({})) + "the base";
  for (const StudyGroup group : kStudyGroups)
    if (group != StudyGroup::kRotation &&
        std::ranges::any_of(study.rows, [&](const StudyRow& row) { return row.variant.group == group; }))
      html += " &emsp; " + html_swatch(color_of(group)) + group_title(group);
  return html + "</p>\n";
}

std::string charts(const Study& study) {
  return "<h2>Accuracy and time</h2>\n<p class=\"soft\">A point is a variant: further up is more accurate, further "
         "left is faster, and twice the time is as far everywhere. The time is the median of preparing and labelling a "
         "frame, from memory to memory.</p>\n" +
         legend(study) + scatter_svg(chart_of(study, &forest::Accuracy::pixel, "pixel accuracy, %")) +
         scatter_svg(chart_of(study, &forest::Accuracy::class_average, "class accuracy, %"));
}

std::string difference_cell(double difference) {
  const double share = std::isnan(difference) ? 0 : std::min(std::abs(difference), kMostPoints) / kMostPoints;
  return "<td><span class=\"difference\"><i class=\"" + std::string(difference < 0 ? "less" : "more") +
         "\" style=\"width:" + evaluate::fixed(50 * share, 1) + "%\"></i></span><span class=\"value\">" +
         points(difference) + "</span></td>";
}

std::string row_html(const StudyRow& row, const StudyRow& base) {
  const std::string name = "<tr><td>" + html_escape(row.variant.name) + "</td>";
  if (!row.problem.empty())
    return name + "<td colspan=\"6\" class=\"soft\">" + html_escape(row.problem) + "</td></tr>\n";
  return name + evaluate::number_cell(evaluate::percent(row.accuracy.pixel)) +
         difference_cell(row.accuracy.pixel - base.accuracy.pixel) +
         evaluate::number_cell(evaluate::percent(row.accuracy.class_average)) +
         difference_cell(row.accuracy.class_average - base.accuracy.class_average) +
         evaluate::number_cell(evaluate::fixed(row.frame_ms, 2)) +
         evaluate::number_cell(evaluate::fixed(row.train_seconds, 1)) + "</tr>\n";
}

std::string table(const Study& study) {
  std::string html =
      "<h2>Differences to the base</h2>\n<p class=\"soft\">Accuracies in percent, bars and the numbers beside them in "
      "points; a bar ends at " +
      evaluate::fixed(100 * kMostPoints, 0) +
      " points. Trees are the first of one forest. Without the channels \"depth\", regions are placed in pixels, not "
      "by "
      "distance.</p>\n<div class=\"scroll\"><table><thead><tr><th>variant</th><th class=\"num\">pixel</th>"
      "<th>to the base</th><th class=\"num\">class</th><th>to the base</th><th class=\"num\">ms a frame</th>"
      "<th class=\"num\">s of training</th></tr></thead>\n<tbody>\n" +
      row_html(study.base, study.base);
  std::optional<StudyGroup> group;
  for (const StudyRow& row : study.rows) {
    if (row.variant.group != group)
      html += "<tr class=\"group\"><td colspan=\"7\">" + html_swatch(color_of(row.variant.group)) +
              group_title(*row.variant.group) + "</td></tr>\n";
    group = row.variant.group;
    html += row_html(row, study.base);
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace

std::string study_html(const Study& study) {
  return html_page("Study of " + study.test_folder, kStyle + std::string(kScatterStyle) + heading(study) +
                                                        facts(study.base) + charts(study) + table(study));
}

}  // namespace fernwood::search
