// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/mixed_frame.h"

#include <cstdint>

namespace fernwood::evaluate {

namespace {

/// Collects planes of several frames in one array.
template <typename Number>
class PlaneCollector {
 public:
  PlaneCollector(std::vector<Number>& planes, std::size_t plane_size) : planes_(planes), plane_size_(plane_size) {
    planes_.clear();
  }

  /// Appends a plane, and returns its index in the array.
  std::int16_t add(const Number* planes, std::int16_t index) {
    const Number* first = planes + static_cast<std::size_t>(index) * plane_size_;
    planes_.insert(planes_.end(), first, first + plane_size_);
    return static_cast<std::int16_t>(planes_.size() / plane_size_ - 1);
  }

 private:
  std::vector<Number>& planes_;
  std::size_t plane_size_;
};

}  // namespace

void MixedFrame::mix(const image::FrameView& own, const image::FrameView& other, const std::vector<bool>& from_other,
                     bool other_maps) {
  layout_ = own;
  if (other_maps) layout_.maps = other.maps;
  layout_.sums = nullptr;
  layout_.pairs = nullptr;
  const auto plane_size = static_cast<std::size_t>(own.plane_size);
  PlaneCollector sums(sums_, plane_size);
  PlaneCollector pairs(pairs_, plane_size);
  for (std::size_t c = 0; c < from_other.size(); ++c) {
    const image::FrameView& from = from_other[c] ? other : own;
    const bool paired = from.pair_plane[c] >= 0;
    layout_.pair_plane[c] = paired ? pairs.add(from.pairs, from.pair_plane[c]) : std::int16_t{-1};
    layout_.sum_plane[c] = paired ? std::int16_t{-1} : sums.add(from.sums, from.sum_plane[c]);
  }
}

image::FrameView MixedFrame::view() const {
  image::FrameView view = layout_;
  view.sums = sums_.data();
  view.pairs = pairs_.data();
  return view;
}

}  // namespace fernwood::evaluate
