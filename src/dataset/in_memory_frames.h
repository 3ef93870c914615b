// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Frames of a data set in memory, checked as they are asked for: what Dataset does for them in place of reading files.

#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// @throws Error(kUsage) for numbers that contradict each other, and for classes that colours do not tell apart.
void check_supply(const InMemoryFrames& supply);

/// @throws Error(kData) when sizes differ, or the frame lacks an image or has one more.
image::Frame supplied_frame(const InMemoryFrames& supply, std::size_t index, bool has_color, bool has_depth,
                            std::size_t num_maps);
FrameSize supplied_size(const InMemoryFrames& supply, std::size_t index);
/// Labels as indices of `classes`, which has the supply's classes by their colours, maybe in another order.
/// @throws Error(kData) for a number that is not a class, one that `classes` lacks, or a size that is not the frame's.
image::LabelImage supplied_labels(const InMemoryFrames& supply, std::size_t index, const image::ClassMap& classes);

}  // namespace fernwood::dataset
