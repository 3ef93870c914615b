// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/tune/study.h"

#include <algorithm>
#include <cmath>

#include "core/result_json.h"
#include "core/text_table.h"
#include "fernwood/core/text.h"
#include "fernwood/report/evaluation.h"
#include "page/charts.h"
#include "page/page.h"

namespace fernwood::report {

using namespace page;

using tune::group_title, tune::Study, tune::StudyGroup, tune::StudyRow, tune::StudyVariant;

namespace {

std::string growing_text(const train::TrainProgress& now) {
  const std::string stage =
      now.stages > 1 ? "stage " + std::to_string(now.stage + 1) + " of " + std::to_string(now.stages) + ", " : "";
  const std::string text = stage + "tree " + std::to_string(now.tree + 1) + " of " + std::to_string(now.trees) +
                           ", level " + std::to_string(now.level + 1) + ", " + format_count(now.nodes) + " nodes";
  return text + (now.ranks > 1 ? ", " + std::to_string(now.ranks) + " ranks" : "") +
         (now.out_of_bag ? format_text(", out of bag %.1f %%", 100 * *now.out_of_bag) : "");
}

void add_row(TextTable& table, const StudyRow& row, const StudyRow& base) {
  const std::string name = (row.variant.group ? "  " : "") + row.variant.name;
  if (!row.problem.empty()) return table.line(printable(name + ": " + row.problem));
  const auto difference = [&](double now, double then) { return row.variant.group ? points(now - then) : ""; };
  table.row({name, percent(row.accuracy.pixel), percent(row.accuracy.class_average),
             difference(row.accuracy.pixel, base.accuracy.pixel),
             difference(row.accuracy.class_average, base.accuracy.class_average), fixed(row.latency_ms, 2),
             fixed(row.train_seconds, 1)});
}

/// The options in which variants differ, and those stored in a model file.
Json options_of(const train::TrainOptions& options) {
  Json json = Json::parse(train::to_json(options));
  json["stages"] = options.cascade;
  json["channels"] = options.channels;
  json["class_weights"] = options.class_weights;
  return json;
}

Json changes(const Json& now, const Json& then) {
  Json changed = Json::object();
  for (const auto& [key, value] : now.items())
    if (then.contains(key) && then.at(key) != value) changed[key] = value;
  return changed;
}

Json labelling_json(const StudyVariant& variant) {
  return {{"smooth_px", variant.smoothing.extent()}, {"turned_degrees", variant.turned_degrees}};
}

Json figures_json(const StudyRow& row) {
  return {{"pixel_accuracy", row.accuracy.pixel},
          {"class_accuracy", row.accuracy.class_average},
          {"latency_ms", row.latency_ms},
          {"train_seconds", row.train_seconds}};
}

Json base_json(const StudyRow& base) {
  Json json = {{"options", options_of(base.variant.train)}};
  json.update(labelling_json(base.variant));
  json.update(figures_json(base));
  return json;
}

Json row_json(const StudyRow& row, const StudyRow& base) {
  Json json = {{"group", to_string(*row.variant.group)},
               {"name", row.variant.name},
               {"options", changes(options_of(row.variant.train), options_of(base.variant.train))}};
  json.update(labelling_json(row.variant));
  if (!row.problem.empty()) {
    json["problem"] = row.problem;
    return json;
  }
  json.update(figures_json(row));
  json["pixel_difference"] = row.accuracy.pixel - base.accuracy.pixel;
  json["class_difference"] = row.accuracy.class_average - base.accuracy.class_average;
  return json;
}

constexpr double kMaxPoints = 0.1;  // longer bars are clipped

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
           {fixed(base.latency_ms, 2) + " ms", "a frame"},
           {fixed(base.train_seconds, 1) + " s", "of training"},
           {std::to_string(base.variant.train.trees), "trees"},
           {join(base.variant.train.channels), "channels"}}};
}

/// Variants that a user can choose and that succeeded; the rotation of frames is not a choice.
bool has_point(const StudyRow& row) { return row.problem.empty() && row.variant.group != StudyGroup::kRotation; }

ScatterChart chart_of(const Study& study, double Accuracy::*accuracy, const std::string& y_name) {
  ScatterChart chart{{}, "ms per frame", y_name};
  const auto add = [&](const StudyRow& row) {
    chart.points.push_back({row.latency_ms, 100 * row.accuracy.*accuracy, row.variant.name, color_of(row.variant.group),
                            !row.variant.group});
  };
  add(study.base);
  for (const StudyRow& row : study.rows)
    if (has_point(row)) add(row);
  return chart;
}

