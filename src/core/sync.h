// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

namespace fernwood {

/// sync_folder() for a folder and all folders in it.
void sync_folders(const std::filesystem::path& folder);
/// The same for the contents of a file.
void sync_path(const std::filesystem::path& path);

}  // namespace fernwood
