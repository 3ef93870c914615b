// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Frames of a data set in memory, checked on access: what Dataset uses in place of reading files.

#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// @throws Error(kUsage) for missing or inconsistent members, and for classes without distinct names and colours.
void check_supply(const InMemoryFrames& supply);

/// @throws Error(kData) when sizes differ, or the frame lacks an image or has an additional one.
image::Frame supplied_frame(const InMemoryFrames& supply, std::size_t index, bool has_color, bool has_depth,
                            std::size_t num_maps);
FrameSize supplied_size(const InMemoryFrames& supply, std::size_t index);
/// Labels as `lookup` has the colours of the classes of `supply`. @throws Error(kData) for a number that is not a
/// class, or a size different from the frame's.
image::LabelImage supplied_labels(const InMemoryFrames& supply, std::size_t index, const ColorLookup& lookup);

}  // namespace fernwood::dataset
