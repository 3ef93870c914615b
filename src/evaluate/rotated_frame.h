// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"

namespace fernwood::evaluate {

/// A frame and the class of every pixel.
struct LabelledFrame {
  image::Frame frame;
  image::LabelImage labels;
};

/// What the camera would have seen, held askew: the frame turned about the optical axis, for measuring accuracy on
/// frames that nobody held upright. Each pixel is the nearest one of `frame`; beyond its borders colour is black, depth
/// unknown and the label kVoid. The size, the camera and Frame::up stay: nobody tells that the camera was turned.
/// @param labels   Of the frame's size.
/// @param degrees  By which the picture is turned clockwise about the principal point, or about the middle where no
///                 camera is named. Exact for multiples of 90.
/// @throws Error(kUsage) for labels of another size and for degrees that are not finite.
LabelledFrame rotated(const image::Frame& frame, const image::LabelImage& labels, double degrees);

}  // namespace fernwood::evaluate
