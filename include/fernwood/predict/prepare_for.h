// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/core/parallel.h"
#include "fernwood/forest/forest.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::predict {

/// Prepares a frame as forest.trees read it: with the class probabilities that its context stages find.
/// @param pool  Whose threads do it; null: the calling one alone.
/// @throws Error as PreparedFrame does, Error(kModel) when a stage has no tree.
image::PreparedFrame prepare_for(const forest::Forest& forest, const image::Frame& frame, ThreadPool* pool = nullptr);

}  // namespace fernwood::predict
