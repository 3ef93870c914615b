// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Table of all channels. To add one, write a struct here and add its name to ChannelTable; its planes, its share of the
// candidates, whether training reads it by default, and its computation on CPUs and GPUs follow from it.
//
// A row type has
//   kPlanes      names of its planes
//   kSet         public description of the channel set
//   Row(s, y)    state for row y, constructed once per row; in every thread on a GPU
//   row(x, out)  sets out[plane] to the value of the pixel in column x, or to kUnknown
// and, where a CPU saves work by computing many pixels together,
//   compute(s, planes)  the same for a whole frame.
//
// An input that no other row needs yet, such as the result of a pass over the frame, becomes a member of ChannelSource,
// which PreparedFrame fills on CPUs and FramePreparer on GPUs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include "fernwood/image/context.h"
#include "image/channel_formulas.h"
#include "image/geometry.h"
#include "image/scene_layout.h"

namespace fernwood::image {

/// Depth as read by the channels.
struct DepthSource {
  const std::uint16_t* depth_mm = nullptr;  ///< [rows][cols]
  const std::uint8_t* row_known = nullptr;  ///< [rows] 0: the row copies its nearest known row; null: no row does.
};

/// The row from which row y takes its depth: itself, or else the nearest known row above, or else below (thesis 5.1.1).
FW_HD std::int32_t source_row(const DepthSource& depth, std::int32_t y, std::int32_t rows) {
  if (!depth.row_known) return y;
  std::int32_t row = y;
  while (row >= 0 && !depth.row_known[row]) --row;
  if (row >= 0) return row;
  for (row = y + 1; row < rows && !depth.row_known[row];) ++row;
  return row < rows ? row : y;
}

/// Inputs of a frame's channels, in the memory of the device that computes them. Inputs that the model's channels do
/// not need are null.
struct ChannelSource {
  std::int32_t rows = 0, cols = 0;
  const Rgb* color = nullptr;  ///< [rows][cols]
  DepthSource depth;           ///< Filled, if the model requires it.
  GeometryView geometry;
  RoomView room;
  const LabTables* lab_tables = nullptr;

  /// Row y, clamped to the image.
  FW_HD const Rgb* color_row(std::int32_t y) const {
    const std::int32_t inside = y < 0 ? 0 : y < rows ? y : rows - 1;
    return color + static_cast<std::size_t>(inside) * static_cast<std::size_t>(cols);
  }
  FW_HD const std::uint16_t* depth_row(std::int32_t y) const {
    return depth.depth_mm + static_cast<std::size_t>(source_row(depth, y, rows)) * static_cast<std::size_t>(cols);
  }
};

inline constexpr ChannelGroup kColorGroup = {"color", 3};
/// Class probabilities predicted by an earlier stage: see ChannelLayout.
inline constexpr ChannelGroup kContextGroup = {"context", 4};

struct LabChannels {
  static constexpr std::string_view kPlanes[] = {"L", "a", "b"};
  static constexpr ChannelSet kSet = {.name = "lab",
                                      .channels = kPlanes,
                                      .group = kColorGroup,
                                      .needs_color = true,
                                      .least = -32767,
                                      .greatest = 32767,
                                      .help = "CIE L*a*b* (D65), in 1/256 of its unit"};
  const Rgb* color;
  const LabTables& tables;

  FW_HD LabChannels(const ChannelSource& s, std::int32_t y) : color(s.color_row(y)), tables(*s.lab_tables) {}
  FW_HD void operator()(std::int32_t x, std::int16_t* out) const {
    const Lab lab = rgb_to_lab(color[x], tables);
    out[0] = lab.l;
    out[1] = lab.a;
    out[2] = lab.b;
  }
};

struct RgbChannels {
  static constexpr std::string_view kPlanes[] = {"red", "green", "blue"};
  static constexpr ChannelSet kSet = {.name = "rgb",
                                      .channels = kPlanes,
                                      .group = kColorGroup,
                                      .by_default = false,
                                      .needs_color = true,
                                      .least = 0,
                                      .greatest = 255 * 128,
                                      .help = "sRGB as it is, in 1/128 of an 8-bit step (thesis 5.6.3)"};
  const Rgb* color;

  FW_HD RgbChannels(const ChannelSource& s, std::int32_t y) : color(s.color_row(y)) {}
  FW_HD void operator()(std::int32_t x, std::int16_t* out) const {
    out[0] = primary_value(color[x].r);
    out[1] = primary_value(color[x].g);
    out[2] = primary_value(color[x].b);
  }
};

struct GradientChannel {
  static constexpr std::string_view kPlanes[] = {"gradient"};
  static constexpr ChannelSet kSet = {
      .name = "gradient",
      .channels = kPlanes,
      .group = {"gradient", 1},
      .needs_color = true,
      .least = 0,
      .greatest = 32767,
      .help = "Sobel gradient magnitude of grey, in 1/16 of an 8-bit step; the border is repeated"};
  GreyRow above, here, below;
  std::int32_t last;  ///< Last column.

  FW_HD GradientChannel(const ChannelSource& s, std::int32_t y)
      : above{s.color_row(y - 1)}, here{s.color_row(y)}, below{s.color_row(y + 1)}, last(s.cols - 1) {}
  FW_HD void operator()(std::int32_t x, std::int16_t* out) const {
    out[0] = gradient_value(above, here, below, x > 0 ? x - 1 : 0, x, x < last ? x + 1 : last);
  }
  /// Converts each pixel to grey only once.
  static void compute(const ChannelSource& s, std::span<ChannelImage> planes);
};

struct DepthChannel {
  static constexpr std::string_view kPlanes[] = {"depth"};
  static constexpr ChannelSet kSet = {.name = "depth",
                                      .channels = kPlanes,
                                      .group = {"depth", 3},
                                      .needs_depth = true,
                                      .least = 1,
                                      .greatest = kMaxDepthMm,
                                      .help = "depth in mm; offsets of all features are divided by it"};
  const std::uint16_t* depth_mm;

