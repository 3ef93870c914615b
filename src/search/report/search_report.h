// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A search of any kind as text, JSON and a page, and the figures that these show, computed from its trials.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result_json.h"
#include "fernwood/core/confusion.h"
#include "fernwood/search/search.h"

namespace fernwood::search {

/// Terms of a kind of search, for people and in JSON.
struct SearchWords {
  std::string thing;                                      ///< "frame"
  std::string accuracy, accuracy_head, mean_of_accuracy;  ///< "pixel accuracy", "pixel %", …
  std::string time, time_unit, labelling;                 ///< "ms a frame", "ms", "labelling a frame"
  std::string cost_note;                                  ///< A sentence about what the costs refer to.
  std::string accuracy_key, time_key;                     ///< "pixel_accuracy", "latency_ms"
  double time_of_ms = 1;                                  ///< `time_unit`s per millisecond, of EvaluatedForest::time.
  bool times_race = false;                                ///< Variants of the race were timed.
};

struct OptionRow {
  std::string name, winner, defaults;
};

/// Facts about a search, of any kind.
struct SearchFacts {
  /// @param search  Must outlive this object.
  SearchFacts(const DataSearch& search, const SearchWords& words);

  const DataSearch& search;
  SearchWords words;
  std::string objective_word;
  std::size_t num_tested = 0;
  EvaluatedForest test_winner, test_defaults;  ///< On num_tested items of a test set, if any.
  double train_seconds = 0;                    ///< Training time of the winner on all data.
  std::string forest;                          ///< "5 trees, depth 18, 12,345 leaves"
  std::size_t num_trees = 0;
  int depth = 0;                   ///< Of the deepest tree.
  std::vector<OptionRow> options;  ///< Options of the space, then those chosen after the race.
  std::vector<Warning> warnings;   ///< Of the search and of its race.

  /// In the race.
  double time_of(const VariantRow& variant) const { return words.time_of_ms * variant.latency_ms; }
};
/// "5 trees, depth 18, 12,345 leaves"
std::string trees_text(std::size_t num_trees, int depth, std::size_t num_leaves);

/// Losses as if every variant had been evaluated on every fold. Folds differ in difficulty, and variants eliminated
/// early were evaluated on few of them: a loss is modelled as the sum of an effect of the variant and one of the fold,
/// by least squares.
class FairLosses {
 public:
  explicit FairLosses(const SearchReport& report);
  /// For a variant evaluated on all folds, its mean loss; NaN for one without evaluations.
  double of(const VariantRow& variant) const;

 private:
  std::vector<double> fold_effects_;  // in race order; their sum over the evaluated folds is 0
};

/// Trials with similar values of a parameter.
struct EffectBin {
  double x = 0;  ///< Mean of the values, geometric on a logarithmic scale; the index of a choice.
  std::string values;
  double loss = 0, low = 0, high = 0;  ///< Mean of the trials' fair losses, 95 % interval; NaN for a single trial.
  std::size_t num_trials = 0;
};

/// Effect of a single parameter on the loss, averaged over the others.
struct ParameterEffect {
  Parameter parameter;
  double share = 0;             ///< Of the variance between trials, explained by the bins beyond chance.
  std::vector<EffectBin> bins;  ///< By growing x, at least two.
};

/// In descending order of importance. Parameters with only one value tried are left out.
std::vector<ParameterEffect> parameter_effects(const SearchReport& report, const FairLosses& losses);

/// A value of a parameter as a number: the number itself, or the index of a choice.
double number_of(const Parameter& parameter, const std::string& value);

/// Short names of a parameter's choices: for lists, "all" for that of the defaults, and "without depth".
std::vector<std::string> choice_names(const Parameter& parameter);

/// The variant of a trial that stayed in the race longest; survivors come first.
const VariantRow& longest_lived(const TrialRow& trial);
inline constexpr std::size_t kNumFalls = static_cast<std::size_t>(EliminationReason::kNoTime) + 1;
/// The reason why a trial was eliminated, in a few words for people.
std::string elimination_title(EliminationReason elimination);
/// [elimination] Number of trials, by the fate of their longest-lived variant.
std::vector<std::size_t> count_eliminations(const SearchReport& report);
/// "5 survived, 130 worse than the leader"
std::string falls_text(const std::vector<std::size_t>& counts);

/// Name of the race's accuracy measure: "pixel accuracy".
std::string accuracy_name(const SearchFacts& found);
/// " (61.0 to 70.1)", the 95 % interval of the race's estimate for the winner; empty after a single fold.
std::string interval_text(const SearchReport& race);
/// The accuracy measured by the objective.
double accuracy_of(const EvaluatedForest& evaluated, Objective objective);
/// The race's estimate for the winner minus its accuracy on held-out data: the selection bias of choosing the best of
/// many, plus the difference in difficulty of the held-out data.
double optimism(const SearchFacts& found);
/// The explanation of optimism(), a sentence.
std::string optimism_text(const SearchFacts& found);
/// "30 frames in 3 folds raced, 5 held out"
std::string data_text(const SearchFacts& found);
/// "30 ms a frame, 5 s of training"; empty without limits.
std::string limits_text(const SearchFacts& found);

std::string search_table(const SearchFacts& found, bool color);
/// Without the limit on time, of which each kind has its own.
Json search_json(const SearchFacts& found);
std::string search_page(const SearchFacts& found);

/// An evaluated forest with the keys of its kind.
Json evaluated_json(const EvaluatedForest& evaluated, const SearchWords& words);
/// Null for 0.
Json limit_json(double limit);

/// Writes all of search_files() but the model. @throws Error as write_file_atomically().
void write_report(const std::filesystem::path& folder, const std::string& config, const std::string& page,
                  const std::string& json);

// Trials of a search for its page: their accuracy and time, the effects of their parameters, and how each ended.

// Each function returns a section as HTML. @param losses  Of the race.

/// Accuracy against time, with the Pareto front; empty for searches whose race is not timed.
std::string trials_time_section(const SearchFacts& found, const FairLosses& losses);
/// A chart for each parameter.
std::string trials_effects_section(const SearchFacts& found, const FairLosses& losses);
/// When and why trials were eliminated.
std::string trials_race_section(const SearchFacts& found, const FairLosses& losses);

}  // namespace fernwood::search
