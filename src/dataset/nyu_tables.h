// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string_view>

namespace fernwood::dataset {

// The files of datasets/nyu, compiled in so that an installed program needs no search path.
extern const std::string_view kNyuLabelsCsv, kNyuClasses4Toml, kNyuClasses13Toml, kNyuClasses40Toml;

}  // namespace fernwood::dataset
