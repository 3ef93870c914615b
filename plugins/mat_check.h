// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

namespace fernwood {

/// Checks the structure of a file of version 5, because matio allocates memory by its lengths without checking them.
/// @throws Error(kData) naming a variable that is cut off, damaged, or not an array of numbers, text or cells.
void check_mat5(const std::filesystem::path& path);

}  // namespace fernwood
