// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <new>
#include <system_error>

namespace fernwood {

/// Target of a link, which need not exist, so that the target is written and the link stays; otherwise the path itself.
/// The system resolves the link, under its own rules.
/// @throws Error(kRuntime) for a link that another user has placed in a folder that anybody may write to.
std::filesystem::path behind_links(const std::filesystem::path& path);

/// sync_folder() for a folder and all folders in it.
void sync_folders(const std::filesystem::path& folder);
/// The same for the contents of a file.
void sync_path(const std::filesystem::path& path);

/// The file functions of the standard library report exhausted memory by an error code; here it becomes std::bad_alloc,
/// as elsewhere.
inline void throw_if_no_memory(const std::error_code& failure) {
  if (failure == std::errc::not_enough_memory) throw std::bad_alloc();
}

}  // namespace fernwood
