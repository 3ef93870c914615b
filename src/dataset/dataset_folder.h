// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Which files of a folder belong to which frame, and what the texts beside them say; decodes no image.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// What a folder must hold, for error messages.
inline constexpr const char* kExpectedFiles = "<name>_colors.png or .jpg, <name>_depth.png and <name>_ground_truth.png";

/// All frames of a folder, sorted by name, with the files that are there. Of several colour files of one frame the PNG
/// is taken. @throws Error(kData) when the folder is missing or is none, Error(kRuntime) when it cannot be read.
std::vector<FrameFiles> list_frames(const std::filesystem::path& folder);

/// The folder itself when it holds frames, else its sub-folder for the split ("val" and "validation" serve as "test").
/// @throws Error(kData) as list_frames(), and when neither holds a frame.
std::filesystem::path find_frame_folder(const std::filesystem::path& folder, const std::string& split_hint);

/// dataset.toml of the folder, else of its parent.
std::optional<std::filesystem::path> find_config_file(const std::filesystem::path& folder);

/// `max_frames` of the frames, evenly spread over them; all for 0.
std::vector<FrameFiles> take_evenly(std::vector<FrameFiles> frames, std::size_t max_frames);

/// A file that a frame should have: what kind, and its name for messages.
struct MissingPartner {
  std::string frame, kind, file_name;
};
/// Partners that other frames have and a frame lacks; truth counts only when it is needed.
std::vector<MissingPartner> missing_partners(const std::vector<FrameFiles>& frames, bool needs_truth);
/// The sentence about it, with the remedy.
std::string sentence(const std::filesystem::path& folder, const MissingPartner& missing);

/// Reads dataset.toml. @throws Error(kData) naming file, line and key for a syntax error, an unknown key or a value of
/// the wrong type or range.
DatasetConfig read_dataset_config(const std::filesystem::path& path);

/// NAME_up.txt: three numbers. @throws Error(kData) for anything else, Error(kRuntime) when it cannot be read.
image::Vector3 read_up_file(const std::filesystem::path& path);

/// Reads groups.txt: in each line the name of a frame, space, and the name of its group; lines that begin with # and
/// empty ones are passed over.
/// @param names  [frame] Names in the file that are none of these are passed over: a part of the frames may be used.
/// @return  [frame] Number of its group, in order of the groups' first frames.
/// @throws Error(kData) naming the line: for one without two words, a frame that is named twice; or a frame without a
///         group; Error(kRuntime) when the file cannot be read.
std::vector<std::uint32_t> read_groups(const std::filesystem::path& path, const std::vector<std::string>& names);

}  // namespace fernwood::dataset
