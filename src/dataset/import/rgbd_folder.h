// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What published RGB-D data sets have in common: a folder for each sequence, and files of frames in it by patterns.

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dataset/import/annotations.h"
#include "dataset/import/name_pattern.h"
#include "fernwood/dataset/import.h"

namespace fernwood::dataset {

/// Folders at or below `root` that hold one of the given name or file.
std::vector<std::filesystem::path> folders_with(const std::filesystem::path& root, const std::string& held);

/// Files of a pattern; none where the folder is not there or nothing matches.
FilesByName files_if_any(const std::filesystem::path& root, const std::string& pattern);

/// All numbers of a text file, such as a matrix of intrinsics. @throws Error(kData) for less than `least`, or something
/// that is no number.
std::vector<double> numbers_of_file(const std::filesystem::path& path, std::size_t least);

/// A camera by the first row and column entries of its matrix, for pictures of a size. @param matrix  Of `stride`
/// columns.
image::Camera camera_of_matrix(const std::vector<double>& matrix, std::size_t stride, const FrameSize& size);

/// "1, 2, 3 and 4 more".
std::string some_of(const std::vector<std::string>& names);
/// Notes which files of poses hold none: their frames were not located, or they are damaged.
void note_unusable_poses(const std::vector<std::string>& files, ImportPlan& plan);

/// Frames of a sequence: depth and colour of one name; names that lack one are left out and told.
void add_sequence(const std::string& group, const FilesByName& colors, const FilesByName& depths, ImportPlan& plan);

/// Labels by the numbers of an image, through a table. @param class_of  Empty: void.
image::LabelImage labels_by_number(const std::filesystem::path& file,
                                   const std::function<std::uint16_t(std::uint32_t number)>& class_of);

/// @throws Error(kData) where a plan has no frames. @param expected  What the folder should hold.
void check_found(const ImportPlan& plan, const std::filesystem::path& root, const char* expected);

/// The folder's own name, also of "." and of one with a slash behind.
std::string folder_name(const std::filesystem::path& folder);

/// By the file's header.
FrameSize size_of_picture(const std::filesystem::path& file);

/// [name] Splits of sequences, from those of the lists {file, split} that are there, such as TrainSplit.txt.
std::map<std::string, std::string> splits_in(const std::filesystem::path& folder,
                                             std::initializer_list<std::pair<const char*, const char*>> lists);

}  // namespace fernwood::dataset
