// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/teach/project.h"

namespace fernwood::teach {

/// A colour for a new class, distinguishable from those of all classes, including merged and deleted ones, which may be
/// restored, and from black, which is void.
image::Rgb free_color_among(const std::vector<TaughtClass>& classes);

}  // namespace fernwood::teach
