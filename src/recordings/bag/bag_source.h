// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <string>

#include "fernwood/dataset/frame_source.h"

namespace fernwood::dataset {

/// Opens a recording of ROS as a source of frames. @param place  In the syntax of parse_bag_place(). @throws as
/// BagRecording.
std::unique_ptr<FrameSource> open_bag_source(const std::string& place, const SourceOptions& options);

}  // namespace fernwood::dataset
