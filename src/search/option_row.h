// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "core/option_text.h"
#include "fernwood/core/text.h"
#include "fernwood/search/space.h"

namespace fernwood::search {

/// A row of the table of a kind of training: an option that a search may choose, and where training has it.
template <typename Options>
struct OptionRow {
  std::function<Parameter(const Options& base)> parameter;  ///< @param base  The hand-made defaults.
  std::function<void(const std::string& name, const std::string& value, Options& options)> apply;
};

/// A whole number from a range that has the default, too.
template <typename Options>
OptionRow<Options> number_row(const char* name, int Options::*option, int low, int high, bool logarithmic) {
  return {[=](const Options& base) {
            return integer_parameter(name, std::min(low, base.*option), std::max(high, base.*option), base.*option,
                                     logarithmic);
          },
          [option](const std::string& at, const std::string& value, Options& options) {
            options.*option = parse_number<int>(at, value);
          }};
}

/// One of an enumeration's values, by its name.
template <typename Options, typename Value, std::size_t kCount>
OptionRow<Options> choice_row(const char* name, Value Options::*option, const std::array<Value, kCount>& values) {
  return {[name, option, values](const Options& base) {
            std::vector<std::string> words;
            for (const Value value : values) words.push_back(to_string(value));
            return choice_parameter(name, words, to_string(base.*option));
          },
          [option, values](const std::string& at, const std::string& word, Options& options) {
            options.*option = parse_name(at, word, values);
          }};
}

template <typename Options>
Space space_of(const std::vector<OptionRow<Options>>& rows, const Options& base) {
  std::vector<Parameter> parameters;
  for (const OptionRow<Options>& row : rows) parameters.push_back(row.parameter(base));
  return Space(std::move(parameters));
}

/// The options that a setting stands for. @param base  What it does not name.
/// @throws Error(kUsage) for a value that training does not take.
template <typename Options>
Options apply_setting(const std::vector<OptionRow<Options>>& rows, const Setting& setting, const Options& base) {
  Options options = base;
  for (const OptionRow<Options>& row : rows) {
    const std::string name = row.parameter(base).name;
    const auto found = setting.find(name);
    if (found != setting.end()) row.apply(name, found->second, options);
  }
  options.check();
  return options;
}

/// The setting as a section of a --config file: "trees = 5\n…".
std::string to_config(const Setting& setting);

}  // namespace fernwood::search
