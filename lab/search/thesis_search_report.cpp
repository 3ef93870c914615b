// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>

#include "fernwood/core/text.h"
#include "lab/search/thesis_search.h"
#include "page/charts.h"
#include "page/page.h"

namespace fernwood::lab {

namespace {

using page::svg::attribute;

/// Mean loss of each trial over its folds, and the minimum so far among trials that no test stopped.
struct Development {
  std::vector<double> loss, least;  ///< [trial]; NaN before the first
};

Development development(const search::SearchReport& race) {
  Development out;
  double least = std::nan("");
  for (const search::TrialRow& trial : race.trials) {
    const search::VariantRow& row = trial.variants.front();
    out.loss.push_back(row.mean_loss());
    const bool whole = row.num_folds() == race.fold_order.size();
    if (whole && !(row.mean_loss() >= least)) least = row.mean_loss();
    out.least.push_back(least);
  }
  return out;
}

/// Number of trials that the test stopped.
std::size_t num_stopped(const search::SearchReport& race) {
  return static_cast<std::size_t>(std::ranges::count_if(race.trials, [&](const search::TrialRow& trial) {
    return trial.variants.front().num_folds() < race.fold_order.size();
  }));
}

constexpr double kWidth = 720, kHeight = 300, kLeft = 52, kBottom = 40, kTop = 10;

/// Figure 5.4.
std::string figure(const Development& now) {
  double low = 1, high = 0;
  for (const double loss : now.loss)
    if (!std::isnan(loss)) low = std::min(low, loss), high = std::max(high, loss);
  if (low > high) return "";
  const double first = std::floor(low * 20) / 20, last = std::max(std::ceil(high * 20) / 20, first + 0.05);
  const auto count = static_cast<double>(std::max<std::size_t>(2, now.loss.size()) - 1);
  const auto at_x = [&](std::size_t trial) {
    return kLeft + (kWidth - kLeft - 10) * static_cast<double>(trial) / count;
  };
  const auto at_y = [&](double loss) {
    return kHeight - kBottom - (kHeight - kBottom - kTop) * (loss - first) / (last - first);
  };
  std::string drawn;
  for (double tick = first; tick <= last + 1e-9; tick += last - first > 0.4 ? 0.1 : 0.05) {
    drawn += "<line" + attribute("x1", kLeft) + attribute("x2", kWidth - 10) + attribute("y1", at_y(tick)) +
             attribute("y2", at_y(tick)) + attribute("stroke", page::kRestColor) + attribute("stroke-opacity", "0.3") +
             "/>";
    drawn += page::svg::text(kLeft - 6, at_y(tick) + 4, attribute("text-anchor", "end"), fixed(tick, 2));
  }
  for (std::size_t trial = 0; trial < now.loss.size(); ++trial)
    if (!std::isnan(now.loss[trial]))
      drawn += "<circle" + attribute("cx", at_x(trial)) + attribute("cy", at_y(now.loss[trial])) + attribute("r", 2.5) +
               attribute("fill", page::kRestColor) + ">" +
               page::svg::tooltip("trial " + std::to_string(trial) + ": " + fixed(now.loss[trial], 4)) + "</circle>";
  std::string points;
  for (std::size_t trial = 0; trial < now.least.size(); ++trial) {
    if (std::isnan(now.least[trial])) continue;
    if (!points.empty())  // a step function
      points += page::svg::number(at_x(trial)) + "," + page::svg::number(at_y(now.least[trial - 1])) + " ";
    points += page::svg::number(at_x(trial)) + "," + page::svg::number(at_y(now.least[trial])) + " ";
  }
  drawn += "<polyline" + attribute("points", points) + attribute("fill", "none") +
           attribute("stroke", page::series_color(0)) + attribute("stroke-width", "2") + "/>";
  drawn += page::svg::text(kLeft, kHeight - 10, "", "trial 0");
  drawn += page::svg::text(kWidth - 10, kHeight - 10, attribute("text-anchor", "end"),
                           "trial " + std::to_string(now.loss.size() - 1));
  return page::svg::drawing("chart", {0, 0, kWidth, kHeight}, drawn);
}

std::string accuracy_text(const search::EvaluatedForest& held) {
  return fixed(100 * held.accuracy.pixel, 1) + " / " + fixed(100 * held.accuracy.class_average, 1);
}

}  // namespace

std::string thesis_search_table(const tune::ForestSearch& found) {
  std::string text = format_text("%-28s%8s%8s%10s%8s\n", "Table 5.1", "from", "to", "thesis", "found");
  const search::Configuration& winner = found.race.winner().configuration;
  for (const ThesisParameter& row : kThesisSpace)
    text += format_text("%-28s%8d%8d%10d%8s\n", row.title, row.low, row.high, row.found, winner.at(row.name).c_str());
  text += format_text("\n%zu trials in %s, %zu of them stopped early; %zu forests grown\n", found.race.trials.size(),
                      format_duration(found.race.seconds).c_str(), num_stopped(found.race), found.race.num_evaluations);
  text += format_text("least loss %.3f (thesis: about 0.34)\n", found.race.loss);
  return text + "held-out frames, pixel / class accuracy: " + accuracy_text(found.winner) + "\n";
}

std::string thesis_search_page(const tune::ForestSearch& found) {
  page::HtmlTable table({{"Parameter"},
                         page::number_column("From"),
                         page::number_column("To"),
                         page::number_column("Found in the thesis"),
                         page::number_column("Found here")});
  const search::Configuration& winner = found.race.winner().configuration;
  for (const ThesisParameter& row : kThesisSpace)
    table.row({escape(row.title), std::to_string(row.low), std::to_string(row.high), std::to_string(row.found),
               escape(winner.at(row.name))});
  const std::string body =
      page::section("Table 5.1: the space",
                    page::paragraph("Drawn evenly; what the thesis found for NYU Depth v2 is its Table 5.2."),
                    table.html()) +
      page::section("Figure 5.4: the loss",
                    page::paragraph("1 - average class accuracy over random splits (eq. 5.1). A dot is a trial, by "
                                    "the folds that it saw; the line is the least loss of whole cross-validations "
                                    "so far. The thesis ended at about 0.34."),
                    figure(development(found.race)));
  return page::html_page({"Parameter search of the thesis",
                          "",
                          "",
                          {{"Data", found.data},
                           {"Trials", std::to_string(found.race.trials.size())},
                           {"Stopped early", std::to_string(num_stopped(found.race))},
                           {"Forests grown", std::to_string(found.race.num_evaluations)},
                           {"Time", format_duration(found.race.seconds)},
                           {"Device", found.device},
                           {"Least loss", fixed(found.race.loss, 3)},
                           {"Held-out frames, pixel / class", accuracy_text(found.winner) + " %"}}},
                         body);
}

}  // namespace fernwood::lab
