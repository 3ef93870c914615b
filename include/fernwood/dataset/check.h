// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A check of a whole data set that reports all problems at once, instead of only the first.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

enum class Severity {
  kWarning,  ///< Training works, but the result may be worse.
  kError     ///< Training or evaluation would reject the data set.
};

std::string to_string(Severity severity);  ///< "warning" or "error"

struct DatasetProblem {
  Severity severity = Severity::kError;
  OptionSentence message;  ///< One sentence: place, rule, values, remedy.
  bool operator==(const DatasetProblem&) const = default;
};

/// Result of a check. The order of lists does not depend on the number of threads.
struct DatasetReport {
  struct SizeCount {
    std::size_t width = 0, height = 0, num_frames = 0;
    bool operator==(const SizeCount&) const = default;
  };
  struct ClassCount {
    image::ClassInfo info;
    std::uint64_t num_pixels = 0;
    std::size_t num_frames = 0;  ///< Frames with a pixel of the class.
  };
  struct UnknownColor {
    image::Rgb color;
    std::uint64_t num_pixels = 0;
    std::size_t num_frames = 0;
    std::filesystem::path first_file;
  };
  /// Statistics of the readable depth images.
  struct Depth {
    double min_m = 0, median_m = 0, max_m = 0;  ///< Of the known depths; all 0 if no depth is known.
    double missing_share = 0;                   ///< Share of pixels without depth, mean over the frames, [0, 1].
    double worst_missing_share = 0;             ///< Share of pixels without depth in worst_frame.
    std::string worst_frame;
  };

  std::filesystem::path folder;
  std::vector<FrameFiles> frames;
  DatasetConfig config;  ///< Defaults where dataset.toml could not be read.
  bool has_color = false, has_depth = false, has_maps = false, has_truth = false,
       has_instances = false;       ///< Whether at least one frame has it.
  std::vector<SizeCount> sizes;     ///< Most frequent first.
  std::vector<ClassCount> classes;  ///< In the order of class indices.
  std::uint64_t void_pixels = 0, unknown_pixels = 0;
  std::vector<UnknownColor> unknown_colors;  ///< Most frequent first.
  Depth depth;
  std::vector<std::uint64_t> checksums;  ///< [frame] Of the colour file, else of the depth file; 0: not readable.
  std::vector<DatasetProblem> problems;  ///< Errors first.

  std::size_t num_errors() const;
  std::size_t num_warnings() const { return problems.size() - num_errors(); }
  std::uint64_t truth_pixels() const;  ///< Sum of labelled, void and unknown pixels.
};

/// Reads every file of a data set once, on all threads, with one frame per thread in memory.
/// @param options     With `needs_truth`, missing ground truth is an error (or a warning if no frame has any).
/// @param split_hint  See Dataset::open().
/// @throws Error(kData) only when no folder with frames is found.
DatasetReport check_dataset(const std::filesystem::path& folder, const DatasetOptions& options, ThreadPool& pool,
                            const ProgressCallback& progress = {}, const std::string& split_hint = "");

}  // namespace fernwood::dataset
