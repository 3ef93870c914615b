// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/prepare_steps.h"

#include <algorithm>
#include <limits>

#include "fernwood/core/error.h"

namespace fernwood::image {

namespace {

std::string size_text(std::size_t rows, std::size_t cols) {
  return std::to_string(cols) + " x " + std::to_string(rows) + " pixels";
}

}  // namespace

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

bool fills_depth(const Preparation& preparation) {
  return preparation.channels.needs_depth() && preparation.depth_filling != DepthFilling::kNone;
}

bool is_depth_complete(const Array2<std::uint16_t>& depth_mm, bool will_be_filled) {
  // Known depths less 1 are those below the limit. Extremes, not a search: compilers vectorise them.
  std::uint16_t least = 0xffff, greatest = 0;
  for (const std::uint16_t depth : depth_mm) {
    const auto shifted = static_cast<std::uint16_t>(depth - 1);
    least = std::min(least, shifted);
    greatest = std::max(greatest, shifted);
  }
  return (will_be_filled ? least : greatest) < kMaxDepthMm;
}

Camera camera_of(const Frame& frame, const Preparation& preparation) {
  if (frame.camera) return *frame.camera;
  return preparation.camera ? *preparation.camera : assumed_camera(frame.cols(), frame.rows());
}

PlaneLayout layout_planes(std::size_t rows, std::size_t cols, const ChannelLayout& channels, bool depth_complete,
                          std::size_t stride_step) {
  PlaneLayout layout;
  FrameView& view = layout.view;
  std::size_t num_planes = static_cast<std::size_t>(channels.num_channels());
  std::fill(std::begin(view.count_plane), std::end(view.count_plane), -1);
  for (int c = 0; c < channels.num_channels(); ++c)
    if (channels.follows_depth(c) && !depth_complete) view.count_plane[c] = channels.num_channels();
  num_planes += channels.needs_depth() && !depth_complete;
  const std::size_t stride = (cols + stride_step) / stride_step * stride_step, plane_size = (rows + 1) * stride;
  FW_CHECK(plane_size * num_planes <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()), Data,
           "the frame is " << size_text(rows, cols) << " with " << num_planes
                           << " integral images, more than 2^31 numbers; make it smaller");
  view.rows = static_cast<std::int32_t>(rows);
  view.cols = static_cast<std::int32_t>(cols);
  view.stride = static_cast<std::int32_t>(stride);
  view.plane_size = static_cast<std::int32_t>(plane_size);
  view.depth_channel = channels.depth_channel();
  layout.num_sums = plane_size * num_planes;
  return layout;
}

}  // namespace fernwood::image
