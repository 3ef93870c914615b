// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/prepare_steps.h"

#include <algorithm>
#include <limits>

#include "fernwood/core/error.h"
#include "fernwood/image/context.h"
#include "image/channel_formulas.h"

namespace fernwood::image {

namespace {

std::string size_text(std::size_t rows, std::size_t cols) {
  return std::to_string(cols) + " x " + std::to_string(rows) + " pixels";
}

void check_plane_size(std::size_t rows, std::size_t cols, std::size_t plane_size, std::size_t num_planes) {
  FW_CHECK(plane_size * num_planes <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()), Data,
           "the frame is " << size_text(rows, cols) << " with " << num_planes
                           << " integral images, more than 2^31 numbers; make it smaller");
}

/// Contribution of one pixel to an integral image: its value, and with 64 bits its count above that.
template <typename Number>
Number number_of(std::int16_t value) {
  const std::uint32_t known = known_value(value);
  if constexpr (sizeof(Number) == sizeof(known)) return known;
  const std::int64_t sum = static_cast<std::int32_t>(known);
  return static_cast<Number>(static_cast<std::uint64_t>(sum) + (std::uint64_t{value != kUnknown} << 32));
}

template <typename Number>
void integrate_channel(const ChannelImage& channel, Number* plane) {
  const std::size_t cols = channel.cols(), stride = cols + 1;
  std::fill_n(plane, stride, Number{0});
  for (std::size_t y = 0; y < channel.rows(); ++y, plane += stride) {
    const std::int16_t* values = channel.row(y);
    Number* below = plane + stride;
    Number sum = 0;
    below[0] = 0;
    for (std::size_t x = 0; x < cols; ++x) {
      sum += number_of<Number>(values[x]);
      below[x + 1] = plane[x + 1] + sum;
    }
  }
}

/// @param counts  [plane_size], output: the integral image of the counts in a plane of pairs.
void count_known(const FrameView& view, const std::uint64_t* pairs, std::uint32_t* counts) {
  std::fill_n(counts, view.plane_size, 0u);
  for (std::int32_t y = 0; y < view.rows; ++y)
    for (std::int32_t x = 0, in_row = 0; x < view.cols; ++x) {
      const std::int32_t corner = y * view.stride + x;
      const std::uint64_t *above = pairs + corner, *below = above + view.stride;
      in_row += sum_and_count(below[1] - below[0] - above[1] + above[0]).count;
      counts[corner + view.stride + 1] = counts[corner + 1] + static_cast<std::uint32_t>(in_row);
    }
}

/// Planes in the layout of a GPU: counts separate from sums, one plane of counts for all channels.
HostPlanes prepare_on_cpu(const Frame& frame, const Preparation& preparation) {
  const PreparedFrame prepared(frame, preparation);
  const FrameView view = prepared.view();
  const bool has_pairs = std::ranges::any_of(view.pair_plane, [](std::int16_t plane) { return plane >= 0; });
  const PlaneLayout layout = layout_planes(frame.rows(), frame.cols(), preparation.channels, !has_pairs);
  HostPlanes result{layout.view, std::vector<std::uint32_t>(layout.num_sums)};
  const auto size = static_cast<std::size_t>(view.plane_size);
  for (std::size_t c = 0; c < static_cast<std::size_t>(preparation.channels.num_channels()); ++c) {
    std::uint32_t* out = result.planes.data() + c * size;
    if (view.pair_plane[c] < 0) {
      std::copy_n(view.sums + static_cast<std::size_t>(view.sum_plane[c]) * size, size, out);
      continue;
    }
    const std::uint64_t* pairs = view.pairs + static_cast<std::size_t>(view.pair_plane[c]) * size;
    std::uint32_t* counts = result.planes.data() + static_cast<std::size_t>(layout.view.count_plane[c]) * size;
    for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::uint32_t>(pairs[i]);
    count_known(view, pairs, counts);
  }
  return result;
}

}  // namespace

void check_frame(const FrameImages& frame, const Preparation& preparation) {
  const ChannelLayout& channels = preparation.channels;
  FW_CHECK(
      channels.num_channels() <= kMaxChannels, Usage,
      channels.num_channels() << " channels are chosen, at most " << kMaxChannels << " are possible; choose fewer");
  check_frame_images(frame);
  FW_CHECK(frame.color != nullptr || !preparation.needs_color(), Data,
           "the frame has no colour, which its channels need; pass colour, or train with the channels \"depth\" only");
  FW_CHECK(frame.has_depth() || !channels.needs_depth(), Data,
           "the frame has no depth, which its channels need; pass depth, or train without the channels \"depth\"");
  const std::size_t num_maps = preparation.supplied_maps.size();
  FW_CHECK(num_maps == 0 || frame.maps != nullptr, Data,
           "the frame has no feature maps, and the model reads "
               << num_maps
               << " that come with each frame; give them as in training: NAME_maps.npy in a folder, an array "
                  "[maps][rows][cols] otherwise");
  FW_CHECK(num_maps == 0 || frame.num_maps == num_maps, Data,
           "the frame has " << frame.num_maps << " feature maps, and the model reads " << num_maps
                            << "; pass the same ones as in training");
  // The scores of a head have the resolution of the finest maps, and indices of all values must fit into 31 bits.
  const std::size_t with_scores = num_maps + static_cast<std::size_t>(preparation.num_scores());
  FW_CHECK(num_maps == 0 || with_scores * frame.map_rows * frame.map_cols < std::size_t{1} << 31, Data,
           "the frame's " << num_maps << " feature maps of " << frame.map_cols << " x " << frame.map_rows
                          << " cells and the " << preparation.num_scores()
                          << " scores of the linear head are more than 2^31 numbers; pass coarser maps");
  FW_CHECK(frame.color != nullptr || preparation.depth_filling != DepthFilling::kColorized, Data,
           "the frame has no colour, which filling depth by colourisation needs; pass colour or choose simple filling");
}

