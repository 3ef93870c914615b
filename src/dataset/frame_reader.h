// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <optional>

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
  double depth_scale_to_mm = 1;
  int depth_missing = 0;
  std::optional<image::Camera> camera = {};
  image::Vector3 up = image::kImageUp;
};

/// Reads a frame: the one place where files become a Frame, for data sets and for recordings.
/// @throws Error(kData) for images that are none, or of two sizes; Error(kRuntime) for files that cannot be read.
image::Frame read_frame_files(const FramePaths& paths, const FrameReading& reading);

}  // namespace fernwood::dataset
