// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Transforms the depth image of one camera into the pixel grid of another (registered depth), so that a pixel shows the
// same point in both images.

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

/// Lens distortion coefficients k1, k2, p1, p2, k3, k4, k5, k6 in OpenCV's order (Brown, "Close-range camera
/// calibration", 1971, with the rational radial part of OpenCV's calib3d); missing ones are 0.
using Distortion = std::array<float, 8>;

/// A depth camera beside a colour camera.
struct CameraPair {
  Camera depth, color;  ///< Intrinsics at any image size; they are scaled to the actual one.
  Distortion depth_distortion = {}, color_distortion = {};
  /// [row][col] From the depth camera's coordinates to those of the colour camera: p_color = rotation p_depth +
  /// translation.
  std::array<float, 9> rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<float, 3> translation_m = {};
  bool operator==(const CameraPair&) const = default;
};

/// Describes an invalid parameter of the two cameras, with the remedy; empty if all are valid.
std::string problem_of(const CameraPair& cameras);

/// Whether images of two sizes may show the same scene: their aspect ratios differ by at most half a per cent.
bool have_same_proportions(std::size_t cols, std::size_t rows, std::size_t other_cols, std::size_t other_rows);
/// Resizes a depth image: each pixel takes the depth of the input pixel at its centre.
Array2<std::uint16_t> scaled_depth(const Array2<std::uint16_t>& depth_mm, std::size_t cols, std::size_t rows);

/// Transforms depth images into the pixel grid of the colour camera. Each depth pixel is a square at its depth,
/// parallel to the depth image; it covers the pixels of the colour image whose centres lie between the projections of
/// its upper left and its lower right corner. Where squares overlap, the nearest one counts; pixels that no square
/// covers are unknown (holes are not filled). Squares that would cover more than kMaxFootprint pixels in a direction,
/// or lie behind the colour camera, are omitted. Computed with single-precision arithmetic in a fixed order, so that
/// processors and GPUs give the same bytes.
class DepthAligner {
 public:
  /// Takes the sizes of both images. @throws Error(kUsage) for cameras rejected by problem_of(), and for sizes outside
  /// 1 to kMaxFrameSide.
  DepthAligner(const CameraPair& cameras, std::size_t depth_cols, std::size_t depth_rows, std::size_t color_cols,
               std::size_t color_rows);

  const CameraPair& cameras() const { return cameras_; }
  std::size_t depth_cols() const { return depth_cols_; }
  std::size_t depth_rows() const { return depth_rows_; }
  std::size_t color_cols() const { return color_cols_; }
  std::size_t color_rows() const { return color_rows_; }
  /// [3][depth_rows + 1][depth_cols + 1] Viewing rays of the corners of depth pixels at depth 1, rotated into the
  /// colour camera's coordinates.
  std::span<const float> rays() const { return rays_; }

  /// @param depth_mm  [depth_rows][depth_cols], 0 = unknown.
  /// @param pool      Threads that share the work; null: only the calling thread.
  /// @return  [color_rows][color_cols], 0 = unknown. @throws Error(kData) for an image of another size.
  Array2<std::uint16_t> align(const Array2<std::uint16_t>& depth_mm, ThreadPool* pool = nullptr) const;

 private:
  void align_rows(const Array2<std::uint16_t>& depth_mm, std::size_t begin, std::size_t end,
                  Array2<std::uint16_t>& nearest) const;

  CameraPair cameras_;
  std::size_t depth_cols_, depth_rows_, color_cols_, color_rows_;
  std::vector<float> rays_;
};

/// Returns an aligner for two cameras and sizes. The aligner of the previous call is reused if nothing has changed,
/// because computing its tables takes milliseconds. Thread-safe. @throws Error as DepthAligner does.
std::shared_ptr<const DepthAligner> aligner_for(const CameraPair& cameras, std::size_t depth_cols,
                                                std::size_t depth_rows, std::size_t color_cols, std::size_t color_rows);

/// Measures align() on a GPU.
/// @param aligned  Receives the result, if not null.
/// @return  Seconds of each of `repeat` runs by the GPU's clock, without copies from and to the host.
/// @throws Error(kDevice) if the GPU does not exist, and as align().
std::vector<double> time_alignment_on_gpu(const DepthAligner& aligner, const Array2<std::uint16_t>& depth_mm, int gpu,
                                          int repeat, Array2<std::uint16_t>* aligned = nullptr);

/// Maximum number of colour pixels that a depth pixel covers in each direction.
inline constexpr int kMaxFootprint = 64;

}  // namespace fernwood::image
