// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/prepared_frame.h"

#include <algorithm>
#include <span>
#include <vector>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "image/channel_table.h"
#include "image/geometry.h"
#include "image/prepare_steps.h"
#include "image/scene_layout.h"

namespace fernwood::image {

namespace {

/// Computes all channels except those of an earlier stage.
/// @param frame  Plain. @param depth_mm  [rows][cols], filled, or null.
std::vector<ChannelImage> compute_channels(const FrameImages& frame, const std::uint16_t* depth_mm,
                                           const Preparation& preparation, ThreadPool* pool) {
  const ChannelLayout& channels = preparation.channels;
  std::vector<ChannelImage> images(static_cast<std::size_t>(channels.context_channel()));
  Geometry geometry;
  if (channels.needs_geometry())
    geometry = measure_geometry({depth_mm, frame.rows, frame.cols}, camera_of(frame, preparation), frame.up, pool);
  SceneLayout room;
  if (channels.needs_room()) room = measure_scene_layout(geometry);
  std::vector<std::span<ChannelImage>> planes;  // [set]
  std::size_t first = 0;
  for (const ChannelSet* set : channels.sets()) {
    planes.push_back(std::span(images).subspan(first, set->channels.size()));
    first += set->channels.size();
  }
  const ChannelSource source = {.rows = static_cast<std::int32_t>(frame.rows),
                                .cols = static_cast<std::int32_t>(frame.cols),
                                .color = frame.color,
                                .depth = {depth_mm},
                                .geometry = geometry.view(),
                                .room = room.view(),
                                .lab_tables = &lab_tables()};
  for_each(pool, planes.size(), [&](std::size_t s) {
    for (ChannelImage& image : planes[s]) image = ChannelImage(frame.rows, frame.cols);
    compute_channels(*channels.sets()[s], source, planes[s]);
  });
  return images;
}

ChannelImage context_image(const ContextMap& map, std::int32_t rows, std::int32_t cols) {
  ChannelImage image(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
  for (std::int32_t y = 0; y < rows; ++y)
    context_row(map, context_place(y, map.rows), cols, image.row(static_cast<std::size_t>(y)));
  return image;
}

}  // namespace

std::string Preparation::map_name(int map) const {
  if (map < num_backbone_maps()) return maps->map_name(map);
  const int behind = map - num_backbone_maps();
  if (behind < num_supplied_maps()) return "supplied map " + std::to_string(behind);
  return "score of " + head->classes[static_cast<std::size_t>(behind - num_supplied_maps())];
}

FeatureMaps find_maps(const FrameImages& frame, const Preparation& preparation, ThreadPool* pool) {
  FeatureMaps maps;
  if (preparation.maps) maps = preparation.maps->find_maps(frame, pool);
  if (!preparation.supplied_maps.empty())
    add_supplied_maps(frame, preparation.supplied_maps, preparation.num_backbone_maps(), maps);
  if (preparation.head) add_scores(*preparation.head, maps);
  return maps;
}

PreparedFrame::PreparedFrame(const FrameImages& frame, const Preparation& preparation, ThreadPool* pool) {
  const DefaultFloats floats;
  check_frame(frame, preparation);
  if (!frame.is_plain()) {
    *this = PreparedFrame(copy_of(frame, pool), preparation, pool);
    return;
  }
  const bool fills = fills_depth(preparation);
  const Array2<std::uint16_t> filled = fills ? filled_depth(frame, preparation.depth_filling) : Array2<std::uint16_t>();
  const std::vector<ChannelImage> images =
      compute_channels(frame, fills ? filled.data() : frame.depth_mm, preparation, pool);

  const bool depth_complete =
      !preparation.channels.needs_depth() || is_depth_complete({frame.depth_mm, frame.rows * frame.cols}, fills);
  const FrameLayout layout = layout_frame(frame.rows, frame.cols, preparation.channels, depth_complete);
  layout_ = layout.view;
  num_context_ = preparation.channels.num_context();
  num_channels_ = preparation.channels.num_channels();
  num_sums_ = layout.num_sums;
  num_pairs_ = layout.num_pairs;
  sums_.reset(new std::uint32_t[num_sums_]);
  pairs_.reset(new std::uint64_t[num_pairs_]);
  for_each(pool, static_cast<std::size_t>(num_channels_), [&](std::size_t c) {
    if (c >= images.size())
      std::fill_n(sum_plane(c), layout_.plane_size, 0u);
    else if (layout_.pair_plane[c] >= 0)
      integrate(images[c], pair_plane(c));
    else
      integrate(images[c], sum_plane(c));
  });
  maps_ = find_maps(frame, preparation, pool);
}

std::uint32_t* PreparedFrame::sum_plane(std::size_t channel) const {
  return sums_.get() + static_cast<std::ptrdiff_t>(layout_.sum_plane[channel]) * layout_.plane_size;
}

std::uint64_t* PreparedFrame::pair_plane(std::size_t channel) const {
  return pairs_.get() + static_cast<std::ptrdiff_t>(layout_.pair_plane[channel]) * layout_.plane_size;
}

PreparedFrame PreparedFrame::with_scores(const LinearHead& head) const {
  PreparedFrame scored = *this;
  add_scores(head, scored.maps_);
  return scored;
}

void PreparedFrame::set_context(const ContextMaps& maps, ThreadPool* pool) {
  const DefaultFloats floats;
  const std::int32_t rows = context_cells(layout_.rows), cols = context_cells(layout_.cols);
  const std::size_t size = maps.rows * maps.cols;
  FW_CHECK(maps.rows == static_cast<std::size_t>(rows) && maps.cols == static_cast<std::size_t>(cols) &&
               maps.values.size() == size * static_cast<std::size_t>(num_context_),
           Usage,
           "context of " << maps.cols << " x " << maps.rows << " cells and " << maps.values.size()
                         << " values is given; the frame needs " << cols << " x " << rows << " cells of "
                         << num_context_ << " classes");
  for_each(pool, static_cast<std::size_t>(num_context_), [&](std::size_t c) {
    integrate(context_image({maps.values.data() + c * size, rows, cols}, layout_.rows, layout_.cols),
              sum_plane(static_cast<std::size_t>(num_channels_ - num_context_) + c));
  });
}

FrameView PreparedFrame::view() const {
  FrameView view = layout_;
  view.sums = sums_.get();
  view.pairs = pairs_.get();
  view.maps = maps_.view();
  return view;
}

}  // namespace fernwood::image
