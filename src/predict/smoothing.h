// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The recursive filter of the domain transform (Gastal and Oliveira, SIGGRAPH 2011), as both devices compute it.

#include <cstdint>
#include <vector>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/parallel.h"
#include "fernwood/image/frame.h"
#include "fernwood/predict/predictor.h"
#include "forest/leaf.h"

namespace fernwood::predict {

/// Runs along rows and columns; each has half the extent of the one before, so that no stripes stay. The authors take
/// three; with two, three and five, accuracy on NYU Depth v2 was the same to 0.02 points.
inline constexpr int kSmoothingRuns = 2;

/// Most that the differences of three colour channels add up to.
inline constexpr std::int32_t kMostColorSteps = 3 * 255;
/// Depth differences are counted in 2048ths of the smaller depth; twice the smaller and all above are alike.
inline constexpr std::int32_t kDepthStepsPerUnit = 2048, kMostDepthSteps = 2 * kDepthStepsPerUnit;

/// What a step from a pixel to its neighbour lets through in the first run, a^d (eq. 21), in two factors.
struct LinkTables {
  float color[kMostColorSteps + 1] = {};  ///< By the difference of colours; of the step itself, too.
  float depth[kMostDepthSteps + 1] = {};  ///< By the difference of depths.
};

/// The images that neighbours are compared by. Either may be null.
struct SmoothingGuide {
  const image::Rgb* color = nullptr;        ///< [rows][cols]
  const std::uint16_t* depth_mm = nullptr;  ///< [rows][cols], 0 = unknown
};

FW_HD std::int32_t color_steps(const image::Rgb& a, const image::Rgb& b) {
  const auto distance = [](std::int32_t x, std::int32_t y) { return x < y ? y - x : x - y; };
  return distance(a.r, b.r) + distance(a.g, b.g) + distance(a.b, b.b);
}

/// 0 where either depth is unknown: there colour alone tells.
FW_HD std::int32_t depth_steps(std::uint16_t a, std::uint16_t b) {
  if (!image::is_known_depth(a) || !image::is_known_depth(b)) return 0;
  const std::uint32_t nearer = a < b ? a : b, farther = a < b ? b : a;
  const std::uint32_t steps = (farther - nearer) * kDepthStepsPerUnit / nearer;
  return steps < kMostDepthSteps ? static_cast<std::int32_t>(steps) : kMostDepthSteps;
}

/// What the link between pixels `p` and `q` lets through in the first run, [0, 1).
FW_HD float link_weight(const LinkTables& tables, const SmoothingGuide& guide, std::size_t p, std::size_t q) {
  /// Less is nothing: powers of it would leave the numbers that processors are fast with.
  constexpr float kLeast = 1e-6f;
  const float color = tables.color[guide.color ? color_steps(guide.color[p], guide.color[q]) : 0];
  const float depth = tables.depth[guide.depth_mm ? depth_steps(guide.depth_mm[p], guide.depth_mm[q]) : 0];
  const float weight = color * depth;
  return weight < kLeast ? 0.0f : weight;
}

/// The same in the next run: with half the extent, the exponent doubles (eq. 14).
FW_HD float weight_of_next_run(float weight) { return weight * weight; }

/// One step of the filter (eq. 21), written so that equal values stay as they are.
/// @param from  The result at the neighbour that the run comes from.
FW_HD float smoothed(float value, float from, float weight) { return value + weight * (from - value); }

/// @param smoothing  Checked, with an extent.
LinkTables link_tables(const Smoothing& smoothing);

/// Smooths the class probabilities of frames, one after another, on the processor's cores.
class Smoother {
 public:
  explicit Smoother(const Smoothing& smoothing);
  bool is_on() const { return on_; }

  /// Smooths planes of the frame's size, one after another. @param planes  Changed.
  void smooth_planes(const image::FrameImages& frame, std::vector<Array2<float>>& planes, ThreadPool& pool);
  /// Smooths out.probabilities and chooses out.labels by them as they are weighed; gives the probabilities back unless
  /// they are asked for.
  /// @param correction  [class] @param out  With all means over the trees.
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
