// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/search/search_records.h"

#include <algorithm>
#include <span>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "search/record_problem.h"

namespace fernwood::search {

using records::RecordForest, records::RecordTable, records::RecordTrainOptions;

namespace {

/// The objective for records, which has its own names.
constexpr auto record_objective_row() {
  Option<RecordSearchOptions> row;
  row.name = "objective";
  row.help = "Metric to maximise: accuracy, average class accuracy, or their mean";
  row.type = OptionType::kChoice;
  row.choices = [] { return std::vector<std::string>(kRecordObjectives.begin(), kRecordObjectives.end()); };
  row.get = [](const RecordSearchOptions& options) { return OptionValue(record_objective_name(options.objective)); };
  row.set = [](std::string_view name, const std::string& text, RecordSearchOptions& options) {
    options.objective =
        kObjectives[find_name(std::string(name), text, {kRecordObjectives.begin(), kRecordObjectives.end()})];
  };
  return row;
}

constexpr std::array kRecordRows = {
    record_objective_row(),
    option<&RecordSearchOptions::record_us>(
        "record-us", "Maximum time per record with the fastest strategy, in microseconds; 0: no limit")
        .in(from_to(0, 1e6)),
};

class RecordSearcher {
 public:
  RecordSearcher(const RecordTable& table, const RecordSearchOptions& options, const SearchHooks& hooks)
      : table_(table),
        options_(options),
        hooks_(hooks),
        space_(search_space(table.values.cols(), options)),
        cut_(cut_records(table, static_cast<std::size_t>(options.folds), options.held_out, options.race.seed,
                         options.data)),
        pool_(options.threads) {}

  SearchReport race() {
    RecordProblem problem(table_, cut_, space_, options_, pool_, hooks_.stop);
    SearchOptions race = options_.race;
    race.max_latency_ms = options_.record_us / kMicrosecondsOfAMillisecond;
    return run_search(problem, race, hooks_);
  }

  RecordSearch run(const RecordTable* test) {
    RecordSearch found;
    found.warnings = rare_classes();
    if (const auto few = warning_of_few_held_out(cut_.num_held_out(), "record", options_.data))
      found.warnings.push_back(*few);
    if (hooks_.warn) std::ranges::for_each(found.warnings, hooks_.warn);
    found.race = race();
    found.data = options_.data;
    found.num_held_out = cut_.num_held_out();
    found.num_raced = table_.labels.size() - found.num_held_out;
    found.num_folds = static_cast<std::size_t>(cut_.num_folds);
    found.objective = options_.objective;
    found.max_train_seconds = options_.race.train_seconds;
    found.time_limit = options_.record_us;
    found.train = apply_configuration(found.race.winner().configuration, options_.train);
    const RecordTrainOptions defaults = apply_configuration(space_.standard(), options_.train);
    const RecordTable raced = records_where(table_, cut_, [](int fold) { return fold != RecordCut::kHeldOut; });
    const RecordTable held_out = records_where(table_, cut_, [](int fold) { return fold == RecordCut::kHeldOut; });
    found.winner = evaluate_records(grow(raced, found.train), held_out);
    found.defaults = evaluate_records(grow(raced, defaults), held_out);
    found.forest = grow(table_, found.train, &found.train_report);
    if (test == nullptr) return found;
    found.test_records = test->labels.size();
    found.test_winner = evaluate_records(found.forest, *test);
    found.test_defaults = evaluate_records(grow(table_, defaults), *test);
    return found;
  }

 private:
  RecordForest grow(const RecordTable& table, const RecordTrainOptions& options,
                    records::RecordTrainReport* report = nullptr) {
    return grow_records(table, options, pool_, hooks_.stop, report);
  }

  EvaluatedForest evaluate_records(const RecordForest& forest, const RecordTable& table) {
    return {accuracy_of_records(forest, table, pool_), classifying_us(forest, table, options_.threads)};
  }

  /// Warns of classes with fewer records than folds: folds without a class do not evaluate it.
  std::vector<Warning> rare_classes() const {
    std::vector<std::size_t> counts(table_.classes.size());
    for (std::size_t i = 0; i < table_.labels.size(); ++i)
      counts[static_cast<std::size_t>(table_.labels[i])] += cut_.fold_of[i] != RecordCut::kHeldOut;
    std::vector<std::string> names;
    for (std::size_t c = 0; c < counts.size(); ++c)
      if (counts[c] < static_cast<std::size_t>(cut_.num_folds)) names.push_back(table_.classes[c]);
    if (names.empty()) return {};
    const auto first = std::span(names).first(std::min<std::size_t>(names.size(), 8));
    return {{"rare-class",
             std::to_string(names.size()) + " of " + std::to_string(counts.size()) +
                 " classes have fewer records than there are folds, and count only in folds that have them: " +
                 join(first) + (first.size() < names.size() ? ", ..." : "")}};
  }

  const RecordTable& table_;
  const RecordSearchOptions& options_;
  const SearchHooks& hooks_;
  const Space space_;
  const RecordCut cut_;
  ThreadPool pool_;
};

}  // namespace

OptionTable<RecordSearchOptions> RecordSearchOptions::table() { return kRecordRows; }

std::string record_objective_name(Objective objective) {
  return kRecordObjectives[static_cast<std::size_t>(std::ranges::find(kObjectives, objective) - kObjectives.begin())];
}

void RecordSearchOptions::check() const {
  DataSearchOptions::check();
  check_options(table(), *this);
  train.check();
}

Space search_space(std::size_t num_attributes, const RecordSearchOptions& options) {
  const DefaultFloats floats;
  const Space space = record_space(options.train, num_attributes);
  return options.space_file.empty() ? space : space.changed_by(options.space_toml, options.space_file);
}

RecordSearch search_records(const RecordTable& table, const RecordSearchOptions& options, const SearchHooks& hooks,
                            const RecordTable* test) {
  const DefaultFloats floats;
  options.check();
  return RecordSearcher(table, options, hooks).run(test);
}

std::string winner_config(const RecordSearch& found) {
  const DefaultFloats floats;
  Configuration configuration = found.race.winner().configuration;
  const bool bootstrap = configuration.extract("bootstrap").mapped() == "true";
  return "[train]\nseed = " + std::to_string(found.train.seed) + "\n" + to_config(configuration) +
         (bootstrap ? "bootstrap" : "no-bootstrap") + " = true\n";
}

}  // namespace fernwood::search
