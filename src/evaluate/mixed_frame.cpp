// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/mixed_frame.h"

#include <algorithm>

namespace fernwood::evaluate {

void MixedFrame::mix(const image::FrameView& own, const image::FrameView& other, const std::vector<bool>& from_other) {
  const auto source = [&](std::size_t channel) -> const image::FrameView& { return from_other[channel] ? other : own; };
  layout_ = own;
  layout_.planes = nullptr;
  auto num_planes = static_cast<std::int32_t>(from_other.size());
  for (std::size_t c = 0; c < from_other.size(); ++c)
    layout_.count_plane[c] = source(c).count_plane[c] < 0 ? -1 : num_planes++;
  planes_.resize(static_cast<std::size_t>(num_planes) * static_cast<std::size_t>(own.plane_size));
  const auto copy = [&](const image::FrameView& from, std::int32_t plane, std::int32_t to) {
    const auto size = static_cast<std::size_t>(own.plane_size);
    std::copy_n(from.planes + static_cast<std::size_t>(plane) * size, size,
                planes_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(to) * size));
  };
  for (std::size_t c = 0; c < from_other.size(); ++c) {
    copy(source(c), static_cast<std::int32_t>(c), static_cast<std::int32_t>(c));
    if (layout_.count_plane[c] >= 0) copy(source(c), source(c).count_plane[c], layout_.count_plane[c]);
  }
}

image::FrameView MixedFrame::view() const {
  image::FrameView view = layout_;
  view.planes = planes_.data();
  return view;
}

}  // namespace fernwood::evaluate
