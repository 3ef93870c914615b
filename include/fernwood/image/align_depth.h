// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Depth of one camera as another camera sees it, so that pixel (x, y) of both shows the same.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/image/camera.h"

namespace fernwood::image {

/// What a lens adds to a pinhole camera: k1, k2, p1, p2, k3, k4, k5, k6 in OpenCV's order (Brown, "Close-range camera
/// calibration", 1971, with the rational radial part of OpenCV's calib3d); 0 where there are fewer.
using Distortion = std::array<float, 8>;

/// A depth camera beside a colour camera.
struct CameraPair {
  Camera depth, color;  ///< For any size of images: they are scaled.
  Distortion depth_distortion = {}, color_distortion = {};
  /// [row][col] From the depth camera's coordinates to those of the colour camera: p_color = rotation p_depth +
  /// translation.
  std::array<float, 9> rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<float, 3> translation_m = {};
  bool operator==(const CameraPair&) const = default;
};

/// What is wrong with the numbers of two cameras, with the remedy; empty when nothing is.
std::string problem_of(const CameraPair& cameras);

/// Whether images of two sizes may show the same: their proportions differ by at most half a per cent.
bool have_same_proportions(std::size_t cols, std::size_t rows, std::size_t other_cols, std::size_t other_rows);
/// Depth of another size that shows the same: each pixel has the depth of the one under its middle.
Array2<std::uint16_t> scaled_depth(const Array2<std::uint16_t>& depth_mm, std::size_t cols, std::size_t rows);

/// Moves depth into the colour camera. Each pixel of the depth image is a square at its depth, parallel to its own
/// image; it covers the pixels of the colour image whose middle lies between the projections of its upper left and its
/// lower right corner. Of several squares the nearest counts; what none covers is unknown (no hole is filled). Squares
/// that would cover more than kMaxFootprint pixels in a direction, or lie behind the colour camera, are left out.
/// Single-precision arithmetic in a stated order, so that processors and GPUs give the same bytes.
class DepthAligner {
 public:
  /// Sizes of both images. @throws Error(kUsage) for cameras of which problem_of() tells something.
  DepthAligner(const CameraPair& cameras, std::size_t depth_cols, std::size_t depth_rows, std::size_t color_cols,
               std::size_t color_rows);

  const CameraPair& cameras() const { return cameras_; }
  std::size_t depth_cols() const { return depth_cols_; }
  std::size_t depth_rows() const { return depth_rows_; }
  std::size_t color_cols() const { return color_cols_; }
  std::size_t color_rows() const { return color_rows_; }
  /// [3][depth_rows + 1][depth_cols + 1] Where corners of pixels look, in the colour camera's coordinates, at depth 1.
  std::span<const float> rays() const { return rays_; }

  /// @param depth_mm  Of the size given. @param pool  Shares the work; null: the calling thread alone.
  /// @return  [color_rows][color_cols], 0 = unknown. @throws Error(kData) for another size.
  Array2<std::uint16_t> align(const Array2<std::uint16_t>& depth_mm, ThreadPool* pool = nullptr) const;

 private:
  void align_rows(const Array2<std::uint16_t>& depth_mm, std::size_t begin, std::size_t end,
                  Array2<std::uint16_t>& nearest) const;

  CameraPair cameras_;
  std::size_t depth_cols_, depth_rows_, color_cols_, color_rows_;
  std::vector<float> rays_;
};

/// The aligner for two cameras and sizes: that of the call before where nothing has changed, for its tables take
/// milliseconds. From any thread. @throws Error as DepthAligner does.
std::shared_ptr<const DepthAligner> aligner_for(const CameraPair& cameras, std::size_t depth_cols,
                                                std::size_t depth_rows, std::size_t color_cols, std::size_t color_rows);

/// Seconds that a GPU takes for align(), its copies not included, by its clock, once for each of `repeat` times.
/// @param aligned  If not null, what it gives. @throws Error(kDevice) where there is no such GPU, and as align() does.
std::vector<double> time_alignment_on_gpu(const DepthAligner& aligner, const Array2<std::uint16_t>& depth_mm, int gpu,
                                          int repeat, Array2<std::uint16_t>* aligned = nullptr);

/// Most pixels of the colour image that a pixel of depth covers in a direction.
inline constexpr int kMaxFootprint = 64;

}  // namespace fernwood::image
