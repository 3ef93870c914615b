// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/option_table.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/option_error.h"

namespace fernwood {
namespace {

struct Settings {
  std::optional<int> count;
  std::optional<float> missing;
  std::filesystem::path place;
  std::vector<std::string> names;

  static OptionTable<Settings> table() {
    static constexpr std::array kRows = {
        option<&Settings::count>("count", "How many").in(from_to(0, 9)),
        option<&Settings::missing>("missing", "A number"),
        option<&Settings::place>("place", "A folder"),
        option<&Settings::names>("names", "Names"),
    };
    return kRows;
  }
};

TEST(OptionTable, MembersThatMayBeUnsetHaveNoValueUntilTheyAreSet) {
  Settings settings;
  for (const Option<Settings>& row : Settings::table()) EXPECT_EQ(to_text(row.get(settings)), "") << row.name;
  EXPECT_NO_THROW(check_options(Settings::table(), settings));
  set_option("count", "12", settings);
  set_option("missing", "-9999.5", settings);
  EXPECT_EQ(to_text(find_option(Settings::table(), "missing")->get(settings)), "-9999.5");
  EXPECT_THROW(check_options(Settings::table(), settings), OptionError);
  settings.count = 9;
  EXPECT_NO_THROW(check_options(Settings::table(), settings));
}

TEST(OptionTable, TypesFollowFromMembersThatMayBeUnset) {
  const auto type = [](const char* name) { return find_option(Settings::table(), name)->type; };
  EXPECT_EQ(type("count"), OptionType::kInteger);
  EXPECT_EQ(type("missing"), OptionType::kNumber);
  EXPECT_EQ(type("place"), OptionType::kText);
  EXPECT_EQ(type("names"), OptionType::kList);
}

TEST(OptionTable, PathsAndNamesKeepTheSpacesWithinThem) {
  Settings settings;
  set_option("place", "my rooms/a, b", settings);
  EXPECT_EQ(settings.place, "my rooms/a, b");
  set_option("names", " dining table, chair,,  ,floor ", settings);
  EXPECT_EQ(settings.names, (std::vector<std::string>{"dining table", "chair", "floor"}));
  EXPECT_EQ(to_text(find_option(Settings::table(), "names")->get(settings)), "dining table,chair,floor");
}

}  // namespace
}  // namespace fernwood
