// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Which pixels belong together, and what a pixel adds to its object. Identical on all devices: sums are of
// whole numbers, and smallest and largest floating-point numbers do not depend on an order.

#include <cmath>
#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "image/geometry.h"

namespace fernwood::objects {

/// Maximum number of pixels across which parts of an object are joined.
inline constexpr std::int32_t kMaxReach = 64;
/// Maximum number of pixels of other classes, of the same surface, at the edges of an occluder.
inline constexpr std::int32_t kMaxBeside = 6;

/// Largest step of depth between neighbouring pixels of one surface, in mm: noise of structured light grows with the
/// square of depth (Khoshelham and Elberink, Sensors 2012), and surfaces may be seen at a slant.
FW_HD std::int32_t step_limit_mm(std::int32_t depth_mm) { return 25 + depth_mm * depth_mm / 100000; }

/// What joins pixels, in the memory of one device.
struct PixelView {
  const std::uint16_t* labels;  ///< [rows][cols]
  const std::uint16_t*
      depth_mm;  ///< [rows][cols] Unknown depth is that of the next known pixel on the left, else right.
  const std::uint8_t* is_thing;  ///< [class]
  std::int32_t rows, cols;
  std::uint16_t num_classes;
  std::int32_t reach_mm_px;            ///< Width of an occluder times focal length.
  const std::uint8_t* cuts = nullptr;  ///< [rows][cols] 1: nothing is joined to or across the pixel; null: none.
};

/// PixelView::reach_mm_px
inline std::int32_t reach_mm_px(double gap_m, const image::Camera& camera) {
  return static_cast<std::int32_t>(1000 * gap_m * static_cast<double>(camera.fx));
}

FW_HD bool is_of_thing(const PixelView& view, std::int32_t pixel) {
  const std::uint16_t label = view.labels[pixel];
  return label < view.num_classes && view.is_thing[label] != 0;
}

FW_HD bool is_cut(const PixelView& view, std::int32_t pixel) { return view.cuts != nullptr && view.cuts[pixel] != 0; }

/// Whether neighbouring pixels of one surface may have these depths.
FW_HD bool is_one_surface(std::int32_t depth_a_mm, std::int32_t depth_b_mm) {
  const std::int32_t step = depth_a_mm - depth_b_mm, nearer = step < 0 ? depth_a_mm : depth_b_mm;
  return (step < 0 ? -step : step) <= step_limit_mm(nearer);
}

/// How a pixel belongs to a neighbour, as bits.
enum Links : std::uint8_t { kSameLabel = 1, kOneSurface = 2, kJoined = kSameLabel | kOneSurface };

FW_HD std::uint8_t links_of(std::uint16_t label_a, std::uint16_t label_b, std::uint16_t depth_a_mm,
                            std::uint16_t depth_b_mm) {
  const bool is_same = label_a == label_b, is_one = is_one_surface(depth_a_mm, depth_b_mm);
  return static_cast<std::uint8_t>((is_same ? kSameLabel : 0) | (is_one ? kOneSurface : 0));
}

/// Whether a pixel with these links to its left neighbour continues the neighbour's run: runs are pixels of a row and
/// class and, of a thing, of one surface.
FW_HD bool continues_run(std::uint8_t links, bool is_of_thing) {
  return (links & (is_of_thing ? kJoined : kSameLabel)) == (is_of_thing ? kJoined : kSameLabel);
}

/// The pixel to the right of or below one to which that is joined, or -1.
/// @param pixel   Of a thing.
/// @param stride  Distance to the next pixel: 1 to the right, PixelView::cols below.
/// @param room    Number of pixels from there to the edge.
FW_HD std::int32_t joined_pixel(const PixelView& view, std::int32_t pixel, std::int32_t stride, std::int32_t room) {
  const std::int32_t depth = view.depth_mm[pixel];
  const std::uint16_t label = view.labels[pixel];
  if (is_cut(view, pixel) || room <= 0 || is_cut(view, pixel + stride)) return -1;
  if (view.labels[pixel + stride] == label && is_one_surface(depth, view.depth_mm[pixel + stride]))
    return pixel + stride;  // without the division below
  std::int32_t reach = depth > 0 ? view.reach_mm_px / depth : 1;
  reach = reach < 1 ? 1 : reach > kMaxReach ? kMaxReach : reach;
  reach = reach < room ? reach : room;
  std::int32_t beside = 0;
  bool is_occluded = false;
  for (std::int32_t i = 1; i <= reach; ++i) {
    const std::int32_t other = pixel + i * stride, beyond = view.depth_mm[other];
    if (is_cut(view, other)) return -1;
    const bool is_one = is_one_surface(depth, beyond);
    if (view.labels[other] == label && is_one) return is_occluded ? other : -1;
    if (is_one && ++beside > kMaxBeside) return -1;  // another thing is between them
    if (!is_one && beyond > depth) return -1;        // the background is visible between them
    is_occluded |= !is_one;
  }
  return -1;
}

/// Beyond all points, in mm, and all pixels.
inline constexpr std::int32_t kFar = 1 << 30;

/// Coordinates in which objects are measured: two level axes and up.
struct LevelFrame {
  image::Camera camera;  ///< For the frame's size.
  image::Vector3 across, forward, up;

