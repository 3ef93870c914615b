// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the GPU's response kernel goes by: windows of integral images, which it holds in shared memory for a group of
// samples, and the order in which it works on features, channel after channel.

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/forest/region_feature.h"

namespace fernwood::train {

/// Windows begin and end at columns that are multiples of this, so that they can be copied 16 bytes at a time.
inline constexpr std::int32_t kWindowStep = 4;

/// Columns and rows of the integral images that the regions of some samples can touch: [left, right) x [top, bottom).
/// Up to kWindowStep - 1 of the columns may lie behind the frame's last one.
struct Window {
  std::int32_t left, top, right, bottom;

  FW_HD std::int32_t width() const { return right - left; }
  FW_HD std::int32_t height() const { return bottom - top; }
  FW_HD std::int64_t size() const { return static_cast<std::int64_t>(width()) * height(); }
};

/// How far regions reach, from the options of a training.
struct Reach {
  std::int32_t max_offset;       ///< Largest |dx|, |dy|, pixels at 1 m.
  std::int32_t max_half_extent;  ///< Largest half extent, pixels at 1 m.
};

/// Largest half extent of a region in pixels, seen from `site`.
FW_HD std::int32_t half_extent_px(const Reach& reach, const forest::PixelSite& site) {
  const std::int32_t half = round_to_int(static_cast<float>(reach.max_half_extent) * site.inv_depth_y());
  return half < forest::kMaxHalfExtentPx ? half : forest::kMaxHalfExtentPx;
}

/// The window of one sample: every region that lies in the frame has its four corners there.
FW_HD Window window_of(const Reach& reach, const forest::PixelSite& site, std::int32_t rows, std::int32_t cols) {
  const std::int32_t offset = round_to_int(static_cast<float>(reach.max_offset) * site.inv_depth_y());
  const std::int32_t far = offset + half_extent_px(reach, site);
  const std::int32_t left = site.x() - far, top = site.y() - far;
  // One more on the far side: the corners of a region bound it from outside.
  const std::int32_t right = site.x() + far + 2, bottom = site.y() + far + 2;
  const Window inside = {left > 0 ? left : 0, top > 0 ? top : 0, right < cols + 1 ? right : cols + 1,
                         bottom < rows + 1 ? bottom : rows + 1};
  return {inside.left / kWindowStep * kWindowStep, inside.top,
          (inside.right + kWindowStep - 1) / kWindowStep * kWindowStep, inside.bottom};
}

/// The smallest window around two.
FW_HD Window around(const Window& a, const Window& b) {
  return {a.left < b.left ? a.left : b.left, a.top < b.top ? a.top : b.top, a.right > b.right ? a.right : b.right,
          a.bottom > b.bottom ? a.bottom : b.bottom};
}

// Sum and count of known pixels in one number: sum + count * 2^23, modulo 2^32, where values are counted from the least
// that a channel can have, so that no sum is negative. Integral images of such numbers are as exact as those of either,
// as long as a region's sum and count stay within their bits; half the room, half the loads.
inline constexpr int kPackedSumBits = 23;

/// @param least  Least value of the channel.
FW_HD std::uint32_t pack_sum(std::uint32_t sum, std::uint32_t count, std::int32_t least) {
  return sum - static_cast<std::uint32_t>(least) * count + (count << kPackedSumBits);
}
FW_HD std::int32_t packed_count(std::uint32_t packed) { return static_cast<std::int32_t>(packed >> kPackedSumBits); }
FW_HD std::int32_t packed_sum(std::uint32_t packed, std::int32_t least) {
  return static_cast<std::int32_t>(packed & ((1u << kPackedSumBits) - 1)) + least * packed_count(packed);
}

/// Most pixels that a region may have for its sum and count to be packed. @param highest  Largest value, counted from
///                the least, >= 0.
FW_HD std::int32_t most_packed_pixels(std::int32_t highest) {
  constexpr std::int32_t kMostCounted = (1 << (32 - kPackedSumBits)) - 1, kMostSum = (1 << kPackedSumBits) - 1;
  return highest * kMostCounted <= kMostSum ? kMostCounted : kMostSum / highest;
}

/// What a window holds for each pixel of a channel that has unknown ones. Of other channels it always holds sums.
enum class WindowKind : std::uint8_t {
  kPacked,   ///< Sum and count in one number: 4 bytes.
  kCounted,  ///< A sum of 4 bytes and a count of 2, for regions too large for that: a window has less than 2^16 pixels.
  kNone      ///< There is none: the sample has no depth, or its window is too large.
};

/// Most pixels of a window. @param capacity  Numbers of 4 bytes.
FW_HD std::int64_t most_window_pixels(WindowKind kind, std::int64_t capacity) {
  return kind == WindowKind::kCounted ? 2 * capacity / 3 : capacity;
}

/// The window in which the regions of a sample can be looked up.
/// @param capacity            Most numbers of 4 bytes that a window has room for.
/// @param most_packed_pixels  Of the frame, or a large number where nothing is packed.
FW_HD WindowKind window_kind(const Reach& reach, const forest::PixelSite& site, std::int32_t rows, std::int32_t cols,
                             std::int64_t capacity, std::int32_t most_packed_pixels) {
  if (!(site.inv_depth_y() > 0.0f)) return WindowKind::kNone;
  const std::int32_t side = 2 * half_extent_px(reach, site) + 1;
  const WindowKind kind = side * side <= most_packed_pixels ? WindowKind::kPacked : WindowKind::kCounted;
  return window_of(reach, site, rows, cols).size() <= most_window_pixels(kind, capacity) ? kind : WindowKind::kNone;
}

/// What is done for a run of features while the window of one channel is at hand. A feature that reads two channels is
/// met twice: the first time leaves a mean in the place of the response, the second turns it into the response.
enum class RunKind : std::uint8_t {
  kWhole,        ///< Both regions.
  kMeanOfA,      ///< Region a, to be kept; all of an absolute feature.
  kMeanOfB,      ///< Region b, to be kept.
  kFinishWithA,  ///< Region a; the mean of b was kept.
  kFinishWithB   ///< Region b; the mean of a was kept.
};

/// Up to 32 neighbouring features: one for each lane of a warp.
struct FeatureRun {
  std::uint32_t first;
  std::uint16_t count;
  std::uint8_t channel;  ///< At hand.
  RunKind kind;
  bool operator==(const FeatureRun&) const = default;
};

/// What stage 1 looks at.
struct ResponsePlan {
  std::vector<forest::RegionFeature> features;  ///< Those of equal channels in one piece, of whatever level.
  std::vector<std::uint32_t> columns;           ///< [feature] Where its responses go.
  /// Features from this one on read feature maps, and are in no run.
  std::size_t first_map = 0;
  /// In ascending order of their channels; every other feature is in one kWhole, or in a mean and, unless it is
  /// absolute, a later finish.
  std::vector<FeatureRun> runs;
};

/// @param levels  Features of each, those of equal channels in one piece. Runs go on from level to level: with few
///                features of the same channels in each, most lanes of a warp would idle.
/// @param stride  Columns from one level to the next.
ResponsePlan plan_responses(const std::vector<View1<const forest::RegionFeature>>& levels, std::size_t stride);

}  // namespace fernwood::train
