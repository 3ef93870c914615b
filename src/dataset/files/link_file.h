// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

namespace fernwood::dataset {

/// Makes a file available under another name: by a hard link, or by a copy on another file system. @throws
/// Error(kRuntime or kResource).
void link_or_copy(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace fernwood::dataset
