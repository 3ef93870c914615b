// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Operations on data sets before training: each returns the plan of a new folder, which write_import() writes with hard
// links in place of copies.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/formats/import.h"

namespace fernwood::formats {

struct SplitOptions {
  double test = 0.2;       ///< Share of the frames for the split "test", [0, 1).
  double val = 0;          ///< Share for the split "val", [0, 1); the sum of both is less than 1.
  std::uint64_t seed = 1;  ///< The same seed gives the same splits.

  static OptionTable<SplitOptions> table();
  void check() const;  ///< @throws Error(kUsage) naming the first invalid option.
};
/// Divides frames into "train", "test" and optionally "val". Frames of one group (groups.txt) stay together. Of 200
/// random divisions, the plan uses the one whose splits are nearest to the requested shares, in pixels of each class
/// and in frames.
/// @throws Error(kData) for data without ground truth or with fewer groups than splits.
ImportPlan plan_split(const dataset::Dataset& data, const SplitOptions& options, ThreadPool& pool);

/// Selects `count` frames, evenly spread. @throws Error(kUsage) for a count of 0 or beyond the number of frames.
ImportPlan plan_sample(const dataset::Dataset& data, std::size_t count, ThreadPool& pool);

/// Combines the frames of several folders. Classes of the same name are merged; the groups of different folders stay
/// separate, and a folder without groups becomes one group.
/// @throws Error(kData) for folders with different kinds of images, cameras or depth scales.
ImportPlan plan_merge(const std::vector<dataset::Dataset>& all, ThreadPool& pool);

/// Renames and merges classes. @param table  [old name] The new name; empty: void. Classes not listed are unchanged.
/// @throws Error(kUsage) for a name that is not a class.
ImportPlan plan_remap(const dataset::Dataset& data, const std::map<std::string, std::string>& table, ThreadPool& pool);
/// Reads a table for plan_remap(): lines of an old and a new name separated by a comma, a tab or "->", or a JSON
/// object.
/// @throws Error(kData) for another text.
std::map<std::string, std::string> read_class_table(const std::filesystem::path& path);

}  // namespace fernwood::formats
