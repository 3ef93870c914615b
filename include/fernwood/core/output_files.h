// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// No output may replace an input: checks of the program and of Python before the work starts.

#include <filesystem>
#include <utility>
#include <vector>

namespace fernwood::report {

/// An option or argument, as messages name it, and the path that it names, which may be empty.
using NamedPath = std::pair<const char*, std::filesystem::path>;

/// Whether two names refer to the same file, existing or not, through any links.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);
/// Whether a file, existing or not, is directly in an existing folder, through any links.
bool is_in_folder(const std::filesystem::path& file, const std::filesystem::path& folder);
/// @param outputs  Files to be written. @param inputs  Files and folders to be read; an output must not be an image, an
/// array or a list of frames of such a folder. In a folder without frames named as in a data set, any file may be read.
/// @throws Error(kUsage) if an output would replace an input or another output.
void refuse_replaced_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs);
/// As refuse_replaced_files(), and checks that each output can be written; to be called before any work. @throws Error.
void check_output_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs);

}  // namespace fernwood::report
