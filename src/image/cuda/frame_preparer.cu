// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/cuda/frame_preparer.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "fernwood/core/error.h"

namespace fernwood::image {

namespace {

template <typename T>
const T* upload_image(const T* image, std::size_t size, cuda::PinnedBuffer<T>& pinned, cuda::GpuBuffer<T>& gpu,
                      const cuda::Stream& stream) {
  pinned.resize(size);
  gpu.resize(size);
  std::copy_n(image, size, pinned.data());
  cuda::copy_to_gpu(pinned.data(), size, gpu.data(), stream);
  return gpu.data();
}

/// The frame's parameters, without its images.
RawFrame raw_frame(const FrameImages& frame, const Preparation& preparation) {
  return {.rows = static_cast<std::int32_t>(frame.rows),
          .cols = static_cast<std::int32_t>(frame.cols),
          .camera = camera_of(frame, preparation),
          .up = frame.up,
          .map_rows = static_cast<std::int32_t>(frame.map_rows),
          .map_cols = static_cast<std::int32_t>(frame.map_cols)};
}

FrameImages without_depth(FrameImages frame) {
  frame.depth_mm = nullptr;
  frame.depth_m = nullptr;
  frame.depth_pitch_bytes = 0;
  frame.aligner = nullptr;
  return frame;
}

/// End of the values of a level whose values are interleaved by cell.
std::size_t values_before_end(const MapLevel& level) {
  return static_cast<std::size_t>(level.offset) + static_cast<std::size_t>(level.rows) *
                                                      static_cast<std::size_t>(level.cols) *
                                                      static_cast<std::size_t>(level.next_cell);
}

}  // namespace

RawFrame FrameUpload::upload(const FrameImages& frame, const Preparation& preparation, const cuda::Stream& stream) {
  check_frame(frame, preparation);
  const bool needs_depth = preparation.channels.needs_depth();
  const bool colorizes = needs_depth && preparation.depth_filling == DepthFilling::kColorized;
  const bool aligns = frame.aligner != nullptr && needs_depth && !colorizes && without_depth(frame).is_plain();
  if (!frame.is_plain() && !aligns) return upload(copy_of(frame), preparation, stream);
  const std::size_t pixels = frame.rows * frame.cols;
  RawFrame raw = raw_frame(frame, preparation);
  // Colour is transferred while the host inspects depth.
  if (preparation.needs_color()) raw.color = upload_image(frame.color, pixels, pinned_color_, color_, stream);
  if (!preparation.supplied_maps.empty())
    raw.maps = upload_image(frame.maps, frame.num_maps * frame.map_rows * frame.map_cols, pinned_maps_, maps_, stream);
  if (!needs_depth) return raw;
  if (aligns) {
    const Array2<std::uint16_t> depth_mm = copy_of_depth(frame);
    raw.depth_mm = aligner_.align(
        frame.aligner, upload_image(depth_mm.data(), depth_mm.size(), pinned_depth_, depth_mm_, stream), stream);
    return raw;
  }
  const Array2<std::uint16_t> filled =
      colorizes ? filled_depth(frame, preparation.depth_filling) : Array2<std::uint16_t>();
  const std::uint16_t* const depth_mm = colorizes ? filled.data() : frame.depth_mm;
  raw.depth_mm = upload_image(depth_mm, pixels, pinned_depth_, depth_mm_, stream);
  raw.depth_complete = is_depth_complete({depth_mm, pixels}, preparation.depth_filling == DepthFilling::kSimple);
  return raw;
}

RawFrame FrameInPlace::take(const FrameImages& frame, const Preparation& preparation, const cuda::Stream& stream) {
  check_frame(frame, preparation);
  FW_CHECK(!fills_depth(preparation) || preparation.depth_filling != DepthFilling::kColorized, Usage,
           "the model fills depth by colourisation, which the host does; give it frames in the host's memory");
  RawFrame raw = raw_frame(frame, preparation);
  if (frame.color != nullptr) raw.color = take_color(frame, stream);
  if (frame.has_depth()) raw.depth_mm = take_depth(frame, stream);
  raw.maps = frame.maps;
  return raw;
}

const Rgb* FrameInPlace::take_color(const FrameImages& frame, const cuda::Stream& stream) {
  const std::size_t row_bytes = frame.cols * sizeof(Rgb);
  if (frame.color_pitch_bytes == 0 || frame.color_pitch_bytes == row_bytes) return frame.color;
  color_.resize(frame.rows * frame.cols);
  cuda::copy_rows_on_gpu(frame.color, frame.color_pitch_bytes, color_.data(), row_bytes, frame.rows, frame.cols,
                         stream);
  return color_.data();
}

const std::uint16_t* FrameInPlace::take_depth(const FrameImages& frame, const cuda::Stream& stream) {
  const std::size_t rows = frame.depth_rows(), cols = frame.depth_cols(), pitch = frame.depth_pitch_bytes;
  const std::size_t row_bytes = cols * sizeof(std::uint16_t);
  const std::uint16_t* depth_mm = frame.depth_mm;
  if (depth_mm == nullptr || (pitch != 0 && pitch != row_bytes)) {
    depth_mm_.resize(rows * cols);
    if (depth_mm != nullptr)
      cuda::copy_rows_on_gpu(depth_mm, pitch, depth_mm_.data(), row_bytes, rows, cols, stream);
    else
      depth_from_metres({.depth_m = frame.depth_m,
                         .pitch_bytes = pitch > 0 ? pitch : cols * sizeof(float),
                         .depth_mm = depth_mm_.data(),
                         .rows = static_cast<std::int32_t>(rows),
                         .cols = static_cast<std::int32_t>(cols)},
                        stream);
    depth_mm = depth_mm_.data();
  }
  return frame.aligner ? aligner_.align(frame.aligner, depth_mm, stream) : depth_mm;
}

FramePreparer::FramePreparer(const Preparation& preparation, bool fill_depth, std::size_t stride_step)
    : channels_(preparation.channels),
      fills_(fill_depth && fills_depth(preparation) && preparation.depth_filling == DepthFilling::kSimple),
      stride_step_(stride_step),
      maps_(preparation.maps ? preparation.maps->on_gpu() : nullptr),
      num_backbone_maps_(preparation.num_backbone_maps()),
      head_(preparation.head) {
  lab_tables_.resize(1);
  const cuda::Stream stream;
  cuda::copy_to_gpu(&lab_tables(), 1, lab_tables_.data(), stream);
  std::vector<MapScale> scales;
  for (const MapRange& range : preparation.supplied_maps) scales.push_back(scale_of(range));
  map_scales_.resize(scales.size());
  if (!scales.empty()) cuda::copy_to_gpu(scales.data(), scales.size(), map_scales_.data(), stream);
  std::vector<std::int32_t> head;
  if (head_) {
    head = head_->weights;
    head.insert(head.end(), head_->bias.begin(), head_->bias.end());
    cuda::upload(head, head_weights_, stream);
  }
  stream.synchronize();
}

PlaneLayout FramePreparer::layout(std::int32_t rows, std::int32_t cols, bool depth_complete) const {
  return layout_planes(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), channels_,
                       depth_complete || !channels_.needs_depth(), stride_step_);
}

