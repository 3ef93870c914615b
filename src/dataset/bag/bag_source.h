// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <string>

#include "fernwood/dataset/frame_source.h"

namespace fernwood::dataset {

/// A recording of ROS as a source of frames. @param place  As parse_bag_place() reads it. @throws as BagRecording.
std::unique_ptr<FrameSource> open_bag_source(const std::string& place, const SourceOptions& options);

}  // namespace fernwood::dataset
