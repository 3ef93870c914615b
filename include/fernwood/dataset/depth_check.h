// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Whether depths can be right: compared with what rooms are like and what depth cameras see.

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

/// Where depths come from, which decides what an implausible one can be remedied with.
enum class DepthOrigin {
  kFolder,    ///< Files of a folder, which dataset.toml describes.
  kFile,      ///< One file, in millimetres.
  kIntegers,  ///< An array of whole millimetres.
  kFloats,    ///< An array of metres.
  kSource     ///< A camera or a recording, in millimetres.
};

/// Depths as they were given, before any scale is applied and before those out of range become unknown.
class DepthHistogram {
 public:
  /// @param to_mm    Millimetres per step of the values; those of floating point are in metres.
  /// @param missing  The value that means unknown, besides 0.
  explicit DepthHistogram(DepthOrigin origin, double to_mm = 1, int missing = 0);

  /// Values below or at 0 and NaN are unknown.
  void add(double value, std::uint64_t num_pixels = 1);
  /// Some pixels of a frame on the host, evenly spread: enough to judge it by; of one without depth none. Millimetres
  /// and metres are converted to what the origin has.
  void add_some(const image::FrameImages& frame);
  /// @param counts  [value] pixels that have it.
  void add_counts(std::span<const std::uint64_t> counts);

  DepthOrigin origin() const { return origin_; }
  /// No depth is known.
  bool is_empty() const { return given_.empty(); }
  /// What is implausible about the depths, and the likely unit: one sentence; empty when nothing is.
  /// @param place  Begins the sentence.
  std::string note(const std::string& place) const;

 private:
  DepthOrigin origin_;
  double to_mm_;
  int missing_;
  std::uint64_t num_unknown_ = 0;
  std::vector<std::pair<double, std::uint64_t>> given_;  // (value, pixels), in any order
};

/// The same of a depth image in millimetres that belongs to no folder. @throws Error as read_depth() does.
std::string depth_file_note(const std::filesystem::path& path);

/// Calls take(row, col) for about a thousand pixels that represent a frame; rows contribute different columns.
template <typename Take>
void for_some_pixels(std::size_t rows, std::size_t cols, const Take& take) {
  constexpr std::size_t kSampledPixels = 1024;
  std::size_t stride = std::max<std::size_t>(1, rows * cols / kSampledPixels);
  while (stride > 1 && std::gcd(stride, cols) > 1) ++stride;
  for (std::size_t pixel = stride / 2; pixel < rows * cols; pixel += stride) take(pixel / cols, pixel % cols);
}

}  // namespace fernwood::dataset
