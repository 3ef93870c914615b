// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::forest {

/// A rectangle relative to a pixel, in pixels at a depth of 1 m; its offset and extent shrink as 1/depth (thesis
/// eq. 3.10).
struct Region {
  std::int8_t dx, dy;          ///< Centre, relative to the pixel.
  std::int8_t half_w, half_h;  ///< Half extents, at least 1.
  bool operator==(const Region&) const = default;
};

/// Value of channel_b that marks a unary feature.
inline constexpr std::uint8_t kNoChannel = 255;

/// One of three kinds of features:
/// - a region feature: the mean of region a in channel_a minus the mean of region b in channel_b (thesis eq. 3.9);
/// - a unary feature (channel_b is kNoChannel): the mean of region a, which distinguishes near from far and dark from
///   bright, unlike a difference;
/// - a feature map (channel_a is image::kMapChannel): its value at the pixel; region b encodes the number of the map.
struct RegionFeature {
  Region a, b;
  std::uint8_t channel_a, channel_b;
  bool operator==(const RegionFeature&) const = default;
};

template <typename AnyFeature>
FW_HD bool reads_map(const AnyFeature& f) {
  return f.channel_a == image::kMapChannel;
}
/// The number of the map that a feature reads.
template <typename AnyFeature>
FW_HD std::int32_t map_of(const AnyFeature& f) {
  return (f.b.dx & 0xff) | (f.b.dy & 0xff) << 8;
}
/// The feature that reads a given map. @param map  In [0, image::kMaxMaps).
FW_HD RegionFeature map_feature(std::int32_t map) {
  const Region number = {static_cast<std::int8_t>(map & 0xff), static_cast<std::int8_t>(map >> 8), 1, 1};
  return {{0, 0, 1, 1}, number, image::kMapChannel, kNoChannel};
}

/// Maximum half extent in pixels: regions have at most 255 x 255 pixels, so that sums of their 16-bit values fit into
/// 32 bits.
inline constexpr int kMaxHalfExtentPx = 127;

/// A pixel at which features are evaluated. It takes only 8 bytes, because training repeatedly sorts lists of pixels by
/// node.
class PixelSite {
 public:
  PixelSite() = default;
  /// @param x, y         In [0, kMaxFrameSide].
  /// @param inv_depth_x  1 / depth in metres; negated: the frame is mirrored left to right; 0: unknown depth.
  FW_HD PixelSite(std::int32_t x, std::int32_t y, float inv_depth_x)
      : xy_(static_cast<std::uint32_t>(x) | static_cast<std::uint32_t>(y) << 16), inv_depth_x_(inv_depth_x) {}

  FW_HD std::int32_t x() const { return static_cast<std::int32_t>(xy_ & 0xffff); }
  FW_HD std::int32_t y() const { return static_cast<std::int32_t>(xy_ >> 16); }
  FW_HD float inv_depth_x() const { return inv_depth_x_; }
  FW_HD float inv_depth_y() const { return float_of(bits_of(inv_depth_x_) & 0x7fffffff); }

 private:
  std::uint32_t xy_;
  float inv_depth_x_;
};

/// Rectangle of pixels that a region covers; it may extend beyond the frame.
struct RegionSpan {
  std::int32_t x0, y0;         ///< Upper left pixel.
  std::int32_t width, height;  ///< In pixels, odd.
};

/// The pixels that region `r` covers at `site`, whose depth must be known.
/// @param r  A Region, or a type with the same members of wider types.
template <typename AnyRegion>
FW_HD RegionSpan region_span(const AnyRegion& r, const PixelSite& site) {
  const std::int32_t scaled_w = round_to_int(static_cast<float>(r.half_w) * site.inv_depth_y());
  const std::int32_t scaled_h = round_to_int(static_cast<float>(r.half_h) * site.inv_depth_y());
  const std::int32_t half_w = scaled_w < kMaxHalfExtentPx ? scaled_w : kMaxHalfExtentPx;
  const std::int32_t half_h = scaled_h < kMaxHalfExtentPx ? scaled_h : kMaxHalfExtentPx;
  const std::int32_t x0 = site.x() + round_to_int(static_cast<float>(r.dx) * site.inv_depth_x()) - half_w;
  const std::int32_t y0 = site.y() + round_to_int(static_cast<float>(r.dy) * site.inv_depth_y()) - half_h;
  return {x0, y0, 2 * half_w + 1, 2 * half_h + 1};
}

