// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/option_space.h"

#include <algorithm>
#include <charconv>

#include "fernwood/core/file.h"

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

std::vector<std::string> words_of(const OptionInfo& info, const OptionSearch& search, const std::string& standard) {
  if (search.kind == OptionSearch::Kind::kChoices) return info.choices;
  std::vector<std::string> words = split_list(std::string(search.words));
  if (std::ranges::find(words, standard) == words.end()) words.push_back(standard);
  return words;
}

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

std::string to_string(Objective objective) {
  if (objective == Objective::kPixel) return "pixel";
  return objective == Objective::kClass ? "class" : "mean";
}

double loss_of(const Accuracy& accuracy, Objective objective) {
  if (objective == Objective::kPixel) return 1 - accuracy.pixel;
  if (objective == Objective::kClass) return 1 - accuracy.class_average;
  return 1 - (accuracy.pixel + accuracy.class_average) / 2;
}

std::string to_config(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration) {
    std::string key = name;
    std::ranges::replace(key, '_', '-');
    const bool is_number = !value.empty() && value.find_first_not_of("0123456789.e-+") == std::string::npos;
    text += key + " = " + (is_number ? value : "\"" + value + "\"") + "\n";
  }
  return text;
}

std::optional<Warning> warning_of_few_held_out(std::size_t num_held_out, const std::string& unit,
                                               const std::string& place) {
  const std::size_t enough = unit == "frame" ? 3 : 30;
  if (num_held_out >= enough) return std::nullopt;
  const bool is_one = num_held_out == 1;
  return Warning{"few-held-out", place + ": " + std::to_string(num_held_out) + " " + unit + (is_one ? " is" : "s are") +
                                     " held out to evaluate the winner, which says " +
                                     (is_one ? "nothing" : "next to nothing") + " about other " + unit +
                                     "s; use more " + unit + "s or a larger " + named_option("held-out") +
                                     ", so that at least " + std::to_string(enough) + " are"};
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  TextInput stream(text);
  for (std::string item; std::getline(stream, item, ',');) items.push_back(item);
  return items;
}

Parameter parameter_of(const OptionInfo& info, const OptionSearch& search) {
  const std::string name = option_key(info.name), standard = to_text(info.default_value);
  if (search.kind == OptionSearch::Kind::kWords || search.kind == OptionSearch::Kind::kChoices)
    return choice_parameter(name, words_of(info, search, standard), standard);
  if (info.type == OptionType::kNumber) {
    double number = 0;  // parsed from text: 0.4 instead of 0.4000000059604645
    std::from_chars(standard.data(), standard.data() + standard.size(), number);
    return real_parameter(name, std::min(search.low, number), std::max(search.high, number), number,
                          search.logarithmic);
  }
  const int whole = std::get<int>(info.default_value);
  if (search.kind == OptionSearch::Kind::kRange)
    return integer_parameter(name, std::min(static_cast<int>(search.low), whole),
                             std::max(static_cast<int>(search.high), whole), whole, search.logarithmic);
  // Options that cost time: their range depends on the default, so that a search costs proportionally more than a
  // training, whatever the preset.
  const int most = info.range ? static_cast<int>(info.range->high) : whole;
  return integer_parameter(name, std::max(1, whole / 5), std::min(most, whole + whole / 2 * 3), whole, true);
}

}  // namespace fernwood::search
