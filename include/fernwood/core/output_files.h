// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// No output may replace an input: checks of the programs and of Python before the work starts.

#include <filesystem>
#include <utility>
#include <vector>

namespace fernwood {

/// An option or argument, as messages name it, and the path that it names, which may be empty.
using NamedPath = std::pair<const char*, std::filesystem::path>;

/// The absolute path of a name, whether or not the file exists, with links resolved, including dangling ones.
std::filesystem::path place_of(const std::filesystem::path& path);
/// Whether two names refer to the same file, existing or not, through any links.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);
/// Whether a file, existing or not, is directly in an existing folder, through any links.
bool is_in_folder(const std::filesystem::path& file, const std::filesystem::path& folder);
/// Whether a file exists in a folder, at any depth, and does not look like an earlier output: a page, a map, a model.
bool is_kept_in(const std::filesystem::path& file, const std::filesystem::path& folder);

/// Whether a command may read a file because of an input, which is another file or a folder.
using InputRule = bool (*)(const std::filesystem::path& file, const std::filesystem::path& input);

/// @param outputs  Files to be written. @param inputs  Files and folders to be read.
/// @throws Error(kUsage) if an output would replace an input, a file that is read because of one, or another output.
void refuse_replaced_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs,
                           InputRule is_read = &is_kept_in);
/// As refuse_replaced_files(), and checks that each output can be written; to be called before any work. @throws Error.
void check_output_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs,
                        InputRule is_read = &is_kept_in);

}  // namespace fernwood
