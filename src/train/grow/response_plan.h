// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Plan of the GPU's response kernel: windows of integral images, which it holds in shared memory for a group of
// samples, and the order in which it evaluates features, channel by channel.

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/forest/region_feature.h"

namespace fernwood::train {

/// Windows begin and end at columns that are multiples of this, so that they can be copied in units of 16 bytes.
inline constexpr std::int32_t kWindowStep = 4;

/// Columns and rows of the integral images that the regions of some samples can read: [left, right) x [top, bottom). Up
/// to kWindowStep - 1 of the columns may lie beyond the frame's last one.
struct Window {
  std::int32_t left, top, right, bottom;

  FW_HD std::int32_t width() const { return right - left; }
  FW_HD std::int32_t height() const { return bottom - top; }
  FW_HD std::int64_t size() const { return static_cast<std::int64_t>(width()) * height(); }
};

/// Maximum extent of regions, from the options of a training.
struct Reach {
  std::int32_t max_offset;       ///< Largest |dx|, |dy|, pixels at 1 m.
  std::int32_t max_half_extent;  ///< Largest half extent, pixels at 1 m.
};

/// Largest half extent of a region in pixels, at `site`.
FW_HD std::int32_t half_extent_px(const Reach& reach, const forest::PixelSite& site) {
  const std::int32_t half = round_to_int(static_cast<float>(reach.max_half_extent) * site.inv_depth_y());
  return half < forest::kMaxHalfExtentPx ? half : forest::kMaxHalfExtentPx;
}

/// The window of one sample: it contains the four corners of every region that lies in the frame.
FW_HD Window window_of(const Reach& reach, const forest::PixelSite& site, std::int32_t rows, std::int32_t cols) {
  const std::int32_t offset = round_to_int(static_cast<float>(reach.max_offset) * site.inv_depth_y());
  const std::int32_t far = offset + half_extent_px(reach, site);
  const std::int32_t left = site.x() - far, top = site.y() - far;
  // One more on the far side: the corners of a region lie just outside of it.
  const std::int32_t right = site.x() + far + 2, bottom = site.y() + far + 2;
  const Window inside = {left > 0 ? left : 0, top > 0 ? top : 0, right < cols + 1 ? right : cols + 1,
                         bottom < rows + 1 ? bottom : rows + 1};
  return {inside.left / kWindowStep * kWindowStep, inside.top,
          (inside.right + kWindowStep - 1) / kWindowStep * kWindowStep, inside.bottom};
}

/// The smallest window that contains both.
FW_HD Window around(const Window& a, const Window& b) {
  return {a.left < b.left ? a.left : b.left, a.top < b.top ? a.top : b.top, a.right > b.right ? a.right : b.right,
          a.bottom > b.bottom ? a.bottom : b.bottom};
}

// Sum and count of known pixels in one number: sum + count * 2^23, modulo 2^32, where values are relative to the
// minimum of the channel, so that no sum is negative. Integral images of these numbers are as exact as separate ones,
// as long as a region's sum and count stay within their bits, with half the memory and half the loads.
inline constexpr int kPackedSumBits = 23;

/// @param least  Minimum value of the channel.
FW_HD std::uint32_t pack_sum(std::uint32_t sum, std::uint32_t count, std::int32_t least) {
  return sum - static_cast<std::uint32_t>(least) * count + (count << kPackedSumBits);
}
FW_HD std::int32_t packed_count(std::uint32_t packed) { return static_cast<std::int32_t>(packed >> kPackedSumBits); }
FW_HD std::int32_t packed_sum(std::uint32_t packed, std::int32_t least) {
  return static_cast<std::int32_t>(packed & ((1u << kPackedSumBits) - 1)) + least * packed_count(packed);
}

/// Largest number of pixels of a region whose sum and count can be packed. @param highest  Maximum value, relative to
/// the minimum, >= 0.
FW_HD std::int32_t most_packed_pixels(std::int32_t highest) {
  constexpr std::int32_t kMaxCounted = (1 << (32 - kPackedSumBits)) - 1, kMaxSum = (1 << kPackedSumBits) - 1;
  return highest * kMaxCounted <= kMaxSum ? kMaxCounted : kMaxSum / highest;
}

/// Content of a window for each pixel of a channel with unknown pixels. Windows of other channels always hold sums.
enum class WindowKind : std::uint8_t {
  kPacked,   ///< Sum and count in one number: 4 bytes.
  kCounted,  ///< 4-byte sum and 2-byte count, for larger regions: a window has fewer than 2^16 pixels.
  kNone      ///< No window: the sample has no depth, or its window is too large.
};

/// Maximum number of pixels of a window. @param capacity  In units of 4 bytes.
FW_HD std::int64_t most_window_pixels(WindowKind kind, std::int64_t capacity) {
  return kind == WindowKind::kCounted ? 2 * capacity / 3 : capacity;
}

/// The kind of window in which the regions of a sample can be read.
/// @param capacity            Capacity of a window in units of 4 bytes.
/// @param most_packed_pixels  Of the frame; a large number if nothing is packed.
FW_HD WindowKind window_kind(const Reach& reach, const forest::PixelSite& site, std::int32_t rows, std::int32_t cols,
                             std::int64_t capacity, std::int32_t most_packed_pixels) {
  if (!(site.inv_depth_y() > 0.0f)) return WindowKind::kNone;
  const std::int32_t side = 2 * half_extent_px(reach, site) + 1;
  const WindowKind kind = side * side <= most_packed_pixels ? WindowKind::kPacked : WindowKind::kCounted;
  return window_of(reach, site, rows, cols).size() <= most_window_pixels(kind, capacity) ? kind : WindowKind::kNone;
}

/// Work on a run of features while the window of one channel is loaded. A feature that reads two channels is processed
/// twice: the first pass stores a mean in place of the response, the second turns it into the response.
enum class RunKind : std::uint8_t {
  kWhole,        ///< Both regions.
  kMeanOfA,      ///< Region a, stored; a unary feature needs no more.
  kMeanOfB,      ///< Region b, stored.
  kFinishWithA,  ///< Region a; the mean of b was stored before.
  kFinishWithB   ///< Region b; the mean of a was stored before.
};

/// Up to 32 successive features: one for each lane of a warp.
struct FeatureRun {
  std::uint32_t first;
  std::uint16_t count;
  std::uint8_t channel;  ///< The loaded channel.
  RunKind kind;
  bool operator==(const FeatureRun&) const = default;
};

/// Order of work of stage 1.
struct ResponsePlan {
  std::vector<forest::RegionFeature> features;  ///< Features of equal channels are contiguous, across levels.
  std::vector<std::uint32_t> columns;           ///< [feature] Column of its responses.
  /// Features from this index on read feature maps, and are in no run.
  std::size_t first_map = 0;
  /// In ascending order of their channels. Every other feature is in one kWhole run, or in a mean run and, unless it is
  /// unary, a later finishing run.
  std::vector<FeatureRun> runs;
};

/// @param levels  Features of each level, those of equal channels contiguous. Runs extend across levels: with few
///                features of the same channels in each level, most lanes of a warp would otherwise idle.
/// @param stride  Number of columns from one level to the next.
ResponsePlan plan_responses(const std::vector<View1<const forest::RegionFeature>>& levels, std::size_t stride);

}  // namespace fernwood::train
