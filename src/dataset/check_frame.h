// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "dataset/class_colors.h"
#include "fernwood/dataset/check.h"

namespace fernwood::dataset {

/// What the files of one frame say by themselves.
struct FrameFindings {
  std::size_t width = 0, height = 0;  ///< 0 when no image could be read.
  std::uint64_t checksum = 0;         ///< As DatasetReport::checksums.
  bool has_depth = false;             ///< The depth image could be read.
  double missing_share = 0;
  std::vector<ColorCount> truth_colors;
  std::vector<DatasetProblem> problems;
};

/// Reads and judges the files of a frame. @param depth_counts  [65536] pixels of each depth in mm; added to.
FrameFindings check_frame(const FrameFiles& files, const DatasetConfig& config,
                          std::vector<std::uint64_t>* depth_counts);

}  // namespace fernwood::dataset
