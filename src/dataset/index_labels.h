// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Ground truth whose pixels are class numbers: grey images, palette indices, arrays. Each number is converted to a
// colour here, so that later code handles only colours.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dataset/dataset_folder.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// The colour that represents a number, never black: that of the next number in PASCAL VOC's colour map (Everingham et
/// al., devkit VOC2012, VOClabelcolormap). Different numbers have different colours.
constexpr image::Rgb index_color(std::uint32_t index) {
  image::Rgb color;
  std::uint32_t rest = index + 1;
  for (int bit = 7; bit >= 0; --bit)
    for (std::uint8_t* channel : {&color.r, &color.g, &color.b}) {
      *channel = static_cast<std::uint8_t>(*channel | (rest & 1) << bit);
      rest >>= 1;
    }
  return color;
}
/// The number represented by a colour; empty for black.
std::optional<std::uint32_t> index_of(image::Rgb color);

/// Represents ignore_index and numbers below 0.
inline constexpr image::Rgb kIgnoredIndexColor = index_color(65535);

/// Whether 255 means void if neither ignore_index nor classes are given: unless numbers are wider than a byte, or form
/// a mask of 0 and 255.
bool is_255_void(const std::vector<ColorCount>& found);

/// read_truth() of a file in memory. @param path  For messages.
Array2<image::Rgb> decode_truth(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes,
                                const DatasetConfig& config);

/// A warning about transparent pixels that are read as a class, as transparency is ignored; empty if some frames,
/// evenly spread, have none.
std::vector<std::string> transparency_notes(const std::filesystem::path& folder, const std::vector<FrameFiles>& frames,
                                            const DatasetConfig& config);

/// Determines the encoding of the ground truth if dataset.toml does not state it, from the first frame that has some.
/// Files that cannot be read count as colours; reading them later reports the error.
/// @return  A sentence with the assumption about numbers; empty for colours, and if dataset.toml states the encoding.
/// @throws Error(kData) for ignore_index beside colours, which it cannot apply to; the encoding is set nevertheless.
std::string settle_labels(const std::filesystem::path& folder, const std::vector<FrameFiles>& frames,
                          DatasetConfig* config);

/// The class of each pixel. @param classes  Those of `lookup`. @param encoding  Encoding of the file. Both for
/// messages.
/// @throws Error(kData) for a colour that is neither a class nor void, naming the pixel.
image::LabelImage to_labels(const std::filesystem::path& path, const Array2<image::Rgb>& truth,
                            const ColorLookup& lookup, const image::ClassMap& classes,
                            std::optional<LabelEncoding> encoding);

// Colours in ground truth that do not belong to a class but are mixtures of adjacent colours, as left by resizing with
// interpolation, smoothing or JPEG.

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