std::size_t FramePreparer::num_sums(std::int32_t rows, std::int32_t cols, bool depth_complete) const {
  return layout(rows, cols, depth_complete).num_sums;
}

std::vector<MapLevel> FramePreparer::map_levels(const RawFrame& frame) const {
  std::vector<MapLevel> levels = maps_ ? maps_->levels(frame.rows, frame.cols) : std::vector<MapLevel>();
  const auto add = [&](MapLevel level, std::size_t num_maps) {
    level.offset = levels.empty() ? 0 : static_cast<std::int32_t>(values_before_end(levels.back()));
    level.next_map = 1;  // the values of a cell lie side by side
    level.next_cell = static_cast<std::int32_t>(num_maps);
    levels.push_back(level);
  };
  if (map_scales_.size() > 0)
    add(supplied_level({frame.rows, frame.cols}, {frame.map_rows, frame.map_cols}, num_backbone_maps_, 0),
        map_scales_.size());
  if (head_)
    add(score_level(
            levels[static_cast<std::size_t>(finest_level(levels.data(), static_cast<std::int32_t>(levels.size())))],
            head_->num_maps, 0),
        head_->classes.size());
  return levels;
}

std::size_t FramePreparer::num_map_values(const RawFrame& frame) const {
  const std::vector<MapLevel> levels = map_levels(frame);
  return levels.empty() ? 0 : values_before_end(levels.back());
}

