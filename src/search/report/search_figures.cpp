// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/report/search_report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "fernwood/core/text.h"
#include "search/option_space.h"
#include "search/race.h"

namespace fernwood::search {

namespace {

constexpr double kEffectConfidence = 0.95;
constexpr std::size_t kMinBins = 3, kMaxBins = 8, kTrialsOfABin = 6;
constexpr int kMaxSweeps = 1000;
constexpr double kSettled = 1e-9;  // maximum change of a fold's effect between sweeps

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Mean of the losses, each minus the effect of its fold; NaN without losses.
double adjusted_mean(const VariantRow& variant, const std::vector<double>& fold_effects) {
  std::vector<double> adjusted;
  for (std::size_t b = 0; b < variant.losses.size(); ++b)
    if (!std::isnan(variant.losses[b])) adjusted.push_back(variant.losses[b] - fold_effects[b]);
  return mean(adjusted);
}

/// For each fold, its mean loss minus the mean of the variants evaluated on it; NaN for folds without variants.
std::vector<double> next_effects(const SearchReport& report, const std::vector<double>& effects) {
  std::vector<double> sums(effects.size(), 0), counts(effects.size(), 0);
  for (const TrialRow& trial : report.trials)
    for (const VariantRow& variant : trial.variants) {
      const double own = adjusted_mean(variant, effects);
      for (std::size_t b = 0; b < effects.size(); ++b) {
        if (std::isnan(variant.losses[b])) continue;
        sums[b] += variant.losses[b] - own;
        ++counts[b];
      }
    }
  for (std::size_t b = 0; b < effects.size(); ++b) sums[b] /= counts[b];
  return sums;
}

/// Shifts known effects to the mean 0; unknown effects become 0.
void center(std::vector<double>& effects) {
  std::vector<double> known;
  std::ranges::copy_if(effects, std::back_inserter(known), [](double effect) { return !std::isnan(effect); });
  for (double& effect : effects) effect = std::isnan(effect) ? 0 : effect - mean(known);
}

struct Sighting {
  double x, loss;
  std::string value;
};

std::size_t num_bins(const Parameter& parameter, std::size_t num_trials) {
  if (!parameter.is_number()) return parameter.choices.size();
  const double num_values = parameter.high - parameter.low + 1;
  if (parameter.kind == ParameterKind::kInteger && num_values <= kMaxBins) return static_cast<std::size_t>(num_values);
  return std::clamp(num_trials / kTrialsOfABin, kMinBins, kMaxBins);
}

EffectBin bin_of(const std::vector<Sighting>& sightings, const Parameter& parameter) {
  std::vector<double> places, losses;
  for (const Sighting& sighting : sightings) {
    places.push_back(parameter.logarithmic ? std::log(sighting.x) : sighting.x);
    losses.push_back(sighting.loss);
  }
  const auto [least, greatest] = std::ranges::minmax(sightings, {}, &Sighting::x);
  EffectBin bin;
  bin.x = parameter.logarithmic ? std::exp(mean(places)) : mean(places);
  bin.values = least.x == greatest.x ? least.value : least.value + " to " + greatest.value;
  bin.loss = mean(losses);
  bin.num_trials = losses.size();
  const Interval interval = mean_interval(losses, 0, kEffectConfidence);
  const bool is_single = losses.size() == 1;
  bin.low = is_single ? std::numeric_limits<double>::quiet_NaN() : interval.low;
  bin.high = is_single ? std::numeric_limits<double>::quiet_NaN() : interval.high;
  return bin;
}

/// Epsilon squared: the share of the sum of squares that the bins explain, minus the share expected by chance.
double explained_share(const std::vector<std::vector<Sighting>>& bins) {
  std::vector<double> all;
  for (const std::vector<Sighting>& bin : bins)
    for (const Sighting& sighting : bin) all.push_back(sighting.loss);
  const double middle = mean(all);
  double between = 0, within = 0;
  for (const std::vector<Sighting>& bin : bins) {
    std::vector<double> losses;
    for (const Sighting& sighting : bin) losses.push_back(sighting.loss);
    const double own = mean(losses);
    between += static_cast<double>(bin.size()) * (own - middle) * (own - middle);
    for (const double loss : losses) within += (loss - own) * (loss - own);
  }
  if (all.size() <= bins.size() || between + within == 0) return 0;
  const double chance = static_cast<double>(bins.size() - 1) * within / static_cast<double>(all.size() - bins.size());
  return std::max(0.0, (between - chance) / (between + within));
}

}  // namespace

FairLosses::FairLosses(const SearchReport& report) : fold_effects_(report.fold_order.size(), 0) {
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    std::vector<double> next = next_effects(report, fold_effects_);
    center(next);
    double change = 0;
    for (std::size_t b = 0; b < next.size(); ++b) change = std::max(change, std::abs(next[b] - fold_effects_[b]));
    fold_effects_ = std::move(next);
    if (change < kSettled) return;
  }
}