  FW_HD image::Vector3 direction(float along_across, float along_forward, float along_up) const {
    return {across.x * along_across + forward.x * along_forward + up.x * along_up,
            across.y * along_across + forward.y * along_forward + up.y * along_up,
            across.z * along_across + forward.z * along_forward + up.z * along_up};
  }
};

/// @param up  Of length 1.
FW_HD LevelFrame level_frame(const image::Camera& camera, const image::Vector3& up) {
  const image::Vector3 ahead = up.z * up.z < 0.5f ? image::Vector3{0, 0, 1} : image::Vector3{0, -1, 0};
  const float climb = dot(ahead, up);
  const image::Vector3 forward =
      image::normalised({ahead.x - climb * up.x, ahead.y - climb * up.y, ahead.z - climb * up.z});
  return {
      camera,
      {forward.y * up.z - forward.z * up.y, forward.z * up.x - forward.x * up.z, forward.x * up.y - forward.y * up.x},
      forward,
      up};
}

/// A point in level coordinates, in mm.
struct LevelPoint {
  float across, forward, up;
};

/// @param u, v  Ray of the pixel: image::ray() of its column and row.
FW_HD LevelPoint level_point(const LevelFrame& frame, float u, float v, float depth_mm) {
  const auto along = [&](const image::Vector3& axis) { return depth_mm * (axis.x * u + (axis.y * v + axis.z)); };
  return {along(frame.across), along(frame.forward), along(frame.up)};
}

/// Distance from the camera, in mm.
FW_HD float distance_mm(float u, float v, float depth_mm) { return depth_mm * std::sqrt(u * u + (v * v + 1.0f)); }

/// Units of areas in sums, per mm2.
inline constexpr float kAreaUnits = 16;
/// Smallest cosine between a normal and the viewing ray: at flatter angles, normals are too inaccurate for an area.
inline constexpr float kFlattestCosine = 0.1f;

/// Radius of the planes by which areas are measured, see image::find_surfaces(): with 1, noise of depth tilts normals,
/// and areas are 7 to 30 % too large; that of the channels costs more.
inline constexpr int kNormalRadius = 2;

/// Area that a pixel sees at a depth of 1 mm, in units of sums.
/// @param facing  Of its cell, see image::facing_value(). @param x, y  Centre of the cell.
FW_HD float area_at_1_mm(std::int16_t facing, const image::Camera& camera, float x, float y) {
  const float u = image::ray(x, camera.cx, camera.fx), v = image::ray(y, camera.cy, camera.fy);
  const float cosine = static_cast<float>(facing) / image::kDirectionUnit;
  const float ray_length = std::sqrt(u * u + (v * v + 1.0f));
  return kAreaUnits / (camera.fx * camera.fy * ray_length * (cosine > kFlattestCosine ? cosine : kFlattestCosine));
}

FW_HD std::int32_t pixel_area(float at_1_mm, float depth_mm) { return round_to_int(depth_mm * depth_mm * at_1_mm); }

/// Class probabilities in sums: 1 is kSureUnits.
inline constexpr std::int32_t kSureUnits = 255;
FW_HD std::int32_t sureness(float probability) { return round_to_int(static_cast<float>(kSureUnits) * probability); }

/// Boxes are found by one pixel in so many, in rows and columns.
inline constexpr std::int32_t kPixelsApart = 2;
/// Number of level directions, over half a turn, among which those of boxes are chosen: steps of 2.8 degrees.
inline constexpr std::int32_t kDirections = 64;

/// Position along a direction, in mm. @param across, forward  Of the direction, of length 1.
FW_HD float along_direction(const LevelPoint& point, float across, float forward) {
  return point.across * across + point.forward * forward;
}

}  // namespace fernwood::objects
