// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fernwood::apps {

/// An option and the path that it names, which may be empty.
using NamedPath = std::pair<const char*, std::filesystem::path>;

/// Whether two names refer to the same file, existing or not, through any links.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);
/// @param outputs  Files to be written. @param inputs  Files and folders to be read; an output must not be an image, an
/// array or a list of frames of such a folder.
/// @throws Error(kUsage) if an output would replace an input or another output.
void refuse_replaced_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs);
/// As refuse_replaced_files(), and checks that each output can be written; to be called before any work. @throws Error.
void check_output_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs);
/// The file or folder of a source of frames: "room.mcap" of "mcap:room.mcap?color=/rgb".
std::filesystem::path path_of_source(const std::string& source);

}  // namespace fernwood::apps
