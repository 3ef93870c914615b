// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fernwood::dataset {

/// A ZIP archive (APPNOTE 6.3) of files as they are, not compressed again: the same bytes for the same files.
/// @param files  Names and contents. @throws Error(kResource) for 65535 files or 4 GiB, which take another layout.
std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace fernwood::dataset
