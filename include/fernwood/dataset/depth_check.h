// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Plausibility of depths, judged by the usual size of rooms and the range of depth cameras.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/image/frame.h"

namespace fernwood::dataset {

/// Origin of depths, which determines the remedy for implausible ones.
enum class DepthOrigin {
  kFolder,    ///< Files in a folder, described by dataset.toml.
  kFile,      ///< One file, in millimetres.
  kIntegers,  ///< An array of whole millimetres.
  kFloats,    ///< An array of metres.
  kSource     ///< A camera or a recording, in millimetres.
};

/// Histogram of original depth values, before a scale is applied and before values out of range become unknown.
class DepthHistogram {
 public:
  /// @param to_mm    Millimetres per step of the values; floating-point values are in metres.
  /// @param missing  Value that means unknown, besides 0.
  explicit DepthHistogram(DepthOrigin origin, double to_mm = 1, int missing = 0);

  /// Adds pixels with a value. Values of 0 or below and NaN count as unknown.
  void add(double value, std::uint64_t num_pixels = 1);
  /// Adds an evenly spread sample of the pixels of a frame in host memory, large enough to assess it; nothing for a
  /// frame without depth. Millimetres and metres are converted to the unit of the origin.
  void add_some(const image::FrameImages& frame);
  /// Adds many values. @param counts  [value] Number of pixels with the value.
  void add_counts(std::span<const std::uint64_t> counts);

  DepthOrigin origin() const { return origin_; }
  /// Whether no known depth has been added.
  bool is_empty() const { return given_.empty(); }
  /// Describes why the depths are implausible, with the likely unit: one sentence; empty if they are plausible.
  /// @param place  Beginning of the sentence.
  std::string note(const std::string& place) const;

 private:
  DepthOrigin origin_;
  double to_mm_;
  int missing_;
  std::uint64_t num_unknown_ = 0;
  std::vector<std::pair<double, std::uint64_t>> given_;  // (value, pixels), in any order
};

/// DepthHistogram::note() for a single depth image in millimetres. @throws Error as read_depth() does.
std::string depth_file_note(const std::filesystem::path& path);

/// Calls take(row, col) for about a thousand evenly spread pixels of a frame, in columns that differ from row to row.
template <typename Take>
void for_some_pixels(std::size_t rows, std::size_t cols, const Take& take) {
  constexpr std::size_t kSampledPixels = 1024;
  std::size_t stride = std::max<std::size_t>(1, rows * cols / kSampledPixels);
  while (stride > 1 && std::gcd(stride, cols) > 1) ++stride;
  for (std::size_t pixel = stride / 2; pixel < rows * cols; pixel += stride) take(pixel / cols, pixel % cols);
}

}  // namespace fernwood::dataset
