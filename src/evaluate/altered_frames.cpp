// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/altered_frames.h"

#include <cmath>
#include <cstdint>
#include <numbers>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"

namespace fernwood::evaluate {

namespace {

struct Turn {
  double cos = 1, sin = 0;
};

/// Multiples of 90 degrees are exact, unlike cos() of a multiple of pi/2.
Turn turn_by(double degrees) {
  degrees = std::fmod(degrees, 360);
  const double quarters = std::floor(degrees / 90);
  const double rest = (degrees - 90 * quarters) * std::numbers::pi / 180;
  Turn turn = {std::cos(rest), std::sin(rest)};
  for (int i = static_cast<int>(quarters + 4) % 4; i > 0; --i) turn = {-turn.sin, turn.cos};
  return turn;
}

/// Source of each pixel: [rows][cols] index of a pixel, or -1 for sources beyond the borders. Rays are rotated instead
/// of pixels, because pixels need not be square. Without a camera, one that looks along the middle of the image is
/// assumed.
Array2<std::int64_t> find_sources(const image::Frame& frame, double degrees) {
  const image::Camera camera = frame.camera ? image::scaled(*frame.camera, frame.cols(), frame.rows())
                                            : image::assumed_camera(frame.cols(), frame.rows());
  const Turn turn = turn_by(degrees);
  const auto rows = static_cast<std::int64_t>(frame.rows()), cols = static_cast<std::int64_t>(frame.cols());
  const double fx = camera.fx, fy = camera.fy, cx = camera.cx, cy = camera.cy;
  Array2<std::int64_t> sources(frame.rows(), frame.cols(), -1);
  for (std::int64_t y = 0; y < rows; ++y)
    for (std::int64_t x = 0; x < cols; ++x) {
      const double across = static_cast<double>(x) - cx, down = (static_cast<double>(y) - cy) * (fx / fy);
      const double from_x = std::floor(cx + turn.cos * across + turn.sin * down + 0.5);
      const double from_y = std::floor(cy + (turn.cos * down - turn.sin * across) * (fy / fx) + 0.5);
      if (from_x < 0 || from_y < 0 || from_x >= static_cast<double>(cols) || from_y >= static_cast<double>(rows))
        continue;
      sources(static_cast<std::size_t>(y), static_cast<std::size_t>(x)) =
          static_cast<std::int64_t>(from_y) * cols + static_cast<std::int64_t>(from_x);
    }
  return sources;
}

template <typename T>
Array2<T> gathered(const Array2<T>& image, const Array2<std::int64_t>& sources, T beyond) {
  if (image.empty()) return {};
  Array2<T> out(image.rows(), image.cols());
  for (std::size_t i = 0; i < out.size(); ++i)
    out.data()[i] = sources.data()[i] < 0 ? beyond : image.data()[sources.data()[i]];
  return out;
}

template <typename Number>
std::int16_t add_plane(const Number* planes, std::int16_t index, std::size_t plane_size, std::vector<Number>& to) {
  const Number* first = planes + static_cast<std::size_t>(index) * plane_size;
  to.insert(to.end(), first, first + plane_size);
  return static_cast<std::int16_t>(to.size() / plane_size - 1);
}

}  // namespace

LabelledFrame rotated(const image::Frame& frame, const image::LabelImage& labels, double degrees) {
  const DefaultFloats floats;
  FW_CHECK(labels.rows() == frame.rows() && labels.cols() == frame.cols(), Usage,
           "the labels are " << labels.cols() << " x " << labels.rows() << " pixels and their frame " << frame.cols()
                             << " x " << frame.rows() << "; give those of the frame");
  FW_CHECK(std::isfinite(degrees), Usage,
           "a frame cannot be turned by " << degrees << " degrees; give a finite number");
  const Array2<std::int64_t> sources = find_sources(frame, degrees);
  return {{gathered(frame.color, sources, image::Rgb{}), gathered(frame.depth_mm, sources, std::uint16_t{0}),
           frame.camera, frame.up},
          gathered(labels, sources, image::kVoid)};
}

void MixedFrame::mix(const image::FrameView& own, const image::FrameView& other, const std::vector<bool>& from_other,
                     bool other_maps) {
  layout_ = own;
  if (other_maps) layout_.maps = other.maps;
  layout_.sums = nullptr;
  layout_.pairs = nullptr;
  const auto plane_size = static_cast<std::size_t>(own.plane_size);
  sums_.clear();
  pairs_.clear();
  for (std::size_t c = 0; c < from_other.size(); ++c) {
    const image::FrameView& from = from_other[c] ? other : own;
    const bool paired = from.pair_plane[c] >= 0;
    layout_.pair_plane[c] = paired ? add_plane(from.pairs, from.pair_plane[c], plane_size, pairs_) : std::int16_t{-1};
    layout_.sum_plane[c] = paired ? std::int16_t{-1} : add_plane(from.sums, from.sum_plane[c], plane_size, sums_);
  }
}

image::FrameView MixedFrame::view() const {
  image::FrameView view = layout_;
  view.sums = sums_.data();
  view.pairs = pairs_.data();
  return view;
}

}  // namespace fernwood::evaluate
