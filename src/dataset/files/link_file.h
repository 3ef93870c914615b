// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

namespace fernwood::dataset {

/// The same file under another name: a hard link, on another file system a copy. @throws Error(kRuntime or kResource).
void link_or_copy(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace fernwood::dataset
