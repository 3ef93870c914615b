// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::forest {

/// A rectangle seen from a pixel, in pixels at a depth of 1 m; it shrinks as 1/depth (thesis eq. 3.10).
struct Region {
  std::int8_t dx, dy;          ///< Centre, relative to the pixel.
  std::int8_t half_w, half_h;  ///< Half extents, at least 1.
  bool operator==(const Region&) const = default;
};

/// In place of channel_b: the feature is absolute.
inline constexpr std::uint8_t kNoChannel = 255;

/// Difference of the means of two regions, each in a channel of its own (thesis eq. 3.9); or an absolute feature, the
/// mean of region a alone, which tells near from far and dark from bright where differences cannot; or, with
/// image::kMapChannel for channel_a, the value at the pixel of the feature map whose number region b has.
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
/// The feature that reads a map. @param map  In [0, image::kMaxMaps).
FW_HD RegionFeature map_feature(std::int32_t map) {
  const Region number = {static_cast<std::int8_t>(map & 0xff), static_cast<std::int8_t>(map >> 8), 1, 1};
  return {{0, 0, 1, 1}, number, image::kMapChannel, kNoChannel};
}

/// No region is larger than 255 x 255 pixels, so that the sum of its 16-bit values fits into 32 bits.
inline constexpr int kMaxHalfExtentPx = 127;

/// A pixel that features are asked about, in 8 bytes: lists of them are sorted by node again and again.
class PixelSite {
 public:
  PixelSite() = default;
  /// @param x, y         In [0, kMaxFrameSide].
  /// @param inv_depth_x  1 / depth in metres; its negative sees the frame mirrored left to right; 0: depth unknown.
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

/// Pixels that a region covers, whether or not they lie in a frame.
struct RegionSpan {
  std::int32_t x0, y0;         ///< Upper left pixel.
  std::int32_t width, height;  ///< In pixels, odd.
};

/// What region `r` covers, seen from `site`, whose depth must be known. @param r  A Region, or the like with wider
/// members.
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

/// Pixels of an integral image that bound a region; collapsed to nothing at the origin when it leaves the frame.
struct RegionBox {
  std::int32_t corner;  ///< Index of the upper left corner within a plane.
  std::int32_t width;   ///< In pixels.
  std::int32_t drop;    ///< Height times stride.
  std::int32_t area;    ///< In pixels, at least 1.
  bool inside;          ///< The region lies in the frame entirely.
};

/// Where region `r` lies, seen from `site`. Written without branches so that compilers vectorise loops over it.
/// @param r       A Region, or the like with wider members.
/// @param stride  From one row of the plane to the next.
/// @param first   Index that the plane's first element would have in a plane of the whole frame with that stride: a
/// plane
///                may be a window of the frame, as long as no region that lies in the frame leaves it.
template <typename AnyRegion>
FW_HD RegionBox region_box(const AnyRegion& r, const PixelSite& site, std::int32_t rows, std::int32_t cols,
                           std::int32_t stride, std::int32_t first = 0) {
  const auto [x0, y0, width, height] = region_span(r, site);
  // All ones when a distance to an edge of the frame is negative. A mask, not a choice: choices made compilers gather
  // with 64-bit indices, half as many at a time.
  const std::int32_t outside = (x0 | y0 | (cols - width - x0) | (rows - height - y0)) >> 31;
  // Unsigned, for far outside the frame the product may wrap before the mask takes it away.
  const auto corner =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(y0) * static_cast<std::uint32_t>(stride)) + x0 - first;
  return {corner & ~outside, width & ~outside, (height * stride) & ~outside, width * height, outside == 0};
}

/// Sum over a region of one plane: four corners of its integral image (thesis 3.2.4).
/// @param plane  Of sums, or of pairs.
template <typename Number, typename Index>
FW_HD Number corner_sum(const Number* plane, Index corner, Index width, Index drop) {
  const Index below = corner + drop;
  return plane[below + width] - plane[below] - plane[corner + width] + plane[corner];
}
template <typename Number>
FW_HD Number region_sum(const Number* plane, const RegionBox& box) {
  return corner_sum(plane, box.corner, box.width, box.drop);
}

/// Mean of `count` known pixels. @param known  Set: whether there are any, and the region lies in the frame.
FW_HD float mean_of(std::int32_t sum, std::int32_t count, bool inside, bool* known) {
  *known = inside & (count > 0);
  return divide(static_cast<float>(sum), static_cast<float>(count > 0 ? count : 1));
}

