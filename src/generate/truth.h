// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/image/labels.h"
#include "generate/render.h"

namespace fernwood::generate {

/// The class of every pixel; void in the frame's margin and along the borders between objects (2 pixels wide, 1
/// in frames narrower than 320), as in sets labelled by hand.
image::LabelImage truth_of(const Rendering& seen, const Scene& scene);

/// Width of the void margin: 4 pixels of 640, at least 1.
std::size_t margin_px(std::size_t cols);

}  // namespace fernwood::generate