std::size_t FramePreparer::plane_size(std::int32_t rows, std::int32_t cols) const {
  return static_cast<std::size_t>(layout(rows, cols, true).view.plane_size);
}

DepthSource FramePreparer::fill(const RawFrame& frame, const cuda::Stream& stream) {
  filled_.resize(static_cast<std::size_t>(frame.rows) * static_cast<std::size_t>(frame.cols));
  row_known_.resize(static_cast<std::size_t>(frame.rows));
  fill_depth_rows({frame.depth_mm, filled_.data(), row_known_.data(), frame.rows, frame.cols}, stream);
  return {filled_.data(), row_known_.data()};
}

std::size_t FramePreparer::sets_beside_geometry() const {
  if (!channels_.needs_geometry()) return 0;
  const auto& sets = channels_.sets();
  const auto first = std::ranges::find_if(sets, [](const ChannelSet* set) { return set->needs_geometry; });
  return static_cast<std::size_t>(first - sets.begin());
}

void FramePreparer::make_sets(ChannelRowsArgs args, std::size_t first_set, std::size_t num_sets,
                              const cuda::Stream& stream) const {
  std::int32_t plane = 0, first_plane = 0;
  for (std::size_t s = 0; s < first_set + num_sets; ++s) {
    const ChannelSet& set = *channels_.sets()[s];
    if (s == first_set) first_plane = plane;
    const auto num_planes = static_cast<std::int32_t>(set.channels.size());
    if (s >= first_set) args.tasks[args.num_tasks++] = {index_of(set), plane, num_planes};
    plane += num_planes;
  }
  // Context planes are added later, by a stage that reads these planes; the plane of counts lies after them.
  const bool counts = first_set + num_sets == channels_.sets().size() && args.has_counts;
  if (counts) args.tasks[args.num_tasks++] = {kCountKnown, channels_.num_channels(), 1};
  channel_rows(args, stream);
  const auto plane_at = [&](std::int32_t p) {
    return args.planes + static_cast<std::size_t>(p) * static_cast<std::size_t>(args.layout.plane_size);
  };
  const bool at_once = counts && plane == channels_.num_channels();
  column_sums(args.layout, plane_at(first_plane), plane - first_plane + (at_once ? 1 : 0), stream);
  if (counts && !at_once) column_sums(args.layout, plane_at(channels_.num_channels()), 1, stream);
}

PlanesView FramePreparer::prepare(const RawFrame& frame, std::uint32_t* planes, std::int16_t* map_values,
                                  const cuda::Stream& stream) {
  const PlaneLayout layout = this->layout(frame.rows, frame.cols, frame.depth_complete);
  ChannelRowsArgs args = {.layout = layout.view,
                          .source = {.rows = frame.rows,
                                     .cols = frame.cols,
                                     .color = frame.color,
                                     .depth = {frame.depth_mm, nullptr},
                                     .geometry = {},
                                     .room = {},
                                     .lab_tables = lab_tables_.data()},
                          .planes = planes,
                          .has_counts = layout.num_planes() > channels_.num_channels(),
                          .tasks = {},
                          .num_tasks = 0};
  if (fills_) args.source.depth = fill(frame, stream);
  const std::size_t beside = sets_beside_geometry();
  if (channels_.needs_geometry()) {
    // All memory is allocated before two streams use it: a failure after that point cannot be recovered from.
    geometry_.make_room(frame.rows, frame.cols);
    if (channels_.needs_room()) room_.make_room(frame.rows, frame.cols);
  }
  if (beside > 0) {
    begun_.record(stream);
    begun_.wait_event(beside_);
    make_sets(args, 0, beside, beside_);
    joined_.record(beside_);
  }
  if (channels_.needs_geometry())
    args.source.geometry = geometry_.measure(args.source.depth, frame.rows, frame.cols, frame.camera, frame.up, stream);
  if (channels_.needs_room()) args.source.room = room_.measure(args.source.geometry, frame.rows, frame.cols, stream);
  make_sets(args, beside, channels_.sets().size() - beside, stream);
  if (beside > 0) joined_.wait_event(stream);
  PlanesView view = layout.view;
  view.planes = planes;
  view.maps = find_maps(frame, map_values, stream);
  return view;
}

