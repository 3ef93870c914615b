// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The options that a search may choose, from the tables of options.

#include <string>
#include <vector>

#include "fernwood/core/confusion.h"
#include "fernwood/core/option_table.h"
#include "fernwood/search/search.h"

namespace fernwood::search {

/// The parameter of an option. @param info  With the hand-made default. @param search  The range to try, not kCustom.
Parameter parameter_of(const OptionInfo& info, const OptionSearch& search);

/// The items of a list: "lab" and "depth" of "lab,depth".
std::vector<std::string> split_list(const std::string& text);

/// The parameters of all options that a search chooses, in the order of the table.
/// @param custom  custom(row) returns the parameter of an option whose search is kCustom.
template <typename Options, typename Custom>
Space space_of(OptionTable<Options> table, const Options& base, const Custom& custom) {
  std::vector<Parameter> parameters;
  for (const Option<Options>& row : table) {
    const OptionSearch search = row.search_of(base);
    if (search.kind == OptionSearch::Kind::kCustom)
      parameters.push_back(custom(row));
    else if (search.kind != OptionSearch::Kind::kNone)
      parameters.push_back(parameter_of(describe_option(row, base), search));
  }
  return Space(std::move(parameters));
}

/// The options of a configuration. @param base  Options that it does not name.
/// @throws Error(kUsage) for a value that training does not accept.
template <typename Options>
Options apply_configuration(const Configuration& configuration, const Options& base) {
  Options options = base;
  for (const auto& [name, value] : configuration) set_known_option(name, value, options);
  options.check();
  return options;
}

/// The configuration as a section of a --config file: "trees = 5\n…".
std::string to_config(const Configuration& configuration);

/// One minus the objective. NaN stays NaN.
double loss_of(const Accuracy& accuracy, Objective objective);

}  // namespace fernwood::search
