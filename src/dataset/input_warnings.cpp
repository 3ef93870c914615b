// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

std::vector<std::string> Dataset::input_warnings() const { return folder_warnings_; }

}  // namespace fernwood::dataset