double FairLosses::of(const VariantRow& variant) const { return adjusted_mean(variant, fold_effects_); }

std::vector<ParameterEffect> parameter_effects(const SearchReport& report, const FairLosses& losses) {
  std::vector<ParameterEffect> effects;
  const std::vector<Parameter>& parameters = report.space.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::size_t most = num_bins(parameters[i], report.trials.size());
    std::vector<std::vector<Sighting>> bins(most);
    for (const TrialRow& trial : report.trials) {
      const double loss = losses.of(trial.variants.front());
      if (std::isnan(loss)) continue;
      const auto bin = static_cast<std::size_t>(report.space.point(trial.configuration)[i] * static_cast<double>(most));
      const std::string& value = trial.configuration.at(parameters[i].name);
      bins[std::min(bin, most - 1)].push_back({number_of(parameters[i], value), loss, value});
    }
    std::erase_if(bins, [](const std::vector<Sighting>& bin) { return bin.empty(); });
    if (bins.size() < 2) continue;
    ParameterEffect& effect = effects.emplace_back();
    effect.parameter = parameters[i];
    effect.share = explained_share(bins);
    for (const std::vector<Sighting>& bin : bins) effect.bins.push_back(bin_of(bin, parameters[i]));
  }
  std::ranges::stable_sort(effects, std::greater(), &ParameterEffect::share);
  return effects;
}

SearchFacts::SearchFacts(const DataSearch& found, const SearchWords& in_words)
    : search(found), words(in_words), objective_word(to_string(found.objective)), warnings(found.warnings) {
  const Configuration& winner = found.race.winner().configuration;
  for (const Parameter& parameter : found.race.space.parameters())
    options.push_back({parameter.name, winner.at(parameter.name), parameter.standard});
  warnings.insert(warnings.end(), found.race.warnings.begin(), found.race.warnings.end());
}

std::string trees_text(std::size_t num_trees, int depth, std::size_t num_leaves) {
  return counted(num_trees, "tree") + ", depth " + std::to_string(depth) + ", " + format_count(num_leaves) +
         (num_leaves == 1 ? " leaf" : " leaves");
}