bool fills_depth(const Preparation& preparation) {
  return preparation.channels.needs_depth() && preparation.depth_filling != DepthFilling::kNone;
}

bool is_depth_complete(std::span<const std::uint16_t> depth_mm, bool will_be_filled) {
  // After subtracting 1, known depths are below all unknown ones. Minimum and maximum rather than a search, because
  // compilers vectorise them.
  std::uint16_t least = 0xffff, greatest = 0;
  for (const std::uint16_t depth : depth_mm) {
    const auto shifted = static_cast<std::uint16_t>(depth - 1);
    least = std::min(least, shifted);
    greatest = std::max(greatest, shifted);
  }
  return is_known_depth(static_cast<std::uint16_t>((will_be_filled ? least : greatest) + 1));
}

Camera camera_of(const FrameImages& frame, const Preparation& preparation) {
  if (frame.camera) return *frame.camera;
  return preparation.camera ? *preparation.camera : assumed_camera(frame.cols, frame.rows);
}

FrameLayout layout_frame(std::size_t rows, std::size_t cols, const ChannelLayout& channels, bool depth_complete) {
  FrameLayout layout;
  FrameView& view = layout.view;
  std::ranges::fill(view.sum_plane, std::int16_t{-1});
  std::ranges::fill(view.pair_plane, std::int16_t{-1});
  std::int16_t num_sums = 0, num_pairs = 0;
  for (int c = 0; c < channels.num_channels(); ++c) {
    if (channels.follows_depth(c) && !depth_complete)
      view.pair_plane[c] = num_pairs++;
    else
      view.sum_plane[c] = num_sums++;
  }
  const std::size_t stride = cols + 1, plane_size = (rows + 1) * stride;
  check_plane_size(rows, cols, plane_size, static_cast<std::size_t>(num_sums + 2 * num_pairs));
  view.rows = static_cast<std::int32_t>(rows);
  view.cols = static_cast<std::int32_t>(cols);
  view.stride = static_cast<std::int32_t>(stride);
  view.plane_size = static_cast<std::int32_t>(plane_size);
  view.depth_channel = channels.depth_channel();
  layout.num_sums = plane_size * static_cast<std::size_t>(num_sums);
  layout.num_pairs = plane_size * static_cast<std::size_t>(num_pairs);
  return layout;
}

PlaneLayout layout_planes(std::size_t rows, std::size_t cols, const ChannelLayout& channels, bool depth_complete,
                          std::size_t stride_step) {
  PlaneLayout layout;
  PlanesView& view = layout.view;
  std::size_t num_planes = static_cast<std::size_t>(channels.num_channels());
  std::fill(std::begin(view.count_plane), std::end(view.count_plane), -1);
  for (int c = 0; c < channels.num_channels(); ++c)
    if (channels.follows_depth(c) && !depth_complete) view.count_plane[c] = channels.num_channels();
  num_planes += channels.needs_depth() && !depth_complete;
  const std::size_t stride = (cols + stride_step) / stride_step * stride_step, plane_size = (rows + 1) * stride;
  check_plane_size(rows, cols, plane_size, num_planes);
  view.rows = static_cast<std::int32_t>(rows);
  view.cols = static_cast<std::int32_t>(cols);
  view.stride = static_cast<std::int32_t>(stride);
  view.plane_size = static_cast<std::int32_t>(plane_size);
  view.depth_channel = channels.depth_channel();
  layout.num_sums = plane_size * num_planes;
  return layout;
}

void integrate(const ChannelImage& channel, std::uint32_t* sums) { integrate_channel(channel, sums); }
void integrate(const ChannelImage& channel, std::uint64_t* pairs) { integrate_channel(channel, pairs); }

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

void context_row(const ContextMap& map, const ContextPlace& down, std::int32_t cols, std::int16_t* values) {
  const std::uint8_t* above = map.values + down.first * map.cols;
  const std::uint8_t* below = map.values + down.second * map.cols;
  const auto between_rows = [&](std::int32_t cell) {
    return above[cell] * (8 - down.weight) + below[cell] * down.weight;
  };
  const auto from_the_start = [&](std::int32_t x) { return context_value(map, context_place(x, map.cols), down); };
  // Adjacent cell centres are four pixels apart; the first lies two pixels from the border.
  constexpr std::int32_t kBefore = kContextStep / 2;
  std::int32_t x = 0;
  for (; x < kBefore && x < cols; ++x) values[x] = from_the_start(x);
  std::int32_t left = between_rows(0);
  for (std::int32_t cell = 1; cell < map.cols && x + kContextStep <= cols; ++cell, x += kContextStep) {
    const std::int32_t right = between_rows(cell);
    for (std::int32_t i = 0; i < kContextStep; ++i)
      values[x + i] = static_cast<std::int16_t>(left * (7 - 2 * i) + right * (1 + 2 * i));
    left = right;
  }
  for (; x < cols; ++x) values[x] = from_the_start(x);
}

}  // namespace fernwood::image
