// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <span>

#include "fernwood/image/frame.h"

namespace fernwood::image {

/// Number of colours at the start of class_palette() that are also distinguishable on light and on dark backgrounds.
inline constexpr std::size_t kNumChartColors = 16;

/// 32 colours for classes and charts, to be used in order. For normal vision, deuteranopia and protanopia, they differ
/// from each other and from black (void) by at least 25 units of CIE L*a*b* among the first ten, and by 12 among all.
std::span<const Rgb> class_palette();

}  // namespace fernwood::image
