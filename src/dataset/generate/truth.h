// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "dataset/generate/render.h"
#include "fernwood/image/labels.h"

namespace fernwood::synthetic {

/// The class of every pixel; void in the frame's margin and along the borders between objects (2 pixels wide, 1
/// in frames narrower than 320), as in sets labelled by hand.
LabelImage truth_of(const Rendering& seen, const Scene& scene);

/// Width of the void margin: 4 pixels of 640, at least 1.
std::size_t margin_px(std::size_t cols);

}  // namespace fernwood::synthetic
