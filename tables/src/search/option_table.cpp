// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/search/search_records.h"

namespace fernwood::search {

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

}  // namespace

OptionTable<RecordSearchOptions> RecordSearchOptions::table() { return kRecordRows; }

std::string record_objective_name(Objective objective) {
  return kRecordObjectives[static_cast<std::size_t>(std::ranges::find(kObjectives, objective) - kObjectives.begin())];
}

}  // namespace fernwood::search
