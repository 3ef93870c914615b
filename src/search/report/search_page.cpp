// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cmath>

#include "fernwood/core/text.h"
#include "page/page.h"
#include "search/report/search_report.h"

namespace fernwood::search {

using namespace page;

namespace {

std::string signed_percent(double difference) {
  const char* css_class = difference > 0 ? "good" : difference < 0 ? "bad" : "soft";
  return "<span class=\"" + std::string(css_class) + "\">" + points(difference) + "</span>";
}

PageHead head(const SearchFacts& found) {
  const SearchReport& race = found.search.race;
  const double gain = accuracy_of(found.search.winner, found.search.objective) -
                      accuracy_of(found.search.defaults, found.search.objective);
  const std::string limits = limits_text(found);
  return {"Search on " + found.search.data,
          "Search",
          "The best forest for " + code(found.search.data) + " (" + data_text(found) + "), on " +
              escape(found.search.device) + (limits.empty() ? "" : ", within " + limits),
          {{percent_sign(found.search.winner.accuracy.pixel), found.words.accuracy + ", held out"},
           {percent_sign(found.search.winner.accuracy.class_average), "class accuracy, held out"},
           {std::isnan(gain) ? "–" : points(gain) + " points", "to the defaults, " + accuracy_name(found)},
           {fixed(found.search.winner.time, 2) + " " + found.words.time_unit, "a " + found.words.thing},
           {format_count(race.trials.size()), race.trials.size() == 1 ? "trial" : "trials"},
           {format_count(race.num_evaluations), "trainings, " + format_count(race.evaluations_saved) + " saved"},
           {format_duration(race.seconds), race.ended_by_clock ? "ended by the clock" : "of searching"}}};
}

std::string warnings_section(const SearchFacts& found) {
  std::string html;
  for (const Warning& warning : found.warnings)
    html += "<li class=\"warning\">" + escape(warning.text.on_command_line()) + "</li>\n";
  return html.empty() ? "" : section("Warnings", "", "<ul class=\"problems\">\n" + html + "</ul>\n");
}

// Accuracy and costs of the winner.

/// Winner and defaults side by side, with the race's own estimate if it refers to these data.
std::string comparison_table(const SearchFacts& found, const EvaluatedForest& winner, const EvaluatedForest& defaults,
                             bool with_estimate) {
  const SearchReport& race = found.search.race;
  const bool is_mean = found.search.objective == Objective::kMean;
  std::vector<HtmlColumn> columns = {{""}, number_column(found.words.accuracy), number_column("class accuracy")};
  if (is_mean) columns.push_back(number_column("mean of both"));
  columns.push_back(number_column(found.words.time));
  HtmlTable table(columns);
  const auto row = [&](const std::string& name, const auto& cell, const std::string& time) {
    std::vector<std::string> cells = {name, cell(Objective::kPixel), cell(Objective::kClass)};
    if (is_mean) cells.push_back(cell(Objective::kMean));
    cells.push_back(time);
    table.row(cells);
  };
  const auto add = [&](const std::string& name, const EvaluatedForest& evaluated) {
    row(
        name, [&](Objective objective) { return percent_sign(accuracy_of(evaluated, objective)); },
        fixed(evaluated.time, 2));
  };
  add("<b>winner</b>", winner);
  add("defaults", defaults);
  row(
      "difference, points",
      [&](Objective objective) {
        return signed_percent(accuracy_of(winner, objective) - accuracy_of(defaults, objective));
      },
      fixed(winner.time - defaults.time, 2));
  const auto estimate = [&](Objective objective) {
    return objective != found.search.objective
               ? std::string()
               : percent_sign(1 - race.loss) + "<span class=\"soft\">" + interval_text(race) + "</span>";
  };
  if (with_estimate) row("the race's own estimate of the winner", estimate, fixed(found.time_of(race.winner()), 2));
  return table.html();
}

std::string held_out_section(const SearchFacts& found) {
  const std::string things = found.words.thing + "s";
  std::string html = comparison_table(found, found.search.winner, found.search.defaults, true) +
                     paragraph(escape(optimism_text(found)));
  if (found.num_tested > 0)
    html += paragraph("Both trained on all " + things + " and evaluated on the test's " +
                      counted(found.num_tested, found.words.thing) + ", which nothing else has seen:") +
            comparison_table(found, found.test_winner, found.test_defaults, false);
  return section("Winner and defaults",
                 "Both were trained on all " + things + " of the race and evaluated on " +
                     counted(found.search.num_held_out, found.words.thing) +
                     " that no race has seen. The race's own estimate, with its 95 % interval, is from the folds that "
                     "chose the winner, each held back in turn.",
                 html);
}

std::string range_text_of(const Parameter& parameter) {
  if (!parameter.is_number()) return join(choice_names(parameter), " | ");
  if (parameter.is_fixed()) return "fixed";
  return format_text("%.6g to %.6g", parameter.low, parameter.high) + (parameter.logarithmic ? ", logarithmic" : "");
}

std::string cost_section(const SearchFacts& found) {
  const std::vector<Parameter>& parameters = found.search.race.space.parameters();
  const std::vector<OptionRow> rows = found.options;
  HtmlTable table({{"option"}, {"winner"}, {"defaults"}, {"was searched"}});
  bool differs = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_changed = rows[i].winner != rows[i].defaults;
    const std::string range = i < parameters.size() ? range_text_of(parameters[i]) : "after the race";
    table.row({code(rows[i].name),
               is_changed ? "<span class=\"good\">" + escape(rows[i].winner) + "</span>" : escape(rows[i].winner),
               escape(rows[i].defaults), "<span class=\"soft\">" + escape(range) + "</span>"});
    differs |= is_changed;
  }
  HtmlTable costs({{""}, {""}});
  costs.row({"training on all " + found.words.thing + "s", format_duration(found.train_seconds)});
  costs.row({found.words.labelling, fixed(found.search.winner.time, 2) + " " + found.words.time_unit});
  costs.row({"forest", escape(found.forest)});
  return section("What the winner costs",
                 "Trial " + std::to_string(found.search.race.winner_trial) +
                     ". Options that differ from the defaults are " +
                     (differs ? "in colour" : "none: the defaults have won") + ". " + found.words.cost_note,
                 costs.html() + table.html());
}

}  // namespace

std::string search_page(const SearchFacts& found) {
  const FairLosses losses(found.search.race);
  return html_page(head(found), warnings_section(found) + held_out_section(found) + trials_time_section(found, losses) +
                                    trials_effects_section(found, losses) + trials_race_section(found, losses) +
                                    cost_section(found));
}

}  // namespace fernwood::search
