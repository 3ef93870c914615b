// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Findings in single frames, and the parts of a data-set report that need all frames: each function adds to the report
// and its problems.

#include <cstdint>
#include <map>
#include <vector>

#include "dataset/check/alignment_check.h"
#include "dataset/check/duplicate_check.h"
#include "dataset/check/unread_files.h"
#include "dataset/dataset_folder.h"
#include "fernwood/dataset/check.h"

namespace fernwood::dataset {

/// Findings in the files of one frame.
struct FrameFindings {
  std::size_t width = 0, height = 0;  ///< 0 when no image could be read.
  Fingerprint fingerprint;            ///< Of the colour file, else of the depth file; its pixels only on request.
  EdgeAgreement agreement;            ///< On request, if the frame has colour and depth.
  bool has_depth = false;             ///< A depth image was read.
  double missing_share = 0;
  std::size_t num_maps = 0;  ///< 0 without maps, or if they could not be read.
  std::vector<ColorCount> truth_colors;
  std::vector<DatasetProblem> problems;
};

/// Occurrences of a colour in the ground truth.
struct ColorUse {
  ColorCount count;  ///< Over all frames.
  std::size_t num_frames = 0, first_frame = 0;
};
using ColorUses = std::map<std::uint32_t, ColorUse>;  // by 0xrrggbb

void summarize_partners(bool needs_truth, const UnreadFiles& unread, DatasetReport* report);
/// Checks that all frames have the same number of feature maps.
void summarize_maps(const std::vector<FrameFindings>& findings, DatasetReport* report);
void summarize_sizes(const std::vector<FrameFindings>& findings, DatasetReport* report);
/// @param depth_counts  [65536] pixels of each value as stored.
void summarize_depth(const std::vector<FrameFindings>& findings, const std::vector<std::uint64_t>& depth_counts,
                     DatasetReport* report);
void summarize_classes(const ColorUses& uses, const std::vector<image::Rgb>& ignored_colors, DatasetReport* report);
/// Checks whether depth is aligned to colour.
void summarize_alignment(const std::vector<FrameFindings>& findings, DatasetReport* report);
void summarize_duplicates(DatasetReport* report);
/// Images that also occur in other splits beside the folder, whose files are read.
void summarize_shared_pictures(const std::vector<FrameFindings>& findings, ThreadPool& pool, DatasetReport* report);

}  // namespace fernwood::dataset
