// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/tune/search_forest.h"
#include "search/report/search_report.h"

namespace fernwood::report {

/// @param found  Must outlive them.
search::SearchFacts facts_of(const tune::ForestSearch& found);

}  // namespace fernwood::report
