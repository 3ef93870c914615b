// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a data set says of the camera that took its frames.

#include <filesystem>
#include <optional>

#include "dataset/config_file.h"
#include "fernwood/image/frame.h"

namespace fernwood::dataset {

/// `sensor` or `camera`; empty when neither is there. @throws Error(kData) for both and for values that no camera has.
std::optional<image::Camera> read_camera(const ConfigFile& file, const toml::table& table);

/// `up`, kImageUp when it is not there. @throws Error(kData) for a value that is no direction.
image::Vector3 read_up(const ConfigFile& file, const toml::table& table);

/// NAME_up.txt: three numbers. @throws Error(kData) for anything else, Error(kRuntime) when it cannot be read.
image::Vector3 read_up_file(const std::filesystem::path& path);

}  // namespace fernwood::dataset
