// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "predict/cuda/find_leaves.h"

namespace fernwood::predict {

/// Finds the leaf of every pixel in every fern. @param layout  kTexture or kL1.
void find_fern_leaves(Layout layout, const LeafArgs& args, const cuda::Stream& stream);

}  // namespace fernwood::predict
