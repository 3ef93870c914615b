// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/search/search.h"

#include <algorithm>

#include "search/loss.h"
#include "search/option_space.h"

namespace fernwood::search {

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
                                     "s; give more " + unit + "s or a larger " + named_option("held-out") +
                                     ", so that at least " + std::to_string(enough) + " are"};
}

}  // namespace fernwood::search
