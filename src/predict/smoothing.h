// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The recursive filter of the domain transform (Gastal and Oliveira, SIGGRAPH 2011) on the cells at which trees are
// evaluated, and interpolation between cells along edges; identical on both devices. Cells are compared by their
// representative pixels. (On every pixel, the filter takes 16 times as long, and labels of NYU Depth v2 are 0.2 points
// less accurate: between adjacent pixels, differences are largely noise.)

#include <cstdint>
#include <vector>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/parallel.h"
#include "fernwood/image/context.h"
#include "fernwood/image/frame.h"
#include "fernwood/predict/predictor.h"
#include "forest/leaf.h"

namespace fernwood::predict {

/// Number of passes along rows and columns; each has half the extent of the previous one, so that no stripes remain.
/// The authors use three; with two, three and five, accuracy on NYU Depth v2 was the same to 0.02 points.
inline constexpr int kSmoothingRuns = 2;

/// The colour difference |red| + |green| + |blue|, and the depth difference divided by the smaller depth, that add the
/// extent to a distance in pixels.
inline constexpr float kColorEdge = 100, kDepthEdge = 0.2f;

/// Parts of the exponent of a link in the first pass: its weight a^d (eq. 21) is e^-exponent.
struct LinkScale {
  float pixel = 0, color = 0, depth = 0;  ///< Per pixel of distance, unit of colour difference, relative depth.

