// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// Reads dataset.toml. @throws Error(kData) naming file, line and key for a syntax error, an unknown key or a value of
/// the wrong type or range.
DatasetConfig read_dataset_config(const std::filesystem::path& path);

}  // namespace fernwood::dataset