/// Mean of a region from region_sum() of a plane of sums.
FW_HD float region_mean(std::uint32_t sum, const RegionBox& box, bool* known) {
  return mean_of(static_cast<std::int32_t>(sum), box.area, box.inside, known);
}
/// The same from a plane of pairs.
FW_HD float region_mean(std::uint64_t pair, const RegionBox& box, bool* known) {
  const image::SumAndCount of = image::sum_and_count(pair);
  return mean_of(of.sum, of.count, box.inside, known);
}

// What the formulas below ask of a frame. These serve a FrameView; views that a GPU reads bring their own.

/// Whether features of the frame's model may read feature maps.
template <typename AnyFrame>
FW_HD constexpr bool has_maps(const AnyFrame&) {
  return true;
}

/// Whether a branch around reads that are not needed pays.
FW_HD constexpr bool skips_unused(const image::FrameView&) { return true; }

/// Plane with the counts of known pixels of a channel, or -1 when all are known.
FW_HD std::int32_t count_plane_of(const image::FrameView& frame, std::int32_t channel) {
  return frame.pair_plane[channel];
}

/// A channel's plane; it must be of the kind that is asked for.
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

/// Mean over the known pixels of a region. @param pair_plane  Negative: every pixel is known.
FW_HD float region_mean(const image::FrameView& frame, std::int32_t channel, std::int32_t pair_plane,
                        const RegionBox& box, bool* known) {
  return pair_plane < 0 ? region_mean(region_sum(sums_of(frame, channel), box), box, known)
                        : region_mean(region_sum(pairs_of(frame, channel), box), box, known);
}

/// The channel that region b is looked up in; for an absolute feature any will do.
template <typename AnyFeature>
FW_HD std::int32_t second_channel(const AnyFeature& f) {
  return f.channel_b == kNoChannel ? f.channel_a : f.channel_b;
}

/// What the means of its regions, and whether they are known, make of a feature (thesis eq. 3.9).
/// @param absolute  There is no region b.
FW_HD float response_of(float mean_a, bool known_a, float mean_b, bool known_b, bool absolute, const PixelSite& site) {
  const bool known = known_a & (known_b | absolute) & (site.inv_depth_y() > 0.0f);
  return known ? mean_a - (absolute ? 0.0f : mean_b) : not_a_number();
}

/// Response of `f` at a pixel: mean of channel_a in region a minus mean of channel_b in region b (thesis eq. 3.9), or
/// the former alone.
/// @param f      A RegionFeature, or the like with wider members.
/// @param frame  A FrameView, or the like.
/// @param count_plane_a, count_plane_b  Planes with the counts of known pixels, or -1 when all are known.
/// @return   NaN when a region leaves the frame or has no known pixel, or when the depth at the pixel is unknown.
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

/// The same, or the value of the map that `f` reads, which is known wherever depth is unknown, too.
template <typename AnyFeature, typename AnyFrame>
FW_HD float response(const AnyFeature& f, const AnyFrame& frame, const PixelSite& site) {
  if (has_maps(frame) && reads_map(f)) return map_at(frame, map_of(f), site.x(), site.y());
  return response(f, frame, site, count_plane_of(frame, f.channel_a), count_plane_of(frame, second_channel(f)));
}

/// The pixel (x, y) at a known depth, or at an unknown one, which is 0.
FW_HD PixelSite site_at_depth(std::int32_t x, std::int32_t y, std::uint32_t depth_mm, bool mirrored) {
  const float inv_depth = depth_mm > 0 ? 1000.0f / static_cast<float>(depth_mm) : 0.0f;
  return {x, y, mirrored ? -inv_depth : inv_depth};
}

/// The pixel (x, y) of a frame, ready for features: its depth is looked up in the frame.
/// Frames without depth are seen as from 1 m, so that offsets are in pixels.
template <typename AnyFrame>
FW_HD PixelSite pixel_site(const AnyFrame& frame, std::int32_t x, std::int32_t y, bool mirrored) {
  if (frame.depth_channel < 0) return {x, y, mirrored ? -1.0f : 1.0f};
  const RegionBox pixel = {y * frame.stride + x, 1, frame.stride, 1, true};
  return site_at_depth(x, y, plane_sum(frame, frame.depth_channel, pixel), mirrored);
}

}  // namespace fernwood::forest
