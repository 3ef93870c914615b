// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/teach/project.h"

namespace fernwood::teach {

/// A colour for a new class: no class has one that looks like it, also none that is merged or deleted and may be
/// restored, and it is not near black, which is void.
image::Rgb free_color_among(const std::vector<TaughtClass>& classes);

}  // namespace fernwood::teach