std::string legend(const Study& study) {
  std::string html = swatch(color_of({})) + "the base";
  for (const StudyGroup group : tune::kStudyGroups)
    if (std::ranges::any_of(study.rows, [&](const auto& row) { return row.variant.group == group && has_point(row); }))
      html += " &emsp; " + swatch(color_of(group)) + group_title(group);
  return paragraph(html);
}

std::string charts_section(const Study& study) {
  return section("Accuracy and time",
                 "A point is a variant: further up is more accurate, further left is faster, and twice the time is as "
                 "far everywhere. The time is the median of preparing and labelling a frame, from memory to memory.",
                 legend(study) + scatter(chart_of(study, &Accuracy::pixel, "pixel accuracy, %")) +
                     scatter(chart_of(study, &Accuracy::class_average, "class accuracy, %")));
}

std::string difference_bar(double difference) {
  const double share = std::isnan(difference) ? 0 : std::min(std::abs(difference), kMaxPoints) / kMaxPoints;
  return "<span class=\"difference\"><i class=\"" + std::string(difference < 0 ? "less" : "more") +
         "\" style=\"width:" + fixed(50 * share, 1) + "%\"></i></span><span class=\"value\">" + points(difference) +
         "</span>";
}

void add_row(HtmlTable& table, const StudyRow& row, const StudyRow& base) {
  const std::string name = escape(row.variant.name);
  if (!row.problem.empty()) return table.row({name, "<span class=\"soft\">" + escape(row.problem) + "</span>"});
  table.row({name, percent(row.accuracy.pixel), difference_bar(row.accuracy.pixel - base.accuracy.pixel),
             percent(row.accuracy.class_average),
             difference_bar(row.accuracy.class_average - base.accuracy.class_average), fixed(row.latency_ms, 2),
             fixed(row.train_seconds, 1)});
}

std::string differences_section(const Study& study) {
  HtmlTable table({{"variant"},
                   number_column("pixel"),
                   {"to the base"},
                   number_column("class"),
                   {"to the base"},
                   number_column("ms/frame"),
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
      "Accuracies in percent, bars and the numbers next to them in points; a bar ends at " +
          fixed(100 * kMaxPoints, 0) +
          " points. Trees are the first of one forest. Without the channels \"depth\", regions are placed in "
          "pixels, not by distance.",
      table.html());
}

}  // namespace

std::string study_table(const Study& study, bool color) {
  const Painter painter{color};
  TextTable table({left("", 34), right("pixel", 7), right("class", 8), right("pixel", 8), right("class", 8),
                   right("a frame", 10), right("training", 10)},
                  painter);
  table.row({"variant", "%", "%", "points", "points", "ms", "s"}, "1");
  add_row(table, study.base, study.base);
  std::optional<StudyGroup> group;
  for (const StudyRow& row : study.rows) {
    if (row.variant.group != group) table.line(painter.bold(group_title(*row.variant.group)));
    group = row.variant.group;
    add_row(table, row, study.base);
  }
  return facts({{"train", study.train_folder + ", " + counted(study.train_frames, "frame")},
                {"test", study.test_folder + ", " + counted(study.test_frames, "frame")},
                {"device", study.device}},
               8) +
         "\n" + table.text();
}

std::string study_json(const Study& study) {
  Json json = {{"schema_version", 1},
               {"train", {{"folder", study.train_folder}, {"frames", study.train_frames}}},
               {"test", {{"folder", study.test_folder}, {"frames", study.test_frames}}},
               {"device", study.device},
               {"base", base_json(study.base)},
               {"variants", Json::array()}};
  for (const StudyRow& row : study.rows) json["variants"].push_back(row_json(row, study.base));
  return dump(json);
}

std::string study_page(const Study& study) {
  return html_page(head(study), charts_section(study) + differences_section(study));
}

// Progress of long work, in the words of the program's progress bar.

ProgressWords progress_words(const train::TrainProgress& progress) {
  using Phase = train::TrainProgress::Phase;
  const bool grows = progress.phase == Phase::kGrowing || progress.phase == Phase::kGrowingAgain;
  return {to_string(progress.phase), grows ? growing_text(progress) : "", progress.done};
}

ProgressWords progress_words(const tune::StudyProgress& progress) {
  if (progress.base) return {"the base", progress.work, progress.done};
  return {"variants", progress.variant + ", " + progress.work, progress.done};
}

}  // namespace fernwood::report
