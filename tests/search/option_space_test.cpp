// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>

#include "fernwood/search/search.h"
#include "option_rows.h"

namespace fernwood::search {
namespace {

TEST(SearchTables, RangesAreKept) { expect_ranges_are_kept<DataSearchOptions>(); }

}  // namespace
}  // namespace fernwood::search
