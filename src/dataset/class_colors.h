// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// From colours in ground-truth images to classes.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

inline constexpr std::size_t kMaxDiscoveredColors = 4096;

struct ColorCount {
  image::Rgb color;
  std::uint64_t num_pixels = 0;
};

std::uint32_t packed(image::Rgb color);   ///< 0xrrggbb
std::string to_hex(image::Rgb color);     ///< "#rrggbb"
std::string to_option(image::Rgb color);  ///< "r,g,b": a shell takes "#rrggbb" for a comment.
std::string to_string(image::Rgb color);  ///< "(r, g, b)"
std::string to_string(
    const std::vector<image::ClassInfo>& classes);  ///< 'floor (7, 54, 66), ...', shortened when long.

/// The colours of an image and how often they occur, ascending by packed(). Counting ends when there are more than
/// kMaxDiscoveredColors of them, with at least one more than that in the result.
std::vector<ColorCount> count_colors(const Array2<image::Rgb>& image);
/// @throws Error(kData) when there are more than kMaxDiscoveredColors, naming `where`, a file or a folder.
void check_few_colors(const std::vector<ColorCount>& counts, const std::filesystem::path& where);
/// Adds `more` to `total`; both ascending.
void add_counts(const std::vector<ColorCount>& more, std::vector<ColorCount>* total);

/// The name of one of the four NYU Depth v2 classes in their customary colours, else "#rrggbb".
std::string class_name_of(image::Rgb color);

/// Colours that are void in a data set: black unless it is a class, those of dataset.toml and of the options.
std::vector<image::Rgb> void_colors_of(const DatasetConfig& config, const std::vector<image::Rgb>& ignored_colors);
/// The classes of dataset.toml, or of the colours found when it lists none; without the void colours.
/// @throws Error(kData) when the background class that dataset.toml names is not there.
image::ClassMap make_class_map(const DatasetConfig& config, const std::vector<image::Rgb>& ignored_colors,
                               const std::vector<ColorCount>& found);

}  // namespace fernwood::dataset
