// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <filesystem>
#include <string>

namespace fernwood {

/// A kind of model file, and the words of messages about it.
struct ModelFormat {
  const char* name;     ///< As in the header of its files.
  const char* holds;    ///< What they hold.
  const char* maker;    ///< The command that writes them.
  const char* readers;  ///< The commands that read them.
};
inline constexpr ModelFormat kPixelModel = {"fernwood forest", "a forest that labels pixels", "fernwood train",
                                            "fernwood predict and evaluate"};
inline constexpr ModelFormat kRecordModel = {"fernwood records", "a forest over the attributes of records",
                                             "fernwood records train or import",
                                             "fernwood records predict and evaluate"};
inline constexpr ModelFormat kStreamCheckpoint = {"fernwood stream checkpoint", "a tree that still grows",
                                                  "fernwood stream train --checkpoint",
                                                  "fernwood stream train --resume"};
inline constexpr ModelFormat kBackbone = {"fernwood backbone", "a network whose feature maps are channels",
                                          "fernwood backbone import",
                                          "fernwood train --backbone and backbone describe"};
inline constexpr ModelFormat kVoxelMap = {"fernwood map", "a voxel map", "fernwood map --map-file",
                                          "fernwood map --continue"};
inline constexpr std::array kModelFormats = {kPixelModel, kRecordModel, kStreamCheckpoint, kBackbone, kVoxelMap};

/// The name that a model file's header has for its kind, known here or not.
/// @throws Error(kModel) when the header is damaged, newer or none; Error(kRuntime) when the file cannot be read.
std::string model_format(const std::filesystem::path& path);

/// Checksum of the whole file, 16 hexadecimal digits.
std::string model_checksum(const std::filesystem::path& path);

}  // namespace fernwood
