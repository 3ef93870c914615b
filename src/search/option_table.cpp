// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"
#include "fernwood/search/data_search.h"

namespace fernwood::search {

namespace {

using O = DataSearchOptions;

constexpr std::array kRows = {
    option<&O::race, &SearchOptions::trials>("trials",
                                             "Number of configurations to train; 0: as many as {minutes} allow")
        .in(from_to(0, 100000)),
    option<&O::race, &SearchOptions::minutes>("minutes", "Time limit of the race, in minutes; 0: none")
        .in(from_to(0, 1e6)),
    option<&O::race, &SearchOptions::train_seconds>("train-seconds",
                                                    "Drop configurations that train longer, in seconds; 0: no limit")
        .in(from_to(0, 1e9)),
    option<&O::race, &SearchOptions::max_latency_ms>(
        "max-latency-ms", "Maximum time to prepare and label a frame, in milliseconds; 0: no limit")
        .in(from_to(0, 1e6)),
    choice_option<kObjectives, &O::objective>(
        "objective", "Metric to maximise: pixel accuracy, average class accuracy, or their mean"),
    option<&O::folds>("folds", "Number of cross-validation folds").in(from_to(3, 100)),
    option<&O::held_out>("held-out", "Fraction of the data that no race sees").in(above_to(0, 0.9)),
    option<&O::race, &SearchOptions::batch_size>("batch-size", "Configurations per batch").in(from_to(1, 10000)),
    option<&O::race, &SearchOptions::seed>("seed", "Random seed; the same seed gives the same search"),
    option<&O::race, &SearchOptions::prunes>("pruning", "Drop configurations early that are shown to be worse"),
};

}  // namespace

OptionTable<DataSearchOptions> DataSearchOptions::table() { return kRows; }

void DataSearchOptions::read_space(const std::filesystem::path& file) {
  space_toml = read_text(file);
  space_file = file.string();
}

void DataSearchOptions::check() const {
  check_options(table(), *this);
  race.check();
}

void set_options(const OptionTexts& texts, DataSearchOptions& options) {
  for (const auto& [name, text] : texts) set_option(name, text, options);
}

}  // namespace fernwood::search
