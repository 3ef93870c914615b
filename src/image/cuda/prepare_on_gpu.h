// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "image/prepare_on.h"

namespace fernwood::image {

/// See prepare_on().
std::vector<HostPlanes> prepare_on_gpu(int gpu, std::span<const Frame> frames, const Preparation& preparation,
                                       bool looks_for_unknown);

}  // namespace fernwood::image
