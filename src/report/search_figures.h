// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What tables and pages tell of a search, computed from its trials.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/search/search_forest.h"
#include "fernwood/search/search_records.h"

namespace fernwood::report {

/// How things are called, for people and in JSON.
struct SearchWords {
  std::string thing;                                      ///< "frame"
  std::string accuracy, accuracy_head, mean_of_accuracy;  ///< "pixel accuracy", "pixel %", …
  std::string time, time_unit, labelling;                 ///< "ms a frame", "ms", "labelling a frame"
  std::string cost_note;                                  ///< What costs are of, a sentence.
  std::string accuracy_key, time_key;                     ///< "pixel_accuracy", "frame_ms"
  double time_of_ms = 1;                                  ///< `time_unit`s in a millisecond.
  bool times_race = false;                                ///< Variants of the race were timed.
};

/// A forest on data that it has not seen.
struct EvaluatedForest {
  forest::Accuracy accuracy;
  double time = 0;  ///< SearchWords::time.
};

struct OptionRow {
  std::string name, winner, defaults;
};

/// What is told of a search, whatever was searched.
struct SearchFacts {
  const search::SearchReport& race;
  SearchWords words;
  std::string data = {}, device = {}, objective_word = {};
  std::size_t num_raced = 0, num_held_out = 0, num_folds = 0, num_tested = 0;
  search::Objective objective = search::Objective::kMean;
  double time_limit = 0, train_seconds_limit = 0;        ///< 0: none.
  EvaluatedForest winner = {}, defaults = {};            ///< On what was held out.
  EvaluatedForest test_winner = {}, test_defaults = {};  ///< On num_tested things of their own, if there are any.
  double train_seconds = 0;                              ///< Of the winner's training on all data.
  std::string forest = {};                               ///< "5 trees, depth 18, 12,345 leaves"
  std::size_t num_trees = 0;
  int depth = 0;                        ///< Of the deepest tree.
  std::vector<OptionRow> options = {};  ///< The space's, then what is chosen after the race.
  std::vector<Warning> warnings = {};

  /// In the race, SearchWords::time.
  double time_of(const search::VariantRow& variant) const { return words.time_of_ms * variant.latency_ms; }
};
SearchFacts facts_of(const search::ForestSearch& found);
SearchFacts facts_of(const search::RecordSearch& found);

/// Losses as if every variant had been judged on every fold. Folds are not equally hard, and who is eliminated early
/// has seen few of them: a loss is taken for the sum of what is the variant's and what is the fold's, by least squares.
class FairLosses {
 public:
  explicit FairLosses(const search::SearchReport& report);
  /// Of a variant that saw all folds, its mean loss; NaN of one that was never judged.
  double of(const search::VariantRow& variant) const;

 private:
  std::vector<double> fold_effects_;  // in the order of the race; their sum over folds that were seen is 0
};

/// Trials whose parameter has about the same value.
struct EffectBin {
  double x = 0;  ///< Mean of the values, by their logarithms on a logarithmic scale; the index of a choice.
  std::string values;
  double loss = 0, low = 0, high = 0;  ///< Mean of the trials' fair losses, 95 % interval; NaN of a single trial.
  std::size_t num_trials = 0;
};

/// What a parameter alone does to the loss, whatever the others are.
struct ParameterEffect {
  search::Parameter parameter;
  double share = 0;             ///< Of the variance between trials: explained by the bins, beyond what chance would.
  std::vector<EffectBin> bins;  ///< By growing x, at least two.
};

/// The most important first. Parameters of which one value was tried have none.
std::vector<ParameterEffect> parameter_effects(const search::SearchReport& report, const FairLosses& losses);

/// A value of a parameter as a number: itself, or the index of a choice.
double number_of(const search::Parameter& parameter, const std::string& value);

/// Short names of a parameter's choices: of lists "all", which the defaults have, and "without depth".
std::vector<std::string> choice_names(const search::Parameter& parameter);

/// The variant of a trial that was in the race longest, a survivor before all.
const search::VariantRow& longest_lived(const search::TrialRow& trial);
inline constexpr std::size_t kNumFalls = static_cast<std::size_t>(search::EliminationReason::kNoTime) + 1;
/// Why a trial was eliminated, in a few words for people.
std::string elimination_title(search::EliminationReason elimination);
/// [elimination] Trials by the end of the longest lived of their variants.
std::vector<std::size_t> count_eliminations(const search::SearchReport& report);
/// "5 survived, 130 worse than the leader"
std::string falls_text(const std::vector<std::size_t>& counts);

/// What the race took for accuracy: "pixel accuracy".
std::string accuracy_name(const SearchFacts& found);
/// That of the objective.
double accuracy_of(const EvaluatedForest& judged, search::Objective objective);
/// The race's own estimate of the winner's less that on held-out data: what choosing the best of many flatters it by,
/// and how much harder the held-out data are.
double optimism(const SearchFacts& found);
/// What it says, a sentence.
std::string optimism_text(const SearchFacts& found);
/// "30 frames in 3 folds raced, 5 held out"
std::string data_text(const SearchFacts& found);
/// "30 ms a frame, 5 s of training"; empty: there are none.
std::string limits_text(const SearchFacts& found);

}  // namespace fernwood::report
