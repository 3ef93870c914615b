// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Which part of a frame a file is, by its name; and which it was probably meant to be where its name is another one.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

enum class FrameRole { kColor, kDepth, kTruth, kUp, kMaps };

/// How files of a role are named.
struct RoleNaming {
  FrameRole role;
  std::filesystem::path FrameFiles::*member;
  std::string_view suffix;     ///< Of the name, before the extension.
  std::string_view extension;  ///< To be recommended.
  std::string_view noun, plural;
  bool (*has)(std::string_view extension);  ///< Whether files with the extension, in lower case, are read.
};
const RoleNaming& naming_of(FrameRole role);

struct FrameFileName {
  FrameRole role;
  std::string frame;
};
/// Of a file that is read; empty for others.
std::optional<FrameFileName> parse_frame_file_name(const std::string& file);

/// What a file that is not read was probably meant to be.
struct LikelyFrameFile {
  std::optional<FrameRole> role;  ///< Empty: its name belongs to a frame, but does not say what it is.
  std::string frame;              ///< May be empty, or that of no frame.
  std::string pattern;            ///< "*_depth.npy": equal for all files that are named alike.
  std::string extension;          ///< In lower case, with its point.
  bool is_frame = false;          ///< `frame` is one.
};
/// @param is_frame  Whether there is a frame of the name.
std::optional<LikelyFrameFile> likely_frame_file(const std::string& file,
                                                 const std::function<bool(const std::string& name)>& is_frame);
/// What the images in a folder of the name probably are: "depth", "rgb", "labels".
std::optional<FrameRole> likely_folder_role(const std::string& name);

std::string lower_case(std::string text);
bool is_jpeg_extension(std::string_view extension);
bool is_fallback_extension(std::string_view extension);  ///< Of images that a plug-in reads.
bool is_array_extension(std::string_view extension);     ///< Of depth as other programs store it, which is not read.
/// Of arrays that hold depth whatever they are named, where models and results have the other extensions, too.
bool is_depth_extension(std::string_view extension);
/// Of a file that fernwood writes beside labels.
bool is_own_output(std::string_view file);
/// Of images or arrays, read or not.
bool is_pixel_extension(std::string_view extension);

}  // namespace fernwood::dataset
