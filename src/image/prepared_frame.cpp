// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/prepared_frame.h"

#include <algorithm>
#include <limits>
#include <span>

#include "fernwood/core/error.h"
#include "fernwood/image/integral.h"

namespace fernwood {

namespace {

std::string size_text(std::size_t rows, std::size_t cols) {
  return std::to_string(cols) + " x " + std::to_string(rows) + " pixels";
}

void check_frame(const Frame& frame, const Preparation& preparation) {
  const ChannelLayout& channels = preparation.channels;
  FW_CHECK(
      channels.num_channels() <= kMaxChannels, Usage,
      channels.num_channels() << " channels are chosen, at most " << kMaxChannels << " are possible; choose fewer");
  FW_CHECK(!frame.color.empty() || !frame.depth_mm.empty(), Data,
           "the frame has neither colour nor depth; give at least one");
  FW_CHECK(frame.rows() <= kMaxFrameSide && frame.cols() <= kMaxFrameSide, Data,
           "the frame is " << size_text(frame.rows(), frame.cols()) << "; at most " << kMaxFrameSide
                           << " rows and columns are possible, make it smaller");
  FW_CHECK(frame.color.empty() || frame.depth_mm.empty() ||
               (frame.color.rows() == frame.depth_mm.rows() && frame.color.cols() == frame.depth_mm.cols()),
           Data,
           "colour is " << size_text(frame.color.rows(), frame.color.cols()) << " and depth is "
                        << size_text(frame.depth_mm.rows(), frame.depth_mm.cols()) << "; register them to one size");
  FW_CHECK(!frame.color.empty() || !channels.needs_color(), Data,
           "the frame has no colour, which its channels need; give colour or choose the channels \"depth\" alone");
  FW_CHECK(!frame.depth_mm.empty() || !channels.needs_depth(), Data,
           "the frame has no depth, which its channels need; give depth or leave out the channels \"depth\"");
  FW_CHECK(!frame.color.empty() || preparation.depth_filling != DepthFilling::kColorized, Data,
           "the frame has no colour, which filling depth by colourisation needs; give colour or choose simple filling");
}

Frame with_filled_depth(Frame frame, DepthFilling filling) {
  for (std::uint16_t& depth_mm : frame.depth_mm) depth_mm = depth_mm <= kMaxDepthMm ? depth_mm : 0;
  if (filling == DepthFilling::kSimple) fill_depth_simple(frame.depth_mm);
  if (filling == DepthFilling::kColorized) fill_depth_colorized(frame.depth_mm, frame.color);
  return frame;
}

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
  const bool fills = preparation.channels.needs_depth() && preparation.depth_filling != DepthFilling::kNone;
  const std::vector<ChannelImage> images =
      compute_channels(fills ? with_filled_depth(frame, preparation.depth_filling) : frame, preparation.channels);

  const std::size_t plane_size = (frame.rows() + 1) * (frame.cols() + 1);
  std::size_t num_planes = images.size();
  std::fill(std::begin(layout_.count_plane), std::end(layout_.count_plane), -1);
  for (std::size_t c = 0; c < images.size(); ++c)
    if (has_unknown(images[c])) layout_.count_plane[c] = static_cast<std::int32_t>(num_planes++);
  FW_CHECK(plane_size * num_planes <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()), Data,
           "the frame is " << size_text(frame.rows(), frame.cols()) << " with " << num_planes
                           << " integral images, more than 2^31 numbers; make it smaller");

  layout_.rows = static_cast<std::int32_t>(frame.rows());
  layout_.cols = static_cast<std::int32_t>(frame.cols());
  layout_.stride = layout_.cols + 1;
  layout_.plane_size = static_cast<std::int32_t>(plane_size);
  layout_.depth_channel = preparation.channels.depth_channel();
  num_sums_ = plane_size * num_planes;
  planes_ = std::make_unique_for_overwrite<std::uint32_t[]>(num_sums_);
  for (std::size_t c = 0; c < images.size(); ++c) {
    const std::int32_t count_plane = layout_.count_plane[c];
    integrate(images[c], planes_.get() + c * plane_size,
              count_plane < 0 ? nullptr : planes_.get() + static_cast<std::size_t>(count_plane) * plane_size);
  }
}

FrameView PreparedFrame::view() const {
  FrameView view = layout_;
  view.planes = planes_.get();
  return view;
}

}  // namespace fernwood
