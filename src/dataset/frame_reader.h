// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "fernwood/dataset/dataset.h"
#include "fernwood/image/align_depth.h"
#include "fernwood/image/frame.h"

namespace fernwood::dataset {

/// The files of a frame; a path is empty where there is none.
struct FramePaths {
  const std::filesystem::path& color;
  const std::filesystem::path& depth;
  const std::filesystem::path& up;    ///< As FrameFiles::up.
  const std::filesystem::path& maps;  ///< As FrameFiles::maps.
};

/// What a data set or a recording says of all its frames.
struct FrameReading {
  std::optional<double> depth_scale_to_mm = {};
  int depth_missing = 0;
  std::optional<image::Camera> camera = {};
  image::Vector3 up = image::kImageUp;
  std::optional<image::CameraPair> cameras = {};  ///< Of depth that is not aligned to colour.
};

/// What all frames of a data set are read by.
FrameReading reading_of(const DatasetConfig& config);

/// Depth as colour of the size has it: aligned where two cameras are given, else scaled where both have the same
/// proportions. @param depth, color  Files, for messages. @throws Error(kData) where neither can be.
Array2<std::uint16_t> depth_for_color(Array2<std::uint16_t> depth_mm, const FrameSize& size,
                                      const FrameReading& reading, const std::filesystem::path& depth,
                                      const std::filesystem::path& color);

/// What is assumed of depth where dataset.toml does not say it: that arrays have metres or millimetres, that depth of
/// another size shows the same as colour. A sentence each. Reads the headers of the first frame.
std::vector<std::string> depth_notes(const std::filesystem::path& folder, const FrameFiles& files,
                                     const DatasetConfig& config);

/// @throws Error(kData) unless maps are as fine as their frame or coarser.
void check_fits(const std::filesystem::path& path, const image::SuppliedMaps& maps, std::size_t rows, std::size_t cols);
/// @throws Error(kData) unless a frame has as many maps as the first one.
void check_as_many(const std::filesystem::path& path, std::size_t num_maps, std::size_t num_of_first);

/// Reads a frame: the one place where files become a Frame, for data sets and for recordings.
/// @throws Error(kData) for images that are none, or of two sizes; Error(kRuntime) for files that cannot be read.
image::Frame read_frame_files(const FramePaths& paths, const FrameReading& reading);

}  // namespace fernwood::dataset
