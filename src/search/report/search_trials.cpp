// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/report/search_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fernwood/core/text.h"
#include "page/charts.h"
#include "page/page.h"

namespace fernwood::search {

using namespace page;

namespace {

/// Variants evaluated on fewer folds may be on the front by chance.
constexpr std::size_t kMinFrontFolds = 2;
/// Bins with fewer trials have intervals so wide that charts are not scaled to include them.
constexpr std::size_t kMinTrialsOfAnInterval = 4;
/// Fewer trials or folds do not separate effects of parameters from chance.
constexpr std::size_t kMinEffectTrials = 10, kMinEffectFolds = 2;
constexpr const char *kWinnerColor = "var(--accent)", *kDefaultsColor = "var(--ink)";

std::string color_of(EliminationReason elimination) {
  static const std::array<std::string, kNumFalls> kColors = {
      series_color(2), kRestColor, series_color(0), series_color(1), series_color(4), series_color(6), series_color(3)};
  return kColors.at(static_cast<std::size_t>(elimination));
}

// Accuracy against time.

struct TimedVariant {
  std::size_t trial, variant;
  const VariantRow* row;
  double time, loss;
};

std::vector<TimedVariant> timed_variants(const SearchFacts& found, const FairLosses& losses) {
  const SearchReport& race = found.search.race;
  std::vector<TimedVariant> timed;
  for (std::size_t t = 0; t < race.trials.size(); ++t)
    for (std::size_t v = 0; v < race.trials[t].variants.size(); ++v) {
      const VariantRow& row = race.trials[t].variants[v];
      const double loss = losses.of(row);
      if (row.latency_ms > 0 && !std::isnan(loss)) timed.push_back({t, v, &row, found.time_of(row), loss});
    }
  return timed;
}

/// The Pareto front in time and loss, by growing time.
std::vector<TimedVariant> front_of(std::vector<TimedVariant> timed) {
  std::erase_if(timed, [](const TimedVariant& it) { return it.row->num_folds() < kMinFrontFolds; });
  std::ranges::sort(timed, [](const TimedVariant& a, const TimedVariant& b) {
    return std::tuple(a.time, a.loss, a.trial) < std::tuple(b.time, b.loss, b.trial);
  });
  std::vector<TimedVariant> front;
  for (const TimedVariant& it : timed)
    if (front.empty() || it.loss < front.back().loss) front.push_back(it);
  return front;
}

/// The trial, and its differences from the defaults.
std::string variant_name(const SearchReport& race, std::size_t trial, const VariantRow& variant) {
  std::vector<std::string> words;
  for (const Parameter& parameter : race.space.parameters())
    if (variant.configuration.at(parameter.name) != parameter.standard)
      words.push_back(parameter.name + " " + variant.configuration.at(parameter.name));
  return "trial " + std::to_string(trial) + (words.empty() ? "" : " (" + join(words) + ")");
}

bool is_trial(const TimedVariant& it) { return it.variant == 0; }

// Effects of the parameters.

std::string effect_figure(const ParameterEffect& effect, const SearchFacts& found, double least, double greatest) {
  const Parameter& parameter = effect.parameter;
  IntervalChart chart;
  chart.logarithmic = parameter.logarithmic;
  chart.whole = parameter.kind == ParameterKind::kInteger;
  chart.choices = choice_names(parameter);
  chart.least = least;
  chart.greatest = greatest;
  chart.unit = " %";
  chart.marked_x = number_of(parameter, found.search.race.winner().configuration.at(parameter.name));
  for (const EffectBin& bin : effect.bins)
    chart.points.push_back(
        {bin.x, 100 * (1 - bin.loss), 100 * (1 - bin.high), 100 * (1 - bin.low),
         bin.values + ": " + percent(1 - bin.loss) + " %" +
             (std::isnan(bin.low) ? "" : " (" + percent(1 - bin.high) + " to " + percent(1 - bin.low) + ")") + ", " +
             counted(bin.num_trials, "trial")});
  return "<figure>" + interval_chart(chart) + "<figcaption>" + code(parameter.name) + ": " + percent(effect.share, 0) +
         " % of the differences</figcaption></figure>\n";
}

// The race.

std::string race_chart(const SearchReport& race) {
  GroupedBars chart;
  chart.groups.resize(race.num_batches);
  chart.greatest = static_cast<double>(race.fold_order.size());
  chart.group_name = "batch";
  chart.x_name = "trial";
  chart.y_name = "folds";
  for (std::size_t i = 0; i < race.trials.size(); ++i) {
    const TrialRow& trial = race.trials[i];
    const VariantRow& last = longest_lived(trial);
    chart.groups[trial.batch].push_back({static_cast<double>(trial.num_evaluations), color_of(last.elimination),
                                         "trial " + std::to_string(i) + ": " + counted(trial.num_evaluations, "fold") +
                                             ", " +
                                             (last.why.empty() ? elimination_title(last.elimination) : last.why)});
  }
  return grouped_bars(chart);
}

/// The legend of the chart: trials by their fate.
std::string end_table(const SearchReport& race) {
  std::vector<std::size_t> trainings(kNumFalls, 0);
  for (const TrialRow& trial : race.trials)
    trainings[static_cast<std::size_t>(longest_lived(trial).elimination)] += trial.num_evaluations;
  const std::vector<std::size_t> counts = count_eliminations(race);
  HtmlTable table({{"end of a trial"}, number_column("trials"), number_column("trainings")});
  for (std::size_t i = 0; i < kNumFalls; ++i)
    if (counts[i] > 0)
      table.row(
          {swatch(color_of(static_cast<EliminationReason>(i))) + elimination_title(static_cast<EliminationReason>(i)),
           format_count(counts[i]), format_count(trainings[i])});
  table.row({"all", format_count(race.trials.size()), format_count(race.num_evaluations)});
  return table.html();
}

/// Number of trials at the beginning and the end of each batch, with the accuracy of its best own trial.
std::string batch_table(const SearchFacts& found, const FairLosses& losses) {
  const SearchReport& race = found.search.race;
  HtmlTable table({{"batch"},
                   number_column("proposed"),
                   number_column("from before"),
                   number_column("eliminated"),
                   number_column("went on"),
                   number_column("best proposed, " + accuracy_name(found))});
  std::size_t before = 0;
  for (std::size_t g = 0; g < race.num_batches; ++g) {
    std::size_t proposed = 0, eliminated = 0;
    double best = std::numeric_limits<double>::quiet_NaN();
    for (const TrialRow& trial : race.trials) {
      const VariantRow& last = longest_lived(trial);
      eliminated += last.elimination != EliminationReason::kNone && last.elimination_batch == g;
      if (trial.batch != g) continue;
      ++proposed;
      // Variants eliminated after one or two folds are ignored, as their losses may be low by chance.
      for (const VariantRow& variant : trial.variants)
        if (variant.num_folds() >= kMinFrontFolds) best = std::fmin(best, losses.of(variant));
    }
    table.row({std::to_string(g + 1), format_count(proposed), format_count(before), format_count(eliminated),
               format_count(before + proposed - eliminated), percent_sign(1 - best)});
    before += proposed - eliminated;
  }
  return table.html();
}

std::string falls_list(const SearchFacts& found, const FairLosses& losses) {
  const SearchReport& race = found.search.race;
  std::vector<HtmlColumn> columns = {number_column("trial"), number_column("eliminated in batch"),
                                     number_column("after folds"), number_column("accuracy")};
  if (found.words.times_race) columns.push_back(number_column(found.words.time));
  columns.push_back({"because"});
  HtmlTable table(columns);
  std::size_t num_eliminations = 0;
  for (std::size_t i = 0; i < race.trials.size(); ++i) {
    const VariantRow& last = longest_lived(race.trials[i]);
    if (last.elimination == EliminationReason::kNone) continue;
    ++num_eliminations;
    std::vector<std::string> cells = {std::to_string(i), std::to_string(last.elimination_batch + 1),
                                      std::to_string(last.elimination_folds), percent_sign(1 - losses.of(last))};
    if (found.words.times_race) cells.push_back(fixed(found.time_of(last), 2));
    cells.push_back(swatch(color_of(last.elimination)) +
                    escape(last.why.empty() ? elimination_title(last.elimination) : last.why));
    table.row(cells);
  }
  if (num_eliminations == 0) return "";
  return "<details><summary>The " + counted(num_eliminations, "trial") +
         " that were eliminated, when and why</summary>\n" + table.html() + "</details>\n";
}

/// Whether it is what the search chose.
bool is_chosen(const SearchReport& race, const TimedVariant& it) {
  return it.trial == race.winner_trial && it.variant == race.winner_variant;
}

ScatterPoint time_point(const SearchReport& race, const TimedVariant& it) {
  const bool is_winner = is_chosen(race, it), is_default = it.trial == 0 && it.variant == 0;
  const std::string name = is_winner && is_default ? "the defaults, winner"
                           : is_winner             ? "winner"
                           : is_default            ? "defaults"
                                                   : variant_name(race, it.trial, *it.row);
  const std::string color = is_winner ? kWinnerColor : is_default ? kDefaultsColor : color_of(it.row->elimination);
  return {it.time, 100 * (1 - it.loss), name, color, is_winner || is_default, !is_winner && !is_default};
}

}  // namespace

std::string trials_time_section(const SearchFacts& found, const FairLosses& losses) {
  if (!found.words.times_race) return "";
  const std::string title = "Accuracy and time";
  const SearchReport& race = found.search.race;
  const std::vector<TimedVariant> timed = timed_variants(found, losses), front = front_of(timed);
  if (timed.empty()) return section(title, "No forest was both timed and evaluated.", "");
  ScatterChart chart{{}, found.words.time, accuracy_name(found) + ", %"};
  std::vector<bool> has_color(kNumFalls, false);
  const auto add = [&](const TimedVariant& it) {
    has_color[static_cast<std::size_t>(it.row->elimination)] = true;
    chart.points.push_back(time_point(race, it));
  };
  for (const TimedVariant& it : front) {
    chart.steps.emplace_back(it.time, 100 * (1 - it.loss));
    if (!is_trial(it) && !is_chosen(race, it)) add(it);
  }
  for (const TimedVariant& it : timed)
    if (is_trial(it) || is_chosen(race, it)) add(it);
  std::string legend;
  for (std::size_t i = 0; i < kNumFalls; ++i)
    if (has_color[i])
      legend += (legend.empty() ? "" : " &emsp; ") + swatch(color_of(static_cast<EliminationReason>(i))) +
                elimination_title(static_cast<EliminationReason>(i));
  if (found.search.time_limit > 0) {
    chart.limit_x = found.search.time_limit;
    chart.limit_name = format_text("limit %.4g ", found.search.time_limit) + found.words.time_unit;
  }
  return section(
      title,
      "A point is a forest: further up is more accurate, further left is faster, and twice the time is as far "
      "everywhere. Shown are " +
          counted(race.trials.size(), "trial") + " and, of " + counted(timed.size(), "variant") +
          ", those on the front, the line: the most accurate so far for the time, of those evaluated on " +
          std::to_string(kMinFrontFolds) +
          " folds or more. Accuracies are the race's, with the folds' difficulty taken out, so that those that were "
          "eliminated "
          "early compare with the others.",
      paragraph(legend) + scatter(chart));
}

std::string trials_effects_section(const SearchFacts& found, const FairLosses& losses) {
  const std::string title = "What each parameter does";
  const SearchReport& race = found.search.race;
  const auto most_folds = std::ranges::max(race.trials, {}, &TrialRow::num_evaluations).num_evaluations;
  if (race.trials.size() < kMinEffectTrials || most_folds < kMinEffectFolds)
    return section(title,
                   "Not shown: " + counted(race.trials.size(), "trial") + " on " + counted(most_folds, "fold") +
                       " cannot tell effects of parameters from chance; " + std::to_string(kMinEffectTrials) +
                       " trials on " + std::to_string(kMinEffectFolds) + " folds are the least.",
                   "");
  const std::vector<ParameterEffect> effects = parameter_effects(race, losses);
  if (effects.empty())
    return section(title, "Too few trials were evaluated to tell: no parameter had more than one value.", "");
  double least = 100, greatest = 0;
  for (const ParameterEffect& effect : effects)
    for (const EffectBin& bin : effect.bins) {
      const bool has_room = bin.num_trials >= kMinTrialsOfAnInterval;
      least = std::min(least, 100 * (1 - (has_room ? bin.high : bin.loss)));
      greatest = std::max(greatest, 100 * (1 - (has_room ? bin.low : bin.loss)));
    }
  std::string html = "<div class=\"charts\">\n";
  for (const ParameterEffect& effect : effects) html += effect_figure(effect, found, least, greatest);
  return section(
      title,
      "The " + accuracy_name(found) +
          " of trials by the value of one parameter, whatever the others were: means with their 95 % intervals, the "
          "folds' difficulty taken out. Most important first. The number below is the share of the differences between "
          "trials that this parameter explains, beyond chance. Later batches lie around the survivors, so that "
          "good values have more trials. The dotted line is the winner's value.",
      html + "</div>\n");
}

std::string trials_race_section(const SearchFacts& found, const FairLosses& losses) {
  const SearchReport& race = found.search.race;
  const double all = static_cast<double>(race.num_evaluations + race.evaluations_saved);
  return section("The race",
                 "A bar is a trial, as high as the folds that it was trained for: what is filled are the " +
                     format_count(race.num_evaluations) + " trainings that the race used, what is empty are the " +
                     format_count(race.evaluations_saved) + " that it saved (" +
                     percent_sign(static_cast<double>(race.evaluations_saved) / all) +
                     "). A trial with several variants has the end of the last of them. Tests keep an error of " +
                     percent_sign(race.alpha) + "." + (race.ended_by_clock ? " The clock ended the race." : ""),
                 race_chart(race) + end_table(race) + "<br>" + batch_table(found, losses) + falls_list(found, losses));
}

}  // namespace fernwood::search
