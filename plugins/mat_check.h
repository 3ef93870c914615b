// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

namespace fernwood {

/// Walks a file of version 5, whose lengths matio believes when it takes memory. @throws Error(kData) naming the
/// variable that is cut off, damaged, or no array of numbers, text or cells.
void check_mat5(const std::filesystem::path& path);

}  // namespace fernwood
