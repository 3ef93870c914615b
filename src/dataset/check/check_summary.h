// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What one frame says by itself, and the parts of a data-set report that need all frames: each adds to the report and
// its problems.

#include <cstdint>
#include <map>
#include <vector>

#include "dataset/check/duplicate_check.h"
#include "dataset/check/edge_agreement.h"
#include "dataset/check/unread_files.h"
#include "dataset/dataset_folder.h"
#include "fernwood/dataset/check.h"

namespace fernwood::dataset {

/// What the files of one frame say by themselves.
struct FrameFindings {
  std::size_t width = 0, height = 0;  ///< 0 when no image could be read.
  Fingerprint fingerprint;            ///< Of the colour file, else of the depth file; pixels where they were asked for.
  EdgeAgreement agreement;            ///< Where it was asked for, and there is colour and depth.
  bool has_depth = false;             ///< The depth image could be read.
  double missing_share = 0;
  std::size_t num_maps = 0;  ///< 0 when there are none, or they could not be read.
  std::vector<ColorCount> truth_colors;
  std::vector<DatasetProblem> problems;
};

/// Where a colour of the ground truth occurs.
struct ColorUse {
  ColorCount count;  ///< Over all frames.
  std::size_t num_frames = 0, first_frame = 0;
};
using ColorUses = std::map<std::uint32_t, ColorUse>;  // by 0xrrggbb

void summarize_partners(bool needs_truth, const UnreadFiles& unread, DatasetReport* report);
/// Whether frames bring as many feature maps each.
void summarize_maps(const std::vector<FrameFindings>& findings, DatasetReport* report);
void summarize_sizes(const std::vector<FrameFindings>& findings, DatasetReport* report);
/// @param depth_counts  [65536] pixels of each value as stored.
void summarize_depth(const std::vector<FrameFindings>& findings, const std::vector<std::uint64_t>& depth_counts,
                     DatasetReport* report);
void summarize_classes(const ColorUses& uses, const std::vector<image::Rgb>& ignored_colors, DatasetReport* report);
/// Whether depth lies on colour.
void summarize_alignment(const std::vector<FrameFindings>& findings, DatasetReport* report);
void summarize_duplicates(DatasetReport* report);
/// Pictures that other splits beside the folder have, too; reads these.
void summarize_shared_pictures(const std::vector<FrameFindings>& findings, ThreadPool& pool, DatasetReport* report);

}  // namespace fernwood::dataset
