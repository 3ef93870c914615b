// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Coarse to fine: trees are evaluated for the representative pixel of each cell, and for all other pixels only where
// neighbouring cells disagree or a cell has an edge. The pixels of a homogeneous cell take the leaves of its
// representative pixel.

#include <cstdint>

#include "fernwood/image/prepared_frame.h"
#include "predict/pixel_grid.h"

namespace fernwood::predict {

/// The image of a frame that shows edges of objects: depth, or colour, or neither.
struct EdgeImages {
  const image::Rgb* color;        ///< [rows][cols], or null.
  const std::uint16_t* depth_mm;  ///< [rows][cols], or null.
  std::int32_t rows, cols;
};

/// The image that the model's channels read: measured depth if possible, else colour. (Depth filled by colourisation is
/// not available on every device.)
inline EdgeImages edge_images(const image::Preparation& preparation, const image::Rgb* color,
                              const std::uint16_t* depth_mm, std::int32_t rows, std::int32_t cols) {
  const image::ChannelLayout& channels = preparation.channels;
  if (channels.needs_depth() && preparation.depth_filling != image::DepthFilling::kColorized)
    return {nullptr, depth_mm, rows, cols};
  return {channels.needs_color() ? color : nullptr, nullptr, rows, cols};
}

/// A cell has an edge if its depths differ by more than this share of the smallest: 1 / kDepthEdge.
inline constexpr std::int32_t kDepthEdge = 32;
/// A cell has an edge if the ranges of red, green and blue add up to more than this.
inline constexpr std::int32_t kColorEdge = 60;

/// Minimum and maximum of some values.
struct ValueRange {
  std::int32_t least = 0x7fffffff, greatest = -1;

  FW_HD void add(std::int32_t value) {
    least = value < least ? value : least;
    greatest = value > greatest ? value : greatest;
  }
  FW_HD std::int32_t width() const { return greatest - least; }
};

FW_HD bool has_edge(const EdgeImages& images, const PixelGrid& grid, std::int32_t row, std::int32_t col) {
  if (images.depth_mm == nullptr && images.color == nullptr) return false;
  const std::int32_t y_begin = row * grid.step, x_begin = col * grid.step;
  const std::int32_t y_end = y_begin + grid.step < images.rows ? y_begin + grid.step : images.rows;
  const std::int32_t x_end = x_begin + grid.step < images.cols ? x_begin + grid.step : images.cols;
  ValueRange depth, red, green, blue;
  for (std::int32_t y = y_begin; y < y_end; ++y)
    for (std::int32_t x = x_begin; x < x_end; ++x) {
      const std::int32_t pixel = y * images.cols + x;
      if (images.depth_mm != nullptr) {
        depth.add(images.depth_mm[pixel]);
        continue;
      }
      const image::Rgb color = images.color[pixel];
      red.add(color.r);
      green.add(color.g);
      blue.add(color.b);
    }
  // Unknown depth is 0, so that it also makes an edge beside known depth.
  if (images.depth_mm != nullptr) return depth.width() * kDepthEdge > depth.least;
  return red.width() + green.width() + blue.width() > kColorEdge;
}

/// Whether a cell has no edge and the same label as the cells above, below, left and right.
/// @param label_of  label_of(row, col): label of a cell's representative pixel by the trees.
template <typename LabelOf>
FW_HD bool is_homogeneous(const EdgeImages& images, const PixelGrid& grid, std::int32_t row, std::int32_t col,
                          const LabelOf& label_of) {
  const auto label = label_of(row, col);
  const bool same =
      (row == 0 || label_of(row - 1, col) == label) && (row + 1 == grid.rows || label_of(row + 1, col) == label) &&
      (col == 0 || label_of(row, col - 1) == label) && (col + 1 == grid.cols || label_of(row, col + 1) == label);
  return same && !has_edge(images, grid, row, col);
}

}  // namespace fernwood::predict
