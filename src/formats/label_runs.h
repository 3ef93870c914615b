// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Regions of a label image as run lengths, in the encodings of other tools.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::formats {

/// The bounding box of a region, and its number of pixels; area 0 if it has none.
struct RegionBox {
  std::size_t left = 0, top = 0, right = 0, bottom = 0;  ///< The last column and row, inclusive.
  std::size_t area = 0;
  std::size_t width() const { return right - left + 1; }
  std::size_t height() const { return bottom - top + 1; }
};
/// [region] @param num_regions  Greater than every number that is not void.
std::vector<RegionBox> region_boxes(const image::LabelImage& regions, std::size_t num_regions);

/// Run lengths, alternately of other pixels and of the region, column by column, as the compressed text of COCO's
/// tools: each length becomes its difference from the one before the last, in groups of five bits, least significant
/// first, each a character from '0' on whose sixth bit indicates a further group.
std::string coco_counts(const image::LabelImage& regions, std::uint16_t region);
/// Such lengths row by row within the region's box, as CVAT lists them.
std::string cvat_runs(const image::LabelImage& regions, std::uint16_t region, const RegionBox& box);
/// The region as an RGBA image, 255 inside, in the encoding of Label Studio's brushes: 32 bits for the number of
/// values, 5 for the bits of a value minus one, 4 times 4 for the bits of lengths minus one; then blocks: whether all
/// values are equal, which of the lengths' bits is used, the length minus one, the value.
std::vector<std::uint8_t> brush_runs(const image::LabelImage& regions, std::uint16_t region);

// The reverse.

/// Parses the output of coco_counts(). @return  Empty for another text, or lengths whose sum exceeds `count`.
std::optional<std::vector<std::uint32_t>> parse_coco_counts(std::string_view text, std::uint64_t count);
/// Parses the output of cvat_runs(). @return  As parse_coco_counts().
std::optional<std::vector<std::uint32_t>> parse_cvat_runs(std::string_view text, std::uint64_t count);
/// The opacity of each pixel in the output of brush_runs(), in row-major order. @return  Empty for bytes that are not
/// an image of `num_pixels` pixels.
std::optional<std::vector<std::uint8_t>> parse_brush_runs(std::span<const std::uint8_t> bytes, std::size_t num_pixels);

/// Run lengths, alternately outside and inside, outside first. @param is_inside  Called as is_inside(i) for each pixel
/// in order.
template <typename IsInside>
std::vector<std::uint32_t> run_lengths(std::size_t count, IsInside is_inside) {
  std::vector<std::uint32_t> lengths = {0};
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_odd_run = lengths.size() % 2 == 0;
    if (is_inside(i) == is_odd_run)
      ++lengths.back();
    else
      lengths.push_back(1);
  }
  return lengths;
}

}  // namespace fernwood::formats
