// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Colours of ground truth that are no class's but a mixture of neighbours: what is left where labels were resized with
// interpolation, smoothed or stored as JPEG.

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dataset/dataset_folder.h"

namespace fernwood::dataset {

/// Fills what ColorCount says of how the pixels of a colour lie. @param counts  By packed(), of this image.
void find_blends(const Array2<image::Rgb>& image, std::unordered_map<std::uint32_t, ColorCount>& counts);

/// Whether the colour lies between those that the pixel at (row, col) has on opposite sides.
/// @param is_pure  Whether a colour is a class's or void; others are looked past.
bool is_blend_of_neighbours(const Array2<image::Rgb>& image, std::size_t row, std::size_t col,
                            const std::function<bool(image::Rgb)>& is_pure);

/// Colours that are rare, lie at borders alone, and between those on both sides, most frequent first.
std::vector<ColorCount> blended_colors(const std::vector<ColorCount>& found);

/// What is wrong with colours that were found, without the place; empty: nothing.
struct BlendFinding {
  std::string sentence;
  bool is_error = false;  ///< So many that classes would be made of them.
};
BlendFinding judge_blends(const std::vector<ColorCount>& found);

}  // namespace fernwood::dataset
