// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What people do to data sets before training: each makes a plan of a new folder, which write_import() writes with
// links in place of copies.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/import.h"

namespace fernwood::dataset {

struct SplitOptions {
  double test = 0.2;       ///< Share of the frames for the split "test", [0, 1).
  double val = 0;          ///< The same of "val"; both together are less than 1.
  std::uint64_t seed = 1;  ///< The same seed gives the same splits.

  static OptionTable<SplitOptions> table();
  void check() const;  ///< @throws Error(kUsage) naming the first option that is wrong.
};
/// Parts frames into "train", "test" and maybe "val". Frames of one group (groups.txt) stay together. Of 200 random
/// divisions the one is taken whose splits have shares of pixels of each class, and numbers of frames, that are nearest
/// to those asked for.
/// @throws Error(kData) for data without truth or with fewer groups than splits.
ImportPlan plan_split(const Dataset& data, const SplitOptions& options, ThreadPool& pool);

/// `count` frames, evenly spread. @throws Error(kUsage) for none, or more than there are.
ImportPlan plan_sample(const Dataset& data, std::size_t count, ThreadPool& pool);

/// Frames of several folders in one. Classes are one where they have the same name; the groups of each folder stay
/// apart, and a folder without is one group.
/// @throws Error(kData) for folders with other kinds of images, cameras or scales of depth.
ImportPlan plan_merge(const std::vector<Dataset>& all, ThreadPool& pool);

/// Classes renamed and merged. @param table  [old name] The new one; empty: void. Classes that are not in it stay.
/// @throws Error(kUsage) for a name that is no class.
ImportPlan plan_remap(const Dataset& data, const std::map<std::string, std::string>& table, ThreadPool& pool);
/// A table for it: a line each of old and new name with a comma, a tab or "->" between, or a JSON object. @throws
/// Error(kData) for another text.
std::map<std::string, std::string> read_class_table(const std::filesystem::path& path);

}  // namespace fernwood::dataset
