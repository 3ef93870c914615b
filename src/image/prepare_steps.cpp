// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/prepare_steps.h"

#include <algorithm>
#include <limits>

#include "fernwood/core/error.h"
#include "image/channel_formulas.h"

namespace fernwood::image {

namespace {

std::string size_text(std::size_t rows, std::size_t cols) {
  return std::to_string(cols) + " x " + std::to_string(rows) + " pixels";
}

void integrate_row(const std::int16_t* values, std::size_t cols, const std::uint32_t* above, std::uint32_t* sums) {
  std::uint32_t sum = 0;
  sums[0] = 0;
  for (std::size_t x = 0; x < cols; ++x) {
    sum += known_value(values[x]);
    sums[x + 1] = above[x + 1] + sum;
  }
}

void integrate_known_row(const std::int16_t* values, std::size_t cols, const std::uint32_t* sums_above,
                         std::uint32_t* sums, const std::uint32_t* counts_above, std::uint32_t* counts) {
  std::uint32_t sum = 0, count = 0;
  sums[0] = counts[0] = 0;
  for (std::size_t x = 0; x < cols; ++x) {
    sum += known_value(values[x]);
    count += values[x] != kUnknown;
    sums[x + 1] = sums_above[x + 1] + sum;
    counts[x + 1] = counts_above[x + 1] + count;
  }
}

HostPlanes prepare_on_cpu(const Frame& frame, const Preparation& preparation) {
  const PreparedFrame prepared(frame, preparation);
  HostPlanes result{prepared.view(), {}};
  const std::uint32_t* planes = result.layout.planes;
  result.planes.assign(planes, planes + prepared.size_bytes() / sizeof(std::uint32_t));
  result.layout.planes = nullptr;
  return result;
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
  // Less 1, known depths are below all others. Extremes, not a search: compilers vectorise them.
  std::uint16_t least = 0xffff, greatest = 0;
  for (const std::uint16_t depth : depth_mm) {
    const auto shifted = static_cast<std::uint16_t>(depth - 1);
    least = std::min(least, shifted);
    greatest = std::max(greatest, shifted);
  }
  return is_known_depth(static_cast<std::uint16_t>((will_be_filled ? least : greatest) + 1));
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

void integrate(const ChannelImage& channel, std::uint32_t* sums, std::uint32_t* counts) {
  const std::size_t cols = channel.cols(), stride = cols + 1;
  std::fill_n(sums, stride, 0u);
  if (counts) std::fill_n(counts, stride, 0u);
  for (std::size_t y = 0; y < channel.rows(); ++y, sums += stride) {
    if (counts) {
      integrate_known_row(channel.row(y), cols, sums, sums + stride, counts, counts + stride);
      counts += stride;
    } else {
      integrate_row(channel.row(y), cols, sums, sums + stride);
    }
  }
}

std::vector<HostPlanes> prepare_on(Device device, std::span<const Frame> frames, const Preparation& preparation,
                                   bool looks_for_unknown) {
  if (!device.is_cpu()) return prepare_on_gpu(device.gpu, frames, preparation, looks_for_unknown);
  std::vector<HostPlanes> results;
  for (const Frame& frame : frames) results.push_back(prepare_on_cpu(frame, preparation));
  return results;
}

#if !FERNWOOD_HAS_CUDA

std::vector<HostPlanes> prepare_on_gpu(int, std::span<const Frame>, const Preparation&, bool) {
  throw Error(ErrorKind::kDevice, gpu_status().problem);
}

#endif

}  // namespace fernwood::image
