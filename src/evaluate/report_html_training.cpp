// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <iterator>

#include "evaluate/report_html_parts.h"
#include "evaluate/stacked_bars.h"
#include "fernwood/train/report.h"

namespace fernwood::evaluate {
namespace {

struct StageName {
  const char* name;
  double train::StageSeconds::*seconds;
};
constexpr StageName kStages[] = {
    {"responses of probes", &train::StageSeconds::probe}, {"feature response", &train::StageSeconds::respond},
    {"finding bins", &train::StageSeconds::bin},          {"histogram aggregation", &train::StageSeconds::aggregate},
    {"impurity score", &train::StageSeconds::score},      {"sending samples to children", &train::StageSeconds::split}};

double sum(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// Seconds of the wall clock by stage, [stage][level]; stages that took no time are left out. What no stage accounts
/// for is the last.
std::vector<BarSeries> stage_series(const train::TrainReport& training) {
  const std::vector<train::LevelReport> levels = train::add_trees(training.levels);
  BarSeries rest{training.on_gpu() ? "no kernel at work" : "waiting, and the rest", kRestColor, {}};
  for (const train::LevelReport& level : levels) rest.values.push_back(level.seconds);
  std::vector<BarSeries> all;
  for (std::size_t s = 0; s < std::size(kStages); ++s) {
    BarSeries series{kStages[s].name, series_color(s), {}};
    for (std::size_t i = 0; i < levels.size(); ++i) {
      series.values.push_back(train::wall_seconds(levels[i].stages.*kStages[s].seconds, training));
      rest.values[i] = std::max(0.0, rest.values[i] - series.values[i]);
    }
    if (sum(series.values) > 0) all.push_back(std::move(series));
  }
  all.push_back(std::move(rest));
  return all;
}

std::string seconds_text(double seconds) { return fixed(seconds, seconds < 10 ? 2 : 1) + " s"; }

std::string worker(const train::TrainReport& training) {
  if (training.on_gpu()) return html_escape(training.device + ", " + training.gpu.name);
  return html_escape(training.device) + ", " + std::to_string(training.threads) +
         (training.threads == 1 ? " thread" : " threads");
}

bool has_cross_fitting(const train::TrainReport& training) {
  return std::ranges::any_of(training.levels, [](const train::LevelReport& level) { return level.fold.has_value(); });
}

std::string introduction(const train::TrainReport& training) {
  return "<p class=\"soft\">Growing took " + seconds_text(training.seconds_growing) + " on " + worker(training) +
         ", after " + seconds_text(training.seconds_loading) + " for loading frames and " +
         seconds_text(training.seconds_sampling) + " for drawing samples. A bar is a level of all trees" +
         (has_cross_fitting(training) ? ", those of cross-fitting included," : "") +
         " by the wall clock; its parts are " +
         (training.on_gpu() ? "the time of kernels" : "the time of threads, divided by their number") + ".</p>\n";
}

std::string table(const std::vector<BarSeries>& all) {
  double whole = 0;
  for (const BarSeries& series : all) whole += sum(series.values);
  std::string html =
      "<div class=\"scroll\"><table><thead><tr><th>stage</th><th>share of the levels</th><th class=\"num\">time</th>"
      "</tr></thead>\n<tbody>\n";
  for (const BarSeries& series : all)
    html += "<tr><td>" + html_swatch(series.color) + series.name + "</td>" +
            bar_cell(sum(series.values) / whole, ";background:" + series.color) +
            number_cell(seconds_text(sum(series.values))) + "</tr>\n";
  return html + "</tbody></table></div>\n";
}

}  // namespace

std::string training_section(const EvaluationReport& report) {
  const std::string title = "<h2>Time of training</h2>\n";
  if (!report.training && report.no_training.empty()) return "";
  if (!report.training) return title + "<p class=\"soft\">" + html_escape(report.no_training) + "</p>\n";
  const std::vector<BarSeries> series = stage_series(*report.training);
  const std::string chart = stacked_bars_svg({series, "level", "s"});
  if (chart.empty()) return title + "<p class=\"soft\">The report of the training holds no level.</p>\n";
  return title + introduction(*report.training) + chart + table(series);
}

}  // namespace fernwood::evaluate
