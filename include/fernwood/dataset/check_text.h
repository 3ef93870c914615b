// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/dataset/check.h"

namespace fernwood::dataset {

/// What a check found, for people, at most 100 columns; problems come last.
std::string check_table(const DatasetReport& report);

/// One JSON object, indented by two spaces, with a final newline. Keys: docs/datasets.md.
std::string check_json(const DatasetReport& report);

}  // namespace fernwood::dataset
