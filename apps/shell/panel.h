// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/image/labels.h"

namespace fernwood::apps {

/// An image for people: colour, depth, truth and labels side by side on white, as far as they exist.
/// @param truth   Ground truth in class colours, or empty.
/// @param labels  In class colours.
Array2<image::Rgb> make_panel(const image::Frame& frame, const Array2<image::Rgb>& truth,
                              const Array2<image::Rgb>& labels);

}  // namespace fernwood::apps
