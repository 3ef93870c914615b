// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::apps {

/// White columns between two images.
inline constexpr std::size_t kPanelGap = 8;

/// Images in a row on white, with a gap between them.
Array2<image::Rgb> side_by_side(const std::vector<Array2<image::Rgb>>& pictures);

/// An image for people: colour, depth, truth and labels side by side, as far as they exist.
/// @param truth  Ground truth in class colours, or empty.
Array2<image::Rgb> make_panel(const image::Frame& frame, const Array2<image::Rgb>& truth,
                              const image::LabelImage& labels, const image::ClassMap& classes);

}  // namespace fernwood::apps
