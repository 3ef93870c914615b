// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/option_space.h"

#include <algorithm>
#include <charconv>

namespace fernwood::search {

namespace {

std::vector<std::string> words_of(const OptionInfo& info, const OptionSearch& search, const std::string& standard) {
  if (search.kind == OptionSearch::Kind::kChoices) return info.choices;
  std::vector<std::string> words;
  for (std::string_view rest = search.words; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    words.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (std::ranges::find(words, standard) == words.end()) words.push_back(standard);
  return words;
}

}  // namespace

std::string parameter_name(std::string_view option) {
  std::string name(option);
  std::ranges::replace(name, '-', '_');
  return name;
}

Parameter parameter_of(const OptionInfo& info, const OptionSearch& search) {
  const std::string name = parameter_name(info.name), standard = to_text(info.default_value);
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