/// Elements of an integral image that bound a region. If the region leaves the frame, the box is empty and at the
/// origin.
struct RegionBox {
  std::int32_t corner;  ///< Index of the upper left corner within a plane.
  std::int32_t width;   ///< In pixels.
  std::int32_t drop;    ///< Height times stride.
  std::int32_t area;    ///< In pixels, at least 1.
  bool inside;          ///< Whether the region lies entirely in the frame.
};

/// The box of region `r` at `site`. Without branches, so that compilers vectorise loops over it.
/// @param r       A Region, or a type with the same members of wider types.
/// @param stride  Distance between successive rows of the plane.
/// @param first   Index of the plane's first element in a plane of the whole frame with that stride. A plane may be a
///                window of the frame, as long as no region that lies in the frame leaves the window.
template <typename AnyRegion>
FW_HD RegionBox region_box(const AnyRegion& r, const PixelSite& site, std::int32_t rows, std::int32_t cols,
                           std::int32_t stride, std::int32_t first = 0) {
  const auto [x0, y0, width, height] = region_span(r, site);
  // All ones if a distance to an edge of the frame is negative. A mask, because with a conditional expression compilers
  // gathered with 64-bit indices, half as many at a time.
  const std::int32_t outside = (x0 | y0 | (cols - width - x0) | (rows - height - y0)) >> 31;
  // Unsigned, because far outside the frame the product may wrap around before the mask discards it.
  const auto corner =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(y0) * static_cast<std::uint32_t>(stride)) + x0 - first;
  return {corner & ~outside, width & ~outside, (height * stride) & ~outside, width * height, outside == 0};
}

/// Sum over a region from the four corners in an integral image (thesis 3.2.4).
/// @param plane  Plane of sums or of pairs.
template <typename Number, typename Index>
FW_HD Number corner_sum(const Number* plane, Index corner, Index width, Index drop) {
  const Index below = corner + drop;
  return plane[below + width] - plane[below] - plane[corner + width] + plane[corner];
}
template <typename Number>
FW_HD Number region_sum(const Number* plane, const RegionBox& box) {
  return corner_sum(plane, box.corner, box.width, box.drop);
}

/// Mean of `count` known pixels. @param known  Set to whether `count` is positive and the region lies in the frame.
FW_HD float mean_of(std::int32_t sum, std::int32_t count, bool inside, bool* known) {
  *known = inside & (count > 0);
  return divide(static_cast<float>(sum), static_cast<float>(count > 0 ? count : 1));
}

/// Mean of a region from region_sum() of a plane of sums.
FW_HD float region_mean(std::uint32_t sum, const RegionBox& box, bool* known) {
  return mean_of(static_cast<std::int32_t>(sum), box.area, box.inside, known);
}
/// Mean of a region from region_sum() of a plane of pairs.
FW_HD float region_mean(std::uint64_t pair, const RegionBox& box, bool* known) {
  const image::SumAndCount of = image::sum_and_count(pair);
  return mean_of(of.sum, of.count, box.inside, known);
}

// Functions of a frame that the formulas below require. These are for FrameView; the frame views on a GPU have their
// own overloads.

/// Whether features of the frame's model may read feature maps.
template <typename AnyFrame>
FW_HD constexpr bool has_maps(const AnyFrame&) {
  return true;
}

/// Whether a branch that skips unneeded reads is worthwhile.
FW_HD constexpr bool skips_unused(const image::FrameView&) { return true; }

/// Plane with the counts of known pixels of a channel, or -1 if all are known.
FW_HD std::int32_t count_plane_of(const image::FrameView& frame, std::int32_t channel) {
  return frame.pair_plane[channel];
}

/// The plane of a channel; sums_of() requires a channel with a plane of sums, pairs_of() one with a plane of pairs.
FW_HD const std::uint32_t* sums_of(const image::FrameView& frame, std::int32_t channel) {
  return frame.sums + frame.sum_plane[channel] * frame.plane_size;
}
FW_HD const std::uint64_t* pairs_of(const image::FrameView& frame, std::int32_t channel) {
  return frame.pairs + frame.pair_plane[channel] * frame.plane_size;
}

