// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Ground truth whose pixels are class numbers: grey images, indices of a palette, arrays. Each number gets a colour
// here, so that all that follows knows colours alone.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dataset/dataset_folder.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// The colour that stands for a number, never black: that of PASCAL VOC's colour map (Everingham et al., devkit
/// VOC2012, VOClabelcolormap) for the number after it. Different numbers have different colours.
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
/// The number whose colour it is; empty for black.
std::optional<std::uint32_t> index_of(image::Rgb color);

/// Of pixels that ignore_index names, and of numbers below 0.
inline constexpr image::Rgb kIgnoredIndexColor = index_color(65535);

/// Whether 255 means void where neither ignore_index nor classes are given: unless numbers are wider than a byte, or
/// are those of a mask, 0 and 255.
bool is_255_void(const std::vector<ColorCount>& found);

/// read_truth() of bytes that are in memory. @param path  For messages.
Array2<image::Rgb> decode_truth(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes,
                                const DatasetConfig& config);

/// What the ground truth holds, where dataset.toml does not say it: by the first frame that has some. Anything that
/// cannot be read is colours; reading will tell what is wrong with it.
/// @return  The sentence that says what is assumed of numbers; empty for colours, and where dataset.toml says it.
std::string settle_labels(const std::filesystem::path& folder, const std::vector<FrameFiles>& frames,
                          DatasetConfig* config);

}  // namespace fernwood::dataset
