// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/search/thesis_search.h"

#include <algorithm>

#include "fernwood/core/text.h"

namespace fernwood::lab {

namespace {

/// Trials in a batch, which race against each other.
constexpr std::size_t kTrialsAtOnce = 16;

}  // namespace

tune::ForestSearchOptions thesis_search(const train::TrainOptions& train, std::size_t trials, std::uint64_t seed) {
  tune::ForestSearchOptions options;
  options.train = train;
  options.train.seed = seed;
  options.objective = search::Objective::kClass;
  options.frames_apart = true;
  options.race.trials = trials;
  options.race.seed = seed;
  options.race.test = search::RaceTest::kStudent;
  options.race.proposals = search::Proposals::kRandom;
  options.race.alpha = 0.005;
  options.race.batch_size = kTrialsAtOnce;
  options.race.min_survivors = 0;
  options.race.most_survivors = 1;
  options.folds = 8;
  options.race.race_folds = 0;
  options.race.first_interim_test = 3;
  options.space_file = "Table 5.1";
  for (const ThesisParameter& row : kThesisSpace)
    options.space_toml += format_text("[%s]\nlow = %d\nhigh = %d\nlog = false\n", row.name, row.low, row.high);
  const std::string channels = join(train.channels, ",");
  for (const auto& [name, value] : {std::pair<const char*, std::string>{"cascade", "1"},
                                    {"class_weights", train.class_weights},
                                    {"sampling", to_string(train.sampling)},
                                    {"channels", channels}})
    options.space_toml += format_text("[%s]\nvalue = \"%s\"\n", name, value.c_str());
  options.space_toml +=
      format_text("[unary_feature_fraction]\nvalue = %g\n", static_cast<double>(train.unary_feature_fraction));
  return options;
}

}  // namespace fernwood::lab