/// Sum over the known pixels of a region.
FW_HD std::uint32_t plane_sum(const image::FrameView& frame, std::int32_t channel, const RegionBox& box) {
  return frame.pair_plane[channel] < 0 ? region_sum(sums_of(frame, channel), box)
                                       : static_cast<std::uint32_t>(region_sum(pairs_of(frame, channel), box));
}

/// Mean over the known pixels of a region. @param pair_plane  See count_plane_of(); negative: all pixels are known.
FW_HD float region_mean(const image::FrameView& frame, std::int32_t channel, std::int32_t pair_plane,
                        const RegionBox& box, bool* known) {
  return pair_plane < 0 ? region_mean(region_sum(sums_of(frame, channel), box), box, known)
                        : region_mean(region_sum(pairs_of(frame, channel), box), box, known);
}

/// The channel of region b; for a unary feature channel_a, as the mean of region b is not used.
template <typename AnyFeature>
FW_HD std::int32_t second_channel(const AnyFeature& f) {
  return f.channel_b == kNoChannel ? f.channel_a : f.channel_b;
}

/// Response of a feature from the means of its regions (thesis eq. 3.9); NaN if one of them or the depth is unknown.
/// @param absolute  Whether the feature is unary: `mean_b` and `known_b` are ignored.
FW_HD float response_of(float mean_a, bool known_a, float mean_b, bool known_b, bool absolute, const PixelSite& site) {
  const bool known = known_a & (known_b | absolute) & (site.inv_depth_y() > 0.0f);
  return known ? mean_a - (absolute ? 0.0f : mean_b) : not_a_number();
}

/// Response of `f` at a pixel: mean of channel_a in region a minus mean of channel_b in region b (thesis eq. 3.9), or
/// only the first mean for a unary feature.
/// @param f      A RegionFeature, or a type with the same members of wider types.
/// @param frame  A FrameView, or another type with the functions above.
/// @param count_plane_a, count_plane_b  Planes with the counts of known pixels, or -1 if all are known.
/// @return  NaN if a region leaves the frame or has no known pixel, or if the depth at the pixel is unknown.
template <typename AnyFeature, typename AnyFrame>
FW_HD float response(const AnyFeature& f, const AnyFrame& frame, const PixelSite& site, std::int32_t count_plane_a,
                     std::int32_t count_plane_b) {
  const bool absolute = f.channel_b == kNoChannel;
  bool known_a, known_b = true;
  const float mean_a = region_mean(frame, f.channel_a, count_plane_a,
                                   region_box(f.a, site, frame.rows, frame.cols, frame.stride), &known_a);
  float mean_b = 0.0f;
  if (!(absolute && skips_unused(frame)))
    mean_b = region_mean(frame, second_channel(f), count_plane_b,
                         region_box(f.b, site, frame.rows, frame.cols, frame.stride), &known_b);
  return response_of(mean_a, known_a, mean_b, known_b, absolute, site);
}

/// Response of a feature of any kind. The value of a feature map is also known where depth is unknown.
template <typename AnyFeature, typename AnyFrame>
FW_HD float response(const AnyFeature& f, const AnyFrame& frame, const PixelSite& site) {
  if (has_maps(frame) && reads_map(f)) return map_at(frame, map_of(f), site.x(), site.y());
  return response(f, frame, site, count_plane_of(frame, f.channel_a), count_plane_of(frame, second_channel(f)));
}

/// The pixel (x, y) at a given depth; 0: unknown.
FW_HD PixelSite site_at_depth(std::int32_t x, std::int32_t y, std::uint32_t depth_mm, bool mirrored) {
  const float inv_depth = depth_mm > 0 ? 1000.0f / static_cast<float>(depth_mm) : 0.0f;
  return {x, y, mirrored ? -inv_depth : inv_depth};
}

/// The pixel (x, y) with its depth in a frame. Without a depth channel the depth is 1 m, so that offsets are in pixels.
template <typename AnyFrame>
FW_HD PixelSite pixel_site(const AnyFrame& frame, std::int32_t x, std::int32_t y, bool mirrored) {
  if (frame.depth_channel < 0) return {x, y, mirrored ? -1.0f : 1.0f};
  const RegionBox pixel = {y * frame.stride + x, 1, frame.stride, 1, true};
  return site_at_depth(x, y, plane_sum(frame, frame.depth_channel, pixel), mirrored);
}

}  // namespace fernwood::forest