MapsView FramePreparer::find_maps(const RawFrame& frame, std::int16_t* values, const cuda::Stream& stream) {
  const std::vector<MapLevel> levels = map_levels(frame);
  MapsView view = {.values = values, .num_levels = static_cast<std::int32_t>(levels.size())};
  std::ranges::copy(levels, view.levels);
  if (maps_) maps_->find(frame.color, frame.rows, frame.cols, values, stream);
  if (map_scales_.size() > 0)
    scale_maps({.maps = frame.maps,
                .scales = map_scales_.data(),
                .values = values + levels[levels.size() - (head_ ? 2 : 1)].offset,
                .num_maps = static_cast<std::int32_t>(map_scales_.size()),
                .num_cells = frame.map_rows * frame.map_cols},
               stream);
  if (!head_) return view;
  MapsView read = view;
  --read.num_levels;
  find_scores(read, values + levels.back().offset, stream);
  return view;
}

void FramePreparer::find_scores(const MapsView& maps, std::int16_t* scores, const cuda::Stream& stream) {
  std::size_t num_cells = 0;
  for (std::int32_t l = 0; l < maps.num_levels; ++l)
    num_cells += static_cast<std::size_t>(maps.levels[l].rows) * static_cast<std::size_t>(maps.levels[l].cols);
  partial_.resize(num_cells * head_->classes.size());
  add_scores({.maps = maps,
              .weights = head_weights_.data(),
              .bias = head_weights_.data() + head_->weights.size(),
              .num_maps = head_->num_maps,
              .num_scores = head_->num_scores(),
              .shift = head_->shift,
              .finest = finest_level(maps.levels, maps.num_levels),
              .partial = partial_.data(),
              .scores = scores},
             num_cells, stream);
}

std::vector<HostPlanes> prepare_on_gpu(int gpu, std::span<const Frame> frames, const Preparation& preparation,
                                       bool looks_for_unknown) {
  cuda::use_gpu(gpu);
  const cuda::Stream stream;
  FrameUpload uploads;
  FramePreparer preparer(preparation, true);
  cuda::GpuBuffer<std::uint32_t> planes;
  cuda::GpuBuffer<std::int16_t> map_values;
  std::vector<HostPlanes> results;
  for (const Frame& frame : frames) {
    RawFrame raw = uploads.upload(frame, preparation, stream);
    raw.depth_complete &= looks_for_unknown;
    planes.resize(preparer.num_sums(raw.rows, raw.cols, raw.depth_complete));
    map_values.resize(preparer.num_map_values(raw));
    HostPlanes result{preparer.prepare(raw, planes.data(), map_values.data(), stream),
                      std::vector<std::uint32_t>(planes.size()), std::vector<std::int16_t>(map_values.size())};
    result.layout.planes = nullptr;
    result.layout.maps.values = nullptr;
    cuda::copy_to_host(planes.data(), planes.size(), result.planes.data(), stream);
    cuda::copy_to_host(map_values.data(), map_values.size(), result.map_values.data(), stream);
    stream.synchronize();
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace fernwood::image
