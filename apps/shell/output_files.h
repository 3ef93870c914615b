// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fernwood::apps {

/// An option and the path that it names; may be empty.
using NamedPath = std::pair<const char*, std::filesystem::path>;

/// Whether two names are of one file, there or not, by whatever link.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);
/// @param outputs  Files to be written. @param inputs  What is read: files, and folders, of which no output may be a
/// picture, an array or a list of frames.
/// @throws Error(kUsage) where an output would replace an input or another output.
void refuse_replaced_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs);
/// The same, before any work, and that each output can be written. @throws Error.
void check_output_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs);
/// The file or folder of a source of frames: "room.mcap" of "mcap:room.mcap?color=/rgb".
std::filesystem::path path_of_source(const std::string& source);

}  // namespace fernwood::apps