  FW_HD float exponent(std::int32_t pixels, std::int32_t color_difference, float depth_difference) const {
    return pixel * static_cast<float>(pixels) + color * static_cast<float>(color_difference) + depth * depth_difference;
  }
};

/// @param smoothing  Must be checked and have an extent.
LinkScale link_scale(const Smoothing& smoothing);

/// The images by which pixels are compared. Either may be null.
struct SmoothingGuide {
  const image::Rgb* color = nullptr;        ///< [rows][cols]
  const std::uint16_t* depth_mm = nullptr;  ///< [rows][cols], 0 = unknown
};

FW_HD std::int32_t color_difference(const image::Rgb& a, const image::Rgb& b) {
  const auto distance = [](std::int32_t x, std::int32_t y) { return x < y ? y - x : x - y; };
  return distance(a.r, b.r) + distance(a.g, b.g) + distance(a.b, b.b);
}

/// 0 where either depth is unknown: only colour is compared there.
FW_HD float depth_difference(std::uint16_t a, std::uint16_t b) {
  const auto nearer = static_cast<float>(a < b ? a : b), farther = static_cast<float>(a < b ? b : a);
  const float difference = (farther - nearer) / nearer;
  return image::is_known_depth(a) && image::is_known_depth(b) ? difference : 0.0f;
}

/// Exponent of the link between pixels `p` and `q`, which are `pixels` apart.
FW_HD float link_exponent(const LinkScale& scale, const SmoothingGuide& guide, std::size_t p, std::size_t q,
                          std::int32_t pixels) {
  return scale.exponent(pixels, guide.color ? color_difference(guide.color[p], guide.color[q]) : 0,
                        guide.depth_mm ? depth_difference(guide.depth_mm[p], guide.depth_mm[q]) : 0.0f);
}

/// Weight of a link with an exponent. Weights below 1e-6 become 0: their powers would be denormal numbers, which are
/// slow.
FW_HD float link_weight(float exponent) {
  constexpr float kMost = 13.8f;
  return exponent < kMost ? exp_of(-exponent) : 0.0f;
}

/// Weight of the same link in the next pass: with half the extent, the exponent doubles (eq. 14).
FW_HD float weight_of_next_run(float weight) { return weight * weight; }

/// Weights of the links of a cell to the cells before it in the first pass; 0 at the border.
struct CellLinks {
  float left, up;
};
/// @param rows, cols  Size of the frame.
FW_HD CellLinks cell_links(const LinkScale& scale, const SmoothingGuide& guide, std::int32_t rows, std::int32_t cols,
                           std::int32_t cell_row, std::int32_t cell_col) {
  const std::int32_t y = image::context_pixel(cell_row, rows), x = image::context_pixel(cell_col, cols);
  const std::size_t p = static_cast<std::size_t>(y) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(x);
  CellLinks links = {0.0f, 0.0f};
  if (cell_col > 0) {
    const std::int32_t pixels = x - image::context_pixel(cell_col - 1, cols);
    links.left = link_weight(link_exponent(scale, guide, p, p - static_cast<std::size_t>(pixels), pixels));
  }
  if (cell_row > 0) {
    const std::int32_t pixels = y - image::context_pixel(cell_row - 1, rows);
    links.up = link_weight(
        link_exponent(scale, guide, p, p - static_cast<std::size_t>(pixels) * static_cast<std::size_t>(cols), pixels));
  }
  return links;
}

/// One step of the filter (eq. 21), in a form that keeps equal values unchanged.
/// @param from  The result at the previous cell of the pass.
FW_HD float smoothed(float value, float from, float weight) { return value + weight * (from - value); }

/// The two cells between whose representative pixels a pixel lies, along one side.
struct NeighbouringCells {
  std::int32_t first, second;        ///< Equal at the border, where a pixel has one neighbour only.
  std::int32_t to_first, to_second;  ///< Distances in pixels; 0 and 1 at the border.
};
FW_HD NeighbouringCells neighbouring_cells(std::int32_t pixel, std::int32_t pixels) {
  const std::int32_t from_start = pixel - image::context_pixel(0, pixels);
  const std::int32_t first = from_start < 0 ? 0 : from_start / image::kContextStep;
  if (from_start < 0 || first + 1 == image::context_cells(pixels)) return {first, first, 0, 1};
  return {first, first + 1, pixel - image::context_pixel(first, pixels),
          image::context_pixel(first + 1, pixels) - pixel};
}

/// First row of the pixels between a row of cells and the next one, or the border; rows before the first row of cells
/// belong to it. @param band  Number of the upper row of cells. May lie below the frame.
FW_HD std::int32_t first_row_of_band(std::int32_t band) {
  return band == 0 ? 0 : band * image::kContextStep + image::kContextStep / 2;
}

/// Share of the second cell in the value of a pixel between two: linear interpolation, times the weights of the links
/// to the cells in the last pass.
/// @param first, second  Exponents of the links to the cells in the first pass, without the distance in pixels.
FW_HD float share_of_second(std::int32_t to_first, std::int32_t to_second, float first, float second) {
  constexpr float kLastRun = 1 << (kSmoothingRuns - 1);
  const float longer = second - first;  // only the ratio of the weights counts
  const float ratio = link_weight(kLastRun * (longer < 0.0f ? -longer : longer));
  const float of_first = static_cast<float>(to_second) * (longer < 0.0f ? ratio : 1.0f);
  const float of_second = static_cast<float>(to_first) * (longer < 0.0f ? 1.0f : ratio);
  return to_first > 0 ? of_second / (of_first + of_second) : 0.0f;
}

/// A probability in the steps of image::context_step(), as input of the filter.
FW_HD float share_of_steps(std::uint8_t steps) { return static_cast<float>(steps) / 255.0f; }

/// Smooths the class probabilities of frames, one after another, on the CPU.
class Smoother {
 public:
  explicit Smoother(const Smoothing& smoothing);
  bool is_on() const { return on_; }

  /// Smooths probabilities of the frame's cells, one class after another. @param planes  [class], in place.
  void smooth_cells(const image::FrameImages& frame, std::vector<Array2<float>>& planes, ThreadPool& pool);
  /// Chooses labels of all pixels by smoothed and corrected probabilities.
  /// @param maps  Probabilities of the frame's cells. @param correction  [class]
  /// @param min_confidence  See PredictOptions.
  /// @param out   Receives labels, and probabilities unless they are empty.
  void smooth(const image::FrameImages& frame, const image::ContextMaps& maps,
              const std::vector<forest::ClassPriorCorrection>& correction, float min_confidence, ThreadPool& pool,
              Prediction& out);

 private:
  void find_links(const image::FrameImages& frame, ThreadPool& pool);

  bool on_;
  LinkScale scale_;
  /// Weights of the links of each cell to the left and upper one, or 0.
  Array2<float> left_[kSmoothingRuns], up_[kSmoothingRuns];  // [cell cols][cell rows], [cell rows][cell cols]
  std::vector<Array2<float>> planes_;                        // [class][cell rows][cell cols]
};

}  // namespace fernwood::predict
