// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The recursive filter of the domain transform (Gastal and Oliveira, SIGGRAPH 2011), identical on both devices.

#include <cstdint>
#include <vector>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/parallel.h"
#include "fernwood/image/frame.h"
#include "fernwood/predict/predictor.h"
#include "forest/leaf.h"

namespace fernwood::predict {

/// Number of passes along rows and columns; each has half the extent of the previous one, so that no stripes remain.
/// The authors use three; with two, three and five, accuracy on NYU Depth v2 was the same to 0.02 points.
inline constexpr int kSmoothingRuns = 2;

/// The colour difference |red| + |green| + |blue|, and the depth difference divided by the smaller depth, that add the
/// extent to a distance of adjacent pixels, which is 1 otherwise.
inline constexpr int kColorEdge = 100;
inline constexpr float kDepthEdge = 0.2f;

/// Maximum sum of the differences of three colour channels.
inline constexpr std::int32_t kMaxColorSteps = 3 * 255;
/// Depth differences are measured in 2048ths of the smaller depth, and clamped at twice the smaller depth.
inline constexpr std::int32_t kDepthStepsPerUnit = 2048, kMaxDepthSteps = 2 * kDepthStepsPerUnit;

/// Weight of the link from a pixel to its neighbour in the first pass, a^d (eq. 21), as two factors.
struct LinkTables {
  float color[kMaxColorSteps + 1] = {};  ///< By the colour difference; includes the distance between the pixels.
  float depth[kMaxDepthSteps + 1] = {};  ///< By the depth difference.
};

/// The images by which neighbours are compared. Either may be null.
struct SmoothingGuide {
  const image::Rgb* color = nullptr;        ///< [rows][cols]
  const std::uint16_t* depth_mm = nullptr;  ///< [rows][cols], 0 = unknown
};

FW_HD std::int32_t color_steps(const image::Rgb& a, const image::Rgb& b) {
  const auto distance = [](std::int32_t x, std::int32_t y) { return x < y ? y - x : x - y; };
  return distance(a.r, b.r) + distance(a.g, b.g) + distance(a.b, b.b);
}

/// 0 where either depth is unknown: only colour is compared there.
FW_HD std::int32_t depth_steps(std::uint16_t a, std::uint16_t b) {
  if (!image::is_known_depth(a) || !image::is_known_depth(b)) return 0;
  const std::uint32_t nearer = a < b ? a : b, farther = a < b ? b : a;
  const std::uint32_t steps = (farther - nearer) * kDepthStepsPerUnit / nearer;
  return steps < kMaxDepthSteps ? static_cast<std::int32_t>(steps) : kMaxDepthSteps;
}

/// Weight of the link between pixels `p` and `q` in the first pass, [0, 1).
FW_HD float link_weight(const LinkTables& tables, const SmoothingGuide& guide, std::size_t p, std::size_t q) {
  /// Smaller weights become 0: their powers would be denormal numbers, which are slow.
  constexpr float kLeast = 1e-6f;
  const float color = tables.color[guide.color ? color_steps(guide.color[p], guide.color[q]) : 0];
  const float depth = tables.depth[guide.depth_mm ? depth_steps(guide.depth_mm[p], guide.depth_mm[q]) : 0];
  const float weight = color * depth;
  return weight < kLeast ? 0.0f : weight;
}

/// Weight of the same link in the next pass: with half the extent, the exponent doubles (eq. 14).
FW_HD float weight_of_next_run(float weight) { return weight * weight; }

/// One step of the filter (eq. 21), in a form that keeps equal values unchanged.
/// @param from  The result at the previous pixel of the pass.
FW_HD float smoothed(float value, float from, float weight) { return value + weight * (from - value); }

/// @param smoothing  Must be checked and have an extent.
LinkTables link_tables(const Smoothing& smoothing);

/// Smooths the class probabilities of frames, one after another, on the CPU.
class Smoother {
 public:
  explicit Smoother(const Smoothing& smoothing);
  bool is_on() const { return on_; }

  /// Smooths planes of the frame's size, one after another. @param planes  In place.
  void smooth_planes(const image::FrameImages& frame, std::vector<Array2<float>>& planes, ThreadPool& pool);
  /// Smooths out.probabilities and chooses out.labels by the corrected values; clears the probabilities unless they are
  /// requested.
  /// @param correction  [class] @param out  Must have the means over all trees.
  void smooth(const image::FrameImages& frame, const PredictRequest& request,
              const std::vector<forest::ClassPriorCorrection>& correction, ThreadPool& pool, Prediction& out);

 private:
  void find_links(const image::FrameImages& frame, ThreadPool& pool);
  void shorten_links(ThreadPool& pool);
  void run_along_rows(std::vector<Array2<float>>& planes, ThreadPool& pool);
  void run_along_columns(std::vector<Array2<float>>& planes, ThreadPool& pool);

  bool on_;
  LinkTables tables_;
  Array2<float> left_, up_;                ///< [rows][cols] weights of the links to the left and upper neighbour, or 0.
  std::vector<std::vector<float>> lines_;  ///< [worker] scratch
};

}  // namespace fernwood::predict
