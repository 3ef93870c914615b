// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fernwood::formats {

/// Makes a file available under another name: by a hard link, or by a copy on another file system. It is then on the
/// disk, and its name once the folder is synced. @throws Error(kRuntime or kResource).
void link_or_copy(const std::filesystem::path& from, const std::filesystem::path& to);

/// A sentence about files of a folder that are outside of it, behind links: the folder may be somebody else's, and its
/// links lead to files of the user. Empty: there are none.
std::string links_out_of(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& files);

}  // namespace fernwood::formats
