// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Regions of a label image as run lengths, in the ways that other tools have.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::dataset {

/// The smallest rectangle around a class, and how many pixels it has; none: area is 0.
struct ClassBox {
  std::size_t left = 0, top = 0, right = 0, bottom = 0;  ///< The last two are the last column and row.
  std::size_t area = 0;
  std::size_t width() const { return right - left + 1; }
  std::size_t height() const { return bottom - top + 1; }
};
/// [class] @param num_classes  More than any label that is not void.
std::vector<ClassBox> class_boxes(const image::LabelImage& labels, std::size_t num_classes);

/// Lengths of the runs of other pixels and of the class, in turns, column after column; then the text that COCO's tools
/// make of them: each is its difference from the one before the last, in groups of five bits, least first, each a
/// character from '0' on that says in its sixth bit whether another follows.
std::string coco_counts(const image::LabelImage& labels, std::uint16_t label);
/// The same lengths row after row within the class's box, as CVAT lists them.
std::string cvat_runs(const image::LabelImage& labels, std::uint16_t label, const ClassBox& box);
/// The class as a picture of red, green, blue and opacity, 255 where it is, packed as Label Studio packs brushes: 32
/// bits for the number of values, 5 for the bits of a value less one, 4 times 4 for the lengths' bits less one; then
/// blocks: whether its values are one and the same, which of the lengths' bits, the length less one, the value.
std::vector<std::uint8_t> brush_runs(const image::LabelImage& labels, std::uint16_t label);

// And back.

/// The lengths of coco_counts(). @return  Empty for another text, or lengths of which the sum is more than `count`.
std::optional<std::vector<std::uint32_t>> parse_coco_counts(std::string_view text, std::uint64_t count);
/// The lengths of cvat_runs(). @return  As parse_coco_counts().
std::optional<std::vector<std::uint32_t>> parse_cvat_runs(std::string_view text, std::uint64_t count);
/// The opacity of each pixel of brush_runs(), row after row. @return  Empty for bytes that are no picture of so many
/// pixels.
std::optional<std::vector<std::uint8_t>> parse_brush_runs(std::span<const std::uint8_t> bytes, std::size_t num_pixels);

/// Lengths of runs, those of other pixels first, of pixels that `is_inside(i)` tells about in their order.
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

}  // namespace fernwood::dataset
