// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/search/search_records.h"

#include <algorithm>
#include <span>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "search/option_space.h"
#include "search/record_problem.h"

namespace fernwood::search {

using records::RecordForest, records::RecordTable, records::RecordTrainOptions;

namespace {

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
    found.held_out_records = cut_.num_held_out();
    found.race_records = table_.labels.size() - found.held_out_records;
    found.folds = static_cast<std::size_t>(cut_.num_folds);
    found.objective = options_.objective;
    found.max_train_seconds = options_.race.train_seconds;
    found.record_us_limit = options_.record_us;
    found.train = record_options_of(found.race.winner().configuration, options_.train);
    const RecordTrainOptions defaults = record_options_of(space_.standard(), options_.train);
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

  EvaluatedRecords evaluate_records(const RecordForest& forest, const RecordTable& table) {
    EvaluatedRecords evaluated;
    evaluated.accuracy = accuracy_of_records(forest, table, pool_);
    evaluated.record_us = classifying_us(forest, table, options_.threads);
    return evaluated;
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