double number_of(const Parameter& parameter, const std::string& value) {
  if (!parameter.is_number())
    return static_cast<double>(std::ranges::find(parameter.choices, value) - parameter.choices.begin());
  double number = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

std::vector<std::string> choice_names(const Parameter& parameter) {
  const std::vector<std::string> all = split_list(parameter.standard);
  std::vector<std::string> names;
  bool has_parts = false;
  for (const std::string& choice : parameter.choices) {
    const std::vector<std::string> items = split_list(choice);
    std::vector<std::string> missing = all;
    std::erase_if(missing, [&](const std::string& item) { return std::ranges::find(items, item) != items.end(); });
    const bool is_part = !missing.empty() && missing.size() + items.size() == all.size();
    names.push_back(is_part ? "without " + join(missing, ",") : choice);
    has_parts |= is_part;
  }
  const auto standard = std::ranges::find(parameter.choices, parameter.standard);
  if (has_parts && standard != parameter.choices.end())
    names[static_cast<std::size_t>(standard - parameter.choices.begin())] = "all";
  return names;
}

const VariantRow& longest_lived(const TrialRow& trial) {
  return *std::ranges::max_element(trial.variants, {}, [](const VariantRow& variant) {
    return std::tuple(variant.elimination == EliminationReason::kNone, variant.elimination_batch,
                      variant.elimination_folds);
  });
}

std::string elimination_title(EliminationReason elimination) {
  static constexpr std::array kTitles = {"survived",   "worse than the leader",   "outranked",
                                         "too slow",   "training takes too long", "impossible",
                                         "out of time"};
  return kTitles.at(static_cast<std::size_t>(elimination));
}

std::vector<std::size_t> count_eliminations(const SearchReport& report) {
  std::vector<std::size_t> counts(kNumFalls, 0);
  for (const TrialRow& trial : report.trials) ++counts[static_cast<std::size_t>(longest_lived(trial).elimination)];
  return counts;
}

std::string falls_text(const std::vector<std::size_t>& counts) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0)
      words.push_back(format_count(counts[i]) + " " + elimination_title(static_cast<EliminationReason>(i)));
  return join(words);
}

std::string accuracy_name(const SearchFacts& found) {
  if (found.search.objective == Objective::kPixel) return found.words.accuracy;
  return found.search.objective == Objective::kClass ? "class accuracy" : found.words.mean_of_accuracy;
}

std::string interval_text(const SearchReport& race) {
  if (race.winner().num_folds() < 2) return "";
  return " (" + percent(1 - race.loss_high) + " to " + percent(1 - race.loss_low) + ")";
}

double accuracy_of(const EvaluatedForest& evaluated, Objective objective) {
  return 1 - loss_of(evaluated.accuracy, objective);
}

double optimism(const SearchFacts& found) {
  return 1 - found.search.race.loss - accuracy_of(found.search.winner, found.search.objective);
}

std::string optimism_text(const SearchFacts& found) {
  const double held_out_loss = 1 - accuracy_of(found.search.winner, found.search.objective),
               difference = optimism(found);
  const std::string held_out = "the held-out " + found.words.thing + "s";
  if (std::isnan(difference)) return "The held-out " + found.words.thing + "s tell nothing.";
  const std::string size = percent(std::abs(difference)) + " points";
  const std::string compared = size == "0.0 points" ? "the same" : size + (difference > 0 ? " higher" : " lower");
  const std::string beginning = "The race's own figure is " + compared;
  if (found.search.race.winner().num_folds() < 2) return beginning + "; it is of one fold, which gives no interval.";
  if (held_out_loss >= found.search.race.loss_low && held_out_loss <= found.search.race.loss_high)
    return beginning + ", within its interval: there is no sign that it flatters the winner.";
  if (difference > 0)
    return beginning + ", beyond its interval: the best of many is also the luckiest of them, or " + held_out +
           " are harder. The held-out figure is the one to quote.";
  return beginning + ", beyond its interval: " + held_out + " are easier, or more " + found.words.thing +
         "s to train on help. It does not flatter the winner.";
}

std::string data_text(const SearchFacts& found) {
  return counted(found.search.num_raced, found.words.thing) + " in " + counted(found.search.num_folds, "fold") +
         " raced, " + format_count(found.search.num_held_out) + " held out";
}

std::string limits_text(const SearchFacts& found) {
  std::vector<std::string> limits;
  if (found.search.time_limit > 0) limits.push_back(format_text("%.4g ", found.search.time_limit) + found.words.time);
  if (found.search.max_train_seconds > 0)
    limits.push_back(format_text("%.4g s of training", found.search.max_train_seconds));
  return join(limits);
}

}  // namespace fernwood::search
