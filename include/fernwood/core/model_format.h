// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <filesystem>
#include <string>

namespace fernwood {

/// A kind of model file, with texts for messages about it.
struct ModelFormat {
  const char* name;     ///< Value of "format" in the header of its files.
  const char* holds;    ///< Description of their content.
  const char* maker;    ///< The command that writes them.
  const char* readers;  ///< The commands that read them.
};
inline constexpr ModelFormat kPixelModel = {"fernwood forest", "a forest that labels pixels", "fernwood train",
                                            "fernwood predict and evaluate"};
inline constexpr ModelFormat kRecordModel = {"fernwood records", "a forest over the attributes of records",
                                             "fernwood-tables train or import", "fernwood-tables predict and evaluate"};
inline constexpr ModelFormat kStreamCheckpoint = {"fernwood stream checkpoint", "a tree that still grows",
                                                  "fernwood-tables stream train --checkpoint",
                                                  "fernwood-tables stream train --resume"};
inline constexpr ModelFormat kBackbone = {"fernwood backbone", "a network whose feature maps are channels",
                                          "fernwood backbone import",
                                          "fernwood train --backbone and backbone describe"};
inline constexpr ModelFormat kVoxelMap = {"fernwood map", "a voxel map", "fernwood map --map-file",
                                          "fernwood map --continue"};
inline constexpr std::array kModelFormats = {kPixelModel, kRecordModel, kStreamCheckpoint, kBackbone, kVoxelMap};

/// Name of the format in the header of a model file, which may be an unknown one.
/// @throws Error(kModel) if the header is missing, damaged or newer; Error(kRuntime) if the file cannot be read.
std::string model_format(const std::filesystem::path& path);

/// Checksum of the whole file, as 16 hexadecimal digits.
std::string model_checksum(const std::filesystem::path& path);

}  // namespace fernwood
