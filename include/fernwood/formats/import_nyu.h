// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"

namespace fernwood::formats {

struct ImportNyuOptions {
  std::filesystem::path labeled_mat;  ///< nyu_depth_v2_labeled.mat (MATLAB 7.3).
  std::filesystem::path splits_mat;   ///< splits.mat: trainNdxs and testNdxs.
  std::filesystem::path out;          ///< Folder to create, or an empty one; never incomplete.
  int classes = 4;                    ///< 4 (structural), 13 or 40.
  bool raw_depth = false;             ///< Depth as measured, with holes, instead of filled in.

  static OptionTable<ImportNyuOptions> table();  ///< All options but the files and the folder.
  void check() const;                            ///< @throws Error(kUsage) naming the first invalid option.
};

/// Converts the labelled part of NYU Depth v2 (Silberman et al., ECCV 2012) to the native layout: `out`/train and
/// `out`/test with NNNN_colors.png, NNNN_depth.png (mm) and NNNN_ground_truth.png, NNNN being the frame's 1-based
/// number in the .mat file, and `out`/dataset.toml with the classes. Frames in neither split are left out.
///
/// Labels are identified by name if the file has the variable `names`, else by the standard numbering 1 ... 894;
/// datasets/nyu maps names to classes. Only a few frames are in memory at a time.
/// @param progress  Counts frames.
/// @throws Error(kData) for input that is missing, damaged or not of the form above, before anything is written, except
///         for labels and damage that are detected only while pixels are read; Error(kUsage) for invalid options, for
///         an output folder in use and in a build without matio; Error(kRuntime) for an output folder that cannot be
///         written.
void import_nyu(const ImportNyuOptions& options, ThreadPool& pool, const ProgressCallback& progress = {});

}  // namespace fernwood::formats
