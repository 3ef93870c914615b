// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>

#include "fernwood/dataset/frame_source.h"

namespace fernwood::dataset {

/// A source that gives depth as its own camera has it (FrameSource::depth_cameras()), with depth aligned to colour;
/// others as they are.
std::unique_ptr<FrameSource> aligned(std::unique_ptr<FrameSource> source);

}  // namespace fernwood::dataset
