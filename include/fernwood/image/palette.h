// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <span>

#include "fernwood/image/frame.h"

namespace fernwood::image {

/// Number of colours at the start of class_palette() that stay apart on light and on dark ground, too.
inline constexpr std::size_t kNumChartColors = 16;

/// 32 colours for classes and charts, to be taken in order. Normal vision, deuteranopia and protanopia tell each from
/// the others and from black, which is void: by at least 25 units of CIE L*a*b* among the first ten, 12 among all.
std::span<const Rgb> class_palette();

}  // namespace fernwood::image