  FW_HD DepthChannel(const ChannelSource& s, std::int32_t y) : depth_mm(s.depth_row(y)) {}
  FW_HD void operator()(std::int32_t x, std::int16_t* out) const { out[0] = depth_value(depth_mm[x]); }
};

struct HeightChannel {
  static constexpr std::string_view kPlanes[] = {"height"};
  static constexpr ChannelSet kSet = {.name = "height",
                                      .channels = kPlanes,
                                      .group = {"height", 1},
                                      .needs_depth = true,
                                      .needs_geometry = true,
                                      .least = kLowestHeightMm,
                                      .greatest = kHighestHeightMm,
                                      .help = "height above the floor in mm, from -2048 to 8191"};
  const std::uint16_t* depth_mm;
  Orientation orientation;
  float cx, fx, v;

  FW_HD HeightChannel(const ChannelSource& s, std::int32_t y)
      : depth_mm(s.depth_row(y)),
        orientation(*s.geometry.orientation),
        cx(s.geometry.camera.cx),
        fx(s.geometry.camera.fx),
        v(ray(static_cast<float>(y), s.geometry.camera.cy, s.geometry.camera.fy)) {}
  FW_HD void operator()(std::int32_t x, std::int16_t* out) const {
    out[0] = height_value(depth_mm[x], orientation.up, ray(static_cast<float>(x), cx, fx), v, orientation.floor_mm);
  }
};

/// Rounded normals may be slightly longer than 1.
inline constexpr std::int16_t kGreatestCosine = 4097;

/// Assigns each pixel of known depth the value of its cell.
struct CellRow {
  const std::uint16_t* depth_mm;
  const std::int16_t* cells;

  /// @param cells  [geometry_cells(rows)][geometry_cells(cols)]
  FW_HD CellRow(const ChannelSource& s, std::int32_t y, const std::int16_t* cells)
      : depth_mm(s.depth_row(y)), cells(cells + static_cast<std::size_t>(y / kCellSize * geometry_cells(s.cols))) {}
  FW_HD void operator()(std::int32_t x, std::int16_t* out) const {
    out[0] = is_known_depth(depth_mm[x]) ? cells[x / kCellSize] : kUnknown;
  }
};

struct UprightChannel : CellRow {
  static constexpr std::string_view kPlanes[] = {"upright"};
  static constexpr ChannelSet kSet = {
      .name = "upright",
      .channels = kPlanes,
      .group = {"upright", 1},
      .needs_depth = true,
      .needs_geometry = true,
      .least = -kGreatestCosine,
      .greatest = kGreatestCosine,
      .help = "cosine between a surface's normal and up, in 1/4096: floors 1, walls 0, ceilings -1"};
  FW_HD UprightChannel(const ChannelSource& s, std::int32_t y) : CellRow(s, y, s.geometry.upright) {}
};

struct FacingChannel : CellRow {
  static constexpr std::string_view kPlanes[] = {"facing"};
  static constexpr ChannelSet kSet = {.name = "facing",
                                      .channels = kPlanes,
                                      .group = {"facing", 1},
                                      .by_default = false,
                                      .needs_depth = true,
                                      .needs_geometry = true,
                                      .least = -kGreatestCosine,
                                      .greatest = kGreatestCosine,
                                      .help = "cosine between a surface's normal and the line of sight, in 1/4096"};
  FW_HD FacingChannel(const ChannelSource& s, std::int32_t y) : CellRow(s, y, s.geometry.facing) {}
};

struct BehindChannel : CellRow {
  static constexpr std::string_view kPlanes[] = {"behind"};
  static constexpr ChannelSet kSet = {
      .name = "behind",
      .channels = kPlanes,
      .group = {"behind", 1},
      .needs_depth = true,
      .needs_geometry = true,
      .needs_room = true,
      .least = 0,
      .greatest = kFarthestMm,
      .help = "free space behind: how much farther the farthest surface in this direction is, over the floor, in mm"};
  FW_HD BehindChannel(const ChannelSource& s, std::int32_t y) : CellRow(s, y, s.room.behind) {}
};

struct AboveChannel : CellRow {
  static constexpr std::string_view kPlanes[] = {"above"};
  static constexpr ChannelSet kSet = {
      .name = "above",
      .channels = kPlanes,
      .group = {"above", 1},
      .needs_depth = true,
      .needs_geometry = true,
      .needs_room = true,
      .least = kLowestHeightMm,
      .greatest = kHighestHeightMm,
      .help =
          "height above the nearest level surface below in the image, or else the floor, in mm, from -2048 to 8191"};
  FW_HD AboveChannel(const ChannelSource& s, std::int32_t y) : CellRow(s, y, s.room.above) {}
};

template <typename... Rows>
struct ChannelRows {
  static constexpr std::int32_t kNumSets = sizeof...(Rows);
  static constexpr std::size_t kMaxPlanes = std::max({std::size(Rows::kPlanes)...});
};

using ChannelTable = ChannelRows<LabChannels, RgbChannels, GradientChannel, DepthChannel, HeightChannel, UprightChannel,
                                 FacingChannel, BehindChannel, AboveChannel>;

/// Index of a set in the table.
inline std::int32_t index_of(const ChannelSet& set) { return static_cast<std::int32_t>(&set - channel_sets().data()); }

/// Computes the channels of a set on the CPU. @param planes  One per channel, of the frame's size; output.
void compute_channels(const ChannelSet& set, const ChannelSource& source, std::span<ChannelImage> planes);

}  // namespace fernwood::image
