// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Colours in ground truth that do not belong to a class but are mixtures of adjacent colours, as left by resizing with
// interpolation, smoothing or JPEG.

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dataset/dataset_folder.h"

namespace fernwood::dataset {

/// Fills the members of ColorCount that describe how the pixels of a colour are placed. @param counts  By packed(), of
/// this image.
void find_blends(const Array2<image::Rgb>& image, std::unordered_map<std::uint32_t, ColorCount>& counts);

/// Whether the colour lies between the colours on opposite sides of the pixel at (row, col).
/// @param is_pure  Whether a colour is that of a class or void; other pixels are skipped.
bool is_blend_of_neighbours(const Array2<image::Rgb>& image, std::size_t row, std::size_t col,
                            const std::function<bool(image::Rgb)>& is_pure);

/// Colours that are rare, occur only at borders, and lie between those on both sides, most frequent first.
std::vector<ColorCount> blended_colors(const std::vector<ColorCount>& found);

/// The problem with the colours found, without naming the file; empty: none.
struct BlendFinding {
  std::string sentence;
  bool is_error = false;  ///< So many that they would be taken for classes.
};
BlendFinding judge_blends(const std::vector<ColorCount>& found);

}  // namespace fernwood::dataset
