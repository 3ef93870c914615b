// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Common parts of published RGB-D data sets: a folder for each sequence, with files of frames that match patterns.

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/name_pattern.h"
#include "fernwood/formats/import.h"
#include "formats/import/annotations.h"

namespace fernwood::formats {

/// Folders at or below `root` that contain a file or folder of the given name.
std::vector<std::filesystem::path> folders_with(const std::filesystem::path& root, const std::string& held);

/// Files that match a pattern; empty if the folder is missing or nothing matches.
dataset::FilesByName files_if_any(const std::filesystem::path& root, const std::string& pattern);

/// Notes which pose files are invalid: their frames were not located, or they are damaged.
void note_unusable_poses(const std::vector<std::string>& files, ImportPlan& plan);

/// Adds the frames of a sequence: depth and colour of the same name; unpaired names are left out and reported.
void add_sequence(const std::string& group, const dataset::FilesByName& colors, const dataset::FilesByName& depths,
                  ImportPlan& plan);

/// Labels from the numbers of an image, through a table. @param class_of  Empty: void.
image::LabelImage labels_by_number(const std::filesystem::path& file,
                                   const std::function<std::uint16_t(std::uint32_t number)>& class_of);

/// @throws Error(kData) if a plan has no frames. @param expected  The expected contents of the folder.
void check_found(const ImportPlan& plan, const std::filesystem::path& root, const char* expected);

/// The number of a frame by its name: "000010" is 10. Empty for another text.
std::optional<std::size_t> number_of_name(std::string_view name);

/// The folder's own name, also for "." and for paths with a trailing slash.
std::string folder_name(const std::filesystem::path& folder);

/// [name] Splits of sequences or frames, from those of the lists {file, split} that exist, such as TrainSplit.txt.
/// @param names  Of the sequences or frames, which the lists may spell otherwise.
std::map<std::string, std::string> splits_in(const std::filesystem::path& folder,
                                             std::initializer_list<std::pair<const char*, const char*>> lists,
                                             const std::vector<std::string>& names);

}  // namespace fernwood::formats
