// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/image/frame.h"

namespace fernwood::report {

/// A picture at most `width` pixels wide, of the same proportions: means over blocks of pixels.
Array2<image::Rgb> shrink_picture(const Array2<image::Rgb>& image, std::size_t width);
/// The same of class colours, which must not mix: the middle pixel of each block.
Array2<image::Rgb> shrink_labels(const Array2<image::Rgb>& image, std::size_t width);

}  // namespace fernwood::report
