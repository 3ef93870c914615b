// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "fernwood/core/option_error.h"
#include "fernwood/core/option_table.h"

namespace fernwood {

/// Expects that each row refuses the integers just outside its range, with the option, the value and the rule.
template <typename Options>
void expect_ranges_are_kept() {
  int num_refused = 0;
  const auto expect_refused = [&](const Option<Options>& row, double number) {
    const std::string value = to_text(OptionValue(number));
    try {
      Options options;
      set_option(std::string(row.name), value, options);
      options.check();
      ADD_FAILURE() << "--" << row.name << " takes " << value;
    } catch (const OptionError& error) {
      EXPECT_EQ(error.option(), row.name);
      EXPECT_EQ(error.value(), value);
      EXPECT_EQ(error.rule().on_command_line(), "use " + to_string(*row.range)) << row.name;
      ++num_refused;
    }
  };
  for (const Option<Options>& row : Options::table()) {
    if (!row.range) continue;
    const bool is_unsigned = std::holds_alternative<std::uint64_t>(row.get(Options()));
    if (row.range->low >= 1 || !is_unsigned) expect_refused(row, row.range->low - 1);
    if (row.range->high < std::numeric_limits<int>::max()) expect_refused(row, row.range->high + 1);
  }
  EXPECT_GT(num_refused, 0) << "no row has a range";
}

}  // namespace fernwood
