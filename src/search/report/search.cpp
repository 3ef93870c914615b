// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/search/report.h"

#include <algorithm>
#include <cmath>

#include "core/json_text.h"
#include "core/text_table.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "search/report/search_report.h"

namespace fernwood::search {

namespace {

constexpr std::size_t kSearchFactWidth = 11, kOptionColumns = 20, kMaxValueColumns = 34;

TextCell signed_points(double difference) {
  const std::string text = points(difference);
  return {text, text.starts_with('+') ? "32" : text.starts_with('-') && text != "-" ? "31" : ""};
}

/// Winner and defaults, side by side. @param name  Name of the data: "held-out frames".
std::string comparison_rows(const SearchFacts& found, const std::string& name, const EvaluatedForest& winner,
                            const EvaluatedForest& defaults, const Painter& painter) {
  const bool is_mean = found.search.objective == Objective::kMean;
  std::vector<TextColumn> columns = {left("on the " + name, 28), right(found.words.accuracy_head, 9),
                                     right("class %", 9)};
  if (is_mean) columns.push_back(right("mean %", 9));
  columns.push_back(right(found.words.time, 12));
  TextTable table(columns, painter);
  const auto row = [&](const std::string& title, const auto& accuracy_cell, const TextCell& time,
                       const std::string& style = "") {
    std::vector<TextCell> cells = {title, accuracy_cell(Objective::kPixel), accuracy_cell(Objective::kClass)};
    if (is_mean) cells.push_back(accuracy_cell(Objective::kMean));
    cells.push_back(time);
    table.row(cells, style);
  };
  const auto add = [&](const std::string& title, const EvaluatedForest& evaluated, const std::string& style) {
    row(
        title, [&](Objective objective) { return TextCell(percent(accuracy_of(evaluated, objective))); },
        fixed(evaluated.time, 2), style);
  };
  add("winner", winner, "1");
  add("defaults", defaults, "");
  row(
      "difference, points",
      [&](Objective objective) {
        return signed_points(accuracy_of(winner, objective) - accuracy_of(defaults, objective));
      },
      fixed(winner.time - defaults.time, 2));
  return table.text();
}

std::string held_out_rows(const SearchFacts& found, const Painter& painter) {
  const std::string things = found.words.thing + "s";
  const std::string text =
      comparison_rows(found, "held-out " + things, found.search.winner, found.search.defaults, painter);
  if (found.num_tested == 0) return text;
  return text + "\n" + comparison_rows(found, "test " + things, found.test_winner, found.test_defaults, painter);
}

/// The race's own estimate beside the held-out accuracy, and an explanation of the difference.
std::string estimate_lines(const SearchFacts& found, const Painter& painter) {
  const SearchReport& race = found.search.race;
  std::string text =
      facts({{"race", accuracy_name(found) + " " + percent(1 - race.loss) + " %" + interval_text(race) +
                          " on its own " + found.words.thing + "s, " +
                          percent(accuracy_of(found.search.winner, found.search.objective)) + " % held out"}},
            kSearchFactWidth, painter);
  for (const std::string& line : wrapped(optimism_text(found), kMaxColumns - kSearchFactWidth))
    text += std::string(kSearchFactWidth, ' ') + line + "\n";
  return text;
}

std::string option_table(const SearchFacts& found, const Painter& painter) {
  const std::vector<OptionRow> rows = found.options;
  std::size_t width = 8;  // "defaults"
  for (const OptionRow& row : rows) width = std::max({width, width_of(row.winner), width_of(row.defaults)});
  width = std::min(width, kMaxValueColumns);
  TextTable table({left("", 1), left("option", kOptionColumns), left("winner", width), left("defaults", width)},
                  painter);
  bool is_marked = false;
  for (const OptionRow& row : rows) {
    const bool differs = row.winner != row.defaults;
    const std::vector<std::string> winner = broken_list(row.winner, width), defaults = broken_list(row.defaults, width);
    for (std::size_t i = 0; i < std::max(winner.size(), defaults.size()); ++i)
      table.row({differs && i == 0 ? "*" : "", i == 0 ? row.name : "", i < winner.size() ? winner[i] : "",
                 i < defaults.size() ? defaults[i] : ""},
                differs ? "1" : "2");
    is_marked |= differs;
  }
  return table.text() + (is_marked ? "* differs from the defaults\n" : "the defaults have won\n");
}

std::string race_facts(const SearchFacts& found, const Painter& painter) {
  const SearchReport& race = found.search.race;
  const double all = static_cast<double>(race.num_evaluations + race.evaluations_saved);
  return facts(
      {{"winner", "trial " + std::to_string(race.winner_trial) + " of batch " +
                      std::to_string(race.trials[race.winner_trial].batch + 1)},
       {"forest", found.forest + ", on all " + found.words.thing + "s in " + format_duration(found.train_seconds) +
                      " of training"},
       {"trials", format_count(race.trials.size()) + " in " + format_count(race.num_batches) +
                      (race.num_batches == 1 ? " batch" : " batches")},
       {"  ended", falls_text(count_eliminations(race))},
       {"trainings",
        format_count(race.num_evaluations) + " used, " + format_count(race.evaluations_saved) + " saved" +
            (all > 0 ? " (" + percent(static_cast<double>(race.evaluations_saved) / all, 0) + " %)" : std::string())},
       {"time", format_duration(race.seconds) + (race.ended_by_clock ? ", ended by the clock" : "")}},
      kSearchFactWidth, painter);
}

/// The parameters in which a variant differs from its trial.
Json difference_json(const Configuration& variant, const Configuration& trial) {
  Json json = Json::object();
  for (const auto& [name, value] : variant) {
    const auto own = trial.find(name);
    if (own == trial.end() || own->second != value) json[name] = value;
  }
  return json;
}

Json variant_json(const VariantRow& variant, const TrialRow& trial) {
  // Folds at the end of the race on which the variant was not evaluated have no entry.
  std::size_t num_folds = variant.losses.size();
  while (num_folds > 0 && std::isnan(variant.losses[num_folds - 1])) --num_folds;
  double accuracy = 0, class_accuracy = 0;
  Json losses = Json::array();
  for (std::size_t b = 0; b < num_folds; ++b) {
    losses.push_back(variant.losses[b]);
    if (std::isnan(variant.losses[b])) continue;
    accuracy += variant.results[b].accuracy;
    class_accuracy += variant.results[b].class_accuracy;
  }
  const auto num_evaluated = static_cast<double>(variant.num_folds());
  const bool eliminated = variant.elimination != EliminationReason::kNone;
  return {{"changes", difference_json(variant.configuration, trial.configuration)},
          {"loss", variant.mean_loss()},
          {"losses", losses},
          {"accuracy", accuracy / num_evaluated},
          {"class_accuracy", class_accuracy / num_evaluated},
          {"latency_ms", variant.latency_ms},
          {"elimination", to_string(variant.elimination)},
          {"elimination_batch", eliminated ? Json(variant.elimination_batch) : Json()},
          {"elimination_folds", eliminated ? Json(variant.elimination_folds) : Json()},
          {"p", variant.p},
          {"why", or_null(variant.why)}};
}

Json trial_json(const std::vector<TrialRow>& trials, std::size_t index) {
  const TrialRow& trial = trials[index];
  Json variants = Json::array();
  for (const VariantRow& variant : trial.variants) variants.push_back(variant_json(variant, trial));
  return {{"trial", index},
          {"batch", trial.batch},
          {"configuration", trial.configuration},
          {"train_seconds", trial.train_seconds},
          {"trainings", trial.num_evaluations},
          {"variants", variants}};
}

Json winner_json(const SearchFacts& found) {
  return {{"trial", found.search.race.winner_trial},
          {"variant", found.search.race.winner_variant},
          {"configuration", found.search.race.winner().configuration},
          {"train_seconds", found.train_seconds},
          {"trees", found.num_trees},
          {"depth", found.depth}};
}

Json race_json(const SearchReport& race) {
  return {{"seed", race.seed},
          {"alpha", race.alpha},
          {"batches", race.num_batches},
          {"trials", race.trials.size()},
          {"trainings", race.num_evaluations},
          {"trainings_saved", race.evaluations_saved},
          {"seconds", race.seconds},
          {"ended_by_clock", race.ended_by_clock},
          {"loss", race.loss},
          {"loss_low", race.loss_low},
          {"loss_high", race.loss_high},
          {"fold_order", race.fold_order}};
}

Json effects_json(const SearchReport& race) {
  Json json = Json::array();
  for (const ParameterEffect& effect : parameter_effects(race, FairLosses(race))) {
    Json bins = Json::array();
    for (const EffectBin& bin : effect.bins)
      bins.push_back({{"values", bin.values},
                      {"trials", bin.num_trials},
                      {"loss", bin.loss},
                      {"loss_low", bin.low},
                      {"loss_high", bin.high}});
    json.push_back({{"name", effect.parameter.name}, {"share", effect.share}, {"bins", bins}});
  }
  return json;
}

}  // namespace

Json evaluated_json(const EvaluatedForest& evaluated, const SearchWords& words) {
  return {{words.accuracy_key, evaluated.accuracy.pixel},
          {"class_accuracy", evaluated.accuracy.class_average},
          {words.time_key, evaluated.time}};
}

Json limit_json(double limit) { return limit > 0 ? Json(limit) : Json(); }

std::string search_table(const SearchFacts& found, bool color) {
  const Painter painter{color};
  const std::string limits = limits_text(found);
  return facts({{"data", found.search.data + ": " + data_text(found)},
                {"device", found.search.device},
                {"limits", limits.empty() ? "none" : limits}},
               kSearchFactWidth, painter) +
         "\n" + held_out_rows(found, painter) + "\n" + estimate_lines(found, painter) + "\n" +
         option_table(found, painter) + "\n" + race_facts(found, painter);
}

Json search_json(const SearchFacts& found) {
  const SearchWords& words = found.words;
  const std::vector<TrialRow>& trials = found.search.race.trials;
  Json json = {
      {"schema_version", 1},
      {"data", found.search.data},
      {"device", found.search.device},
      {words.thing + "s",
       {{"race", found.search.num_raced}, {"held_out", found.search.num_held_out}, {"folds", found.search.num_folds}}},
      {"objective", found.objective_word},
      {"limits", {{"train_seconds", limit_json(found.search.max_train_seconds)}}},
      {"held_out",
       {{"winner", evaluated_json(found.search.winner, words)},
        {"defaults", evaluated_json(found.search.defaults, words)},
        {"optimism", optimism(found)}}},
      {"winner", winner_json(found)},
      {"race", race_json(found.search.race)},
      {"space", Json::parse(found.search.race.space.to_json())},
      {"effects", effects_json(found.search.race)},
      {"warnings", texts_of(found.warnings)},
      {"trials", Json::array()}};
  for (std::size_t i = 0; i < trials.size(); ++i) json["trials"].push_back(trial_json(trials, i));
  return json;
}

std::string trial_json_line(const std::vector<TrialRow>& trials, std::size_t index) {
  return json_text(trial_json(trials, index)) + "\n";
}

SearchFiles search_files(const std::filesystem::path& folder) {
  return {folder / "best.fernwood", folder / "best.toml", folder / "search.html", folder / "search.json"};
}

void check_search_files(const char* option, const std::filesystem::path& folder, const std::vector<NamedPath>& inputs,
                        InputRule is_read) {
  const std::filesystem::path journal = journal_path(folder);
  refuse_replaced_files({{option, journal}}, inputs, is_read);
  const SearchFiles files = search_files(folder);
  std::vector<std::string> existing;
  for (const std::filesystem::path& file : {files.model, files.config, files.page, files.json}) {
    refuse_replaced_files({{option, file}}, inputs, is_read);
    check_writable(file, NamedBy::kFernwood);
    // A link is replaced, and its target stays.
    if (std::filesystem::is_regular_file(std::filesystem::symlink_status(file)))
      existing.push_back(file.filename().string());
  }
  // The journal last: another process may write it and then the files in between.
  FW_CHECK(existing.empty() || std::filesystem::exists(journal), Usage,
           folder.string() << ": the folder has no journal of a search, and this search would replace "
                           << join(existing) << " in it; remove "
                           << (existing.size() == 1 ? "this file" : "these files") << ", or choose another folder");
}

void write_report(const std::filesystem::path& folder, const std::string& config, const std::string& page,
                  const std::string& json) {
  const SearchFiles files = search_files(folder);
  write_file_atomically(files.config, NamedBy::kFernwood, config);
  write_file_atomically(files.page, NamedBy::kFernwood, page);
  write_file_atomically(files.json, NamedBy::kFernwood, json);
}

ProgressWords progress_words(const SearchProgress& progress) {
  if (!progress.after.empty()) return {"finishing", progress.after, progress.done};
  std::string text = "batch " + std::to_string(progress.batch + 1) + ", fold " + std::to_string(progress.fold + 1) +
                     " of " + std::to_string(progress.num_folds) + ", " + std::to_string(progress.trials_alive) +
                     " of " + std::to_string(progress.trials) + " alive";
  if (!progress.leaders.empty())
    text += ", trial " + std::to_string(progress.leaders.front().trial) + " leads with loss " +
            format_text("%.4f", progress.leaders.front().loss);
  return {"racing", text, progress.done};
}

}  // namespace fernwood::search
