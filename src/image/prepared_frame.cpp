// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/prepared_frame.h"

#include <algorithm>
#include <limits>
#include <span>

#include "fernwood/image/integral.h"
#include "image/prepare_steps.h"

namespace fernwood {

namespace {

bool has_unknown(const ChannelImage& image) {
  static_assert(kUnknown == std::numeric_limits<std::int16_t>::min());
  // The least of all values, not a search: compilers vectorise it.
  std::int16_t least = 0;
  for (const std::int16_t value : image) least = std::min(least, value);
  return least == kUnknown;
}

std::vector<ChannelImage> compute_channels(const Frame& frame, const ChannelLayout& channels) {
  std::vector<ChannelImage> images(static_cast<std::size_t>(channels.num_channels()));
  for (ChannelImage& image : images) image = ChannelImage(frame.rows(), frame.cols());
  std::size_t first = 0;
  for (const ChannelSet* set : channels.sets()) {
    set->compute(frame, std::span(images).subspan(first, set->channels.size()));
    first += set->channels.size();
  }
  return images;
}

}  // namespace

PreparedFrame::PreparedFrame(const Frame& frame, const Preparation& preparation) {
  check_frame(frame, preparation);
  const std::vector<ChannelImage> images = compute_channels(
      fills_depth(preparation) ? with_filled_depth(frame, preparation.depth_filling) : frame, preparation.channels);

  std::uint64_t unknown = 0;
  for (std::size_t c = 0; c < images.size(); ++c) unknown |= std::uint64_t{has_unknown(images[c])} << c;
  const PlaneLayout layout = layout_planes(frame.rows(), frame.cols(), preparation.channels, unknown);
  layout_ = layout.view;
  num_sums_ = layout.num_sums;
  planes_ = std::make_unique_for_overwrite<std::uint32_t[]>(num_sums_);
  const auto plane = [&](std::size_t p) { return planes_.get() + p * static_cast<std::size_t>(layout_.plane_size); };
  for (std::size_t c = 0; c < images.size(); ++c) {
    const std::int32_t count_plane = layout_.count_plane[c];
    integrate(images[c], plane(c), count_plane < 0 ? nullptr : plane(static_cast<std::size_t>(count_plane)));
  }
}

FrameView PreparedFrame::view() const {
  FrameView view = layout_;
  view.planes = planes_.get();
  return view;
}

}  // namespace fernwood
