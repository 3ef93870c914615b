// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>

#include "fernwood/core/option_error.h"
#include "fernwood/search/search_records.h"
#include "option_rows.h"

namespace fernwood::search {
namespace {

using testing::ElementsAre;

TEST(RecordSearchTables, RangesAreKept) { expect_ranges_are_kept<RecordSearchOptions>(); }

TEST(RecordSearchTables, RecordsHaveOtherWordsForTheSameObjectives) {
  RecordSearchOptions options;
  const Option<RecordSearchOptions>& row = *find_option(RecordSearchOptions::table(), "objective");
  EXPECT_EQ(to_text(row.get(options)), "accuracy") << "the default";
  EXPECT_THAT(row.choices(), ElementsAre("mean", "accuracy", "class"));
  for (const std::string& word : row.choices()) {
    set_option("objective", word, options);
    EXPECT_EQ(record_objective_name(options.objective), word);
    EXPECT_EQ(to_text(row.get(options)), word);
  }
  EXPECT_EQ(options.objective, Objective::kClass);
  EXPECT_THROW(set_option("objective", "pixel", options), OptionError);
  EXPECT_NO_THROW(set_option("objective", "pixel", static_cast<DataSearchOptions&>(options)));
}

}  // namespace
}  // namespace fernwood::search
