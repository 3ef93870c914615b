// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What tables and pages tell of a search, computed from its trials.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/search/search_forest.h"

namespace fernwood::report {

/// Losses as if every variant had been judged on every block. Blocks are not equally hard, and who falls early has seen
/// few of them: a loss is taken for the sum of what is the variant's and what is the block's, by least squares.
class FairLosses {
 public:
  explicit FairLosses(const search::SearchReport& report);
  /// Of a variant that saw all blocks, its mean loss; NaN of one that was never judged.
  double of(const search::VariantRow& variant) const;

 private:
  std::vector<double> block_effects_;  // in the order of the race; their sum over blocks that were seen is 0
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
inline constexpr std::size_t kNumFalls = static_cast<std::size_t>(search::Fall::kNoTime) + 1;
/// Why a trial fell, in a few words for people.
std::string fall_title(search::Fall fall);
/// [fall] Trials by the end of the longest lived of their variants.
std::vector<std::size_t> count_falls(const search::SearchReport& report);
/// "5 survived, 130 worse than the leader"
std::string falls_text(const std::vector<std::size_t>& counts);

/// What the race took for accuracy: "pixel accuracy".
std::string accuracy_name(search::Objective objective);
/// That of the objective.
double accuracy_of(const search::HeldOut& held_out, search::Objective objective);
/// The race's own estimate of the winner's less that on held-out frames: what choosing the best of many flatters it by,
/// and how much harder the held-out frames are.
double optimism(const search::ForestSearch& found);
/// What it says, a sentence.
std::string optimism_text(const search::ForestSearch& found);

/// Of sampling and growing: the winner's training on all frames.
double seconds_of_winner(const search::ForestSearch& found);
/// Of the deepest tree that labels.
int depth_of(const forest::Forest& forest);
/// "5 trees, depth 18, 12,345 leaves", also of stages.
std::string forest_text(const forest::Forest& forest);
/// "30 ms a frame, 5 s of training"; empty: there are none.
std::string limits_text(const search::ForestSearch& found);
/// Options with what the winner and the defaults have: the space's, then smoothing.
struct OptionRow {
  std::string name, winner, defaults;
};
std::vector<OptionRow> option_rows(const search::ForestSearch& found);

}  // namespace fernwood::report
