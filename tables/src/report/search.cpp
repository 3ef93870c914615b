// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/result_json.h"
#include "fernwood/records/record_file.h"
#include "fernwood/report/records.h"
#include "fernwood/search/report.h"
#include "search/report/search_report.h"

namespace fernwood::report {

using search::RecordSearch, search::SearchFacts, search::SearchWords;

namespace {

const SearchWords& record_words() {
  static const SearchWords words = {
      "record",
      "accuracy",
      "record %",
      "mean of accuracy and class accuracy",
      "µs a record",
      "µs",
      "classifying a record",
      "Reading the table is not part of training here. Records are classified all at once, by the fastest strategy "
      "here on all threads.",
      "accuracy",
      "record_us",
      1000,
      false};
  return words;
}

SearchFacts facts_of(const RecordSearch& found) {
  SearchFacts facts(found, record_words());
  facts.objective_word = search::record_objective_name(found.objective);
  facts.num_tested = found.test_records;
  facts.words.times_race = found.time_limit > 0;
  facts.test_winner = found.test_winner.value_or(search::EvaluatedForest());
  facts.test_defaults = found.test_defaults.value_or(search::EvaluatedForest());
  facts.train_seconds = found.train_report.seconds;
  const records::RecordSummary summary = records::summarize(found.forest);
  facts.num_trees = summary.trees.size();
  facts.depth = summary.max_depth;
  facts.forest = search::trees_text(facts.num_trees, facts.depth, summary.num_leaves);
  return facts;
}

}  // namespace

std::string search_table(const RecordSearch& found, bool color) { return search::search_table(facts_of(found), color); }

std::string search_json(const RecordSearch& found) {
  const SearchFacts facts = facts_of(found);
  Json json = search::search_json(facts);
  json["limits"]["record_us"] = search::limit_json(found.time_limit);
  json["test"] = Json();
  if (facts.num_tested > 0)
    json["test"] = {{"records", facts.num_tested},
                    {"winner", search::evaluated_json(facts.test_winner, facts.words)},
                    {"defaults", search::evaluated_json(facts.test_defaults, facts.words)}};
  return dump(json);
}

std::string search_page(const RecordSearch& found) { return search::search_page(facts_of(found)); }

void write_search(const std::filesystem::path& folder, const RecordSearch& found) {
  records::save_records(found.forest, search::search_files(folder).model, NamedBy::kFernwood);
  search::write_report(folder, search::winner_config(found), search_page(found), search_json(found));
}

}  // namespace fernwood::report
