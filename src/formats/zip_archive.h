// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fernwood::dataset {

/// A ZIP archive (APPNOTE 6.3) of stored, not compressed files; equal files give equal bytes.
/// @param files  Names and contents. @throws Error(kResource) for 65535 or more files, or 4 GiB, which need another
/// layout.
std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace fernwood::dataset
