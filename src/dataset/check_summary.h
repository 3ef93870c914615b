// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The parts of a data-set report that need a look at all frames; each adds to the report and its problems.

#include <map>

#include "dataset/check_frame.h"

namespace fernwood::dataset {

/// Where a colour of the ground truth occurs.
struct ColorUse {
  std::uint64_t num_pixels = 0;
  std::size_t num_frames = 0, first_frame = 0;
};
using ColorUses = std::map<std::uint32_t, ColorUse>;  // by 0xrrggbb

void summarize_partners(bool needs_truth, DatasetReport* report);
void summarize_sizes(const std::vector<FrameFindings>& findings, DatasetReport* report);
/// @param depth_counts  [65536] pixels of each depth in mm.
void summarize_depth(const std::vector<FrameFindings>& findings, const std::vector<std::uint64_t>& depth_counts,
                     DatasetReport* report);
void summarize_classes(const ColorUses& uses, const std::vector<image::Rgb>& ignored_colors, DatasetReport* report);
void summarize_duplicates(DatasetReport* report);

}  // namespace fernwood::dataset
