// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/image/prepared_frame.h"

namespace fernwood::evaluate {

/// A prepared frame in which some channels are replaced by those of another frame.
class MixedFrame {
 public:
  /// @param own, other   Frames of the same size and preparation.
  /// @param from_other   [channel] Whether the channel is taken from `other`.
  /// @param other_maps   Whether the feature maps are taken from `other`.
  void mix(const image::FrameView& own, const image::FrameView& other, const std::vector<bool>& from_other,
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

  image::FrameView view() const {
    image::FrameView view = layout_;
    view.sums = sums_.data();
    view.pairs = pairs_.data();
    return view;
  }

 private:
  template <typename Number>
  static std::int16_t add_plane(const Number* planes, std::int16_t index, std::size_t plane_size,
                                std::vector<Number>& to) {
    const Number* first = planes + static_cast<std::size_t>(index) * plane_size;
    to.insert(to.end(), first, first + plane_size);
    return static_cast<std::int16_t>(to.size() / plane_size - 1);
  }

  image::FrameView layout_;  // sums and pairs are null here; view() sets them
  std::vector<std::uint32_t> sums_;
  std::vector<std::uint64_t> pairs_;
};

}  // namespace fernwood::evaluate
