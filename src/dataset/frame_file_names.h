// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The role of a file in a frame, by its name; for unsupported names, the role that was probably meant.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

enum class FrameRole { kColor, kDepth, kTruth, kInstances, kUp, kMaps };

/// Naming convention of the files of a role.
struct RoleNaming {
  FrameRole role;
  std::filesystem::path FrameFiles::*member;
  std::string_view suffix;     ///< End of the name, before the extension.
  std::string_view extension;  ///< The recommended one.
  std::string_view noun, plural;
  bool (*has)(std::string_view extension);  ///< Whether files with this extension, in lower case, are read.
};
const RoleNaming& naming_of(FrameRole role);

struct FrameFileName {
  FrameRole role;
  std::string frame;
};
/// Parses the name of a supported file; empty for others.
std::optional<FrameFileName> parse_frame_file_name(const std::string& file);

/// Whether a frame or a folder of frames may be written under a name: it is one plain file name, in UTF-8, which is
/// also one word of groups.txt and poses.txt.
bool is_file_name(std::string_view name);
/// A name with the characters that is_file_name() accepts.
std::string file_name_of(const std::string& text);

/// The probable meaning of a file that is not read.
struct LikelyFrameFile {
  std::optional<FrameRole> role;  ///< Empty: its name belongs to a frame, but does not indicate a role.
  std::string frame;              ///< May be empty, or not the name of an existing frame.
  std::string pattern;            ///< "*_depth.npy": equal for all files with the same naming pattern.
  std::string extension;          ///< In lower case, with its dot.
  bool is_frame = false;          ///< `frame` exists.
};
/// @param is_frame  Whether a frame of this name exists.
std::optional<LikelyFrameFile> likely_frame_file(const std::string& file,
                                                 const std::function<bool(const std::string& name)>& is_frame);
/// The probable role of images in a folder of this name: "depth", "rgb", "labels".
std::optional<FrameRole> likely_folder_role(const std::string& name);

std::string lower_case(std::string text);
bool is_jpeg_extension(std::string_view extension);
bool is_fallback_extension(std::string_view extension);  ///< Images that a plug-in reads.
bool is_array_extension(std::string_view extension);     ///< Depth formats of other programs, which are not read.
/// Arrays that hold depth whatever their name; the other array extensions are also used for models and results.
bool is_depth_extension(std::string_view extension);
/// Whether a file is one that fernwood writes beside labels.
bool is_own_output(std::string_view file);
/// Images or arrays, supported or not.
bool is_pixel_extension(std::string_view extension);

}  // namespace fernwood::dataset
