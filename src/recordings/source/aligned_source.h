// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>

#include "fernwood/dataset/frame_source.h"

namespace fernwood::dataset {

/// Wraps a source that returns depth of its own camera (FrameSource::depth_cameras()), and aligns depth to colour;
/// returns other sources unchanged.
std::unique_ptr<FrameSource> aligned(std::unique_ptr<FrameSource> source);

}  // namespace fernwood::dataset
