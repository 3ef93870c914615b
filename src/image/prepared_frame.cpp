// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/prepared_frame.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/image/frame.h"
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

FeatureMaps find_maps(const FrameImages& frame, const Preparation& preparation, ThreadPool* pool,
                      FeatureMaps of_backbone) {
  FeatureMaps maps = std::move(of_backbone);
  if (preparation.maps && maps.values.empty()) maps = preparation.maps->find_maps(frame, pool);
  if (!preparation.supplied_maps.empty())
    add_supplied_maps(frame, preparation.supplied_maps, preparation.num_backbone_maps(), maps);
  if (preparation.head) add_scores(*preparation.head, maps);
  return maps;
}

PreparedFrame::PreparedFrame(const FrameImages& frame, const Preparation& preparation, ThreadPool* pool,
                             FeatureMaps of_backbone) {
  const DefaultFloats floats;
  check_frame(frame, preparation);
  if (!frame.is_plain()) {
    *this = PreparedFrame(copy_of(frame, pool), preparation, pool, std::move(of_backbone));
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
  maps_ = find_maps(frame, preparation, pool, std::move(of_backbone));
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

namespace {

void check_pitch(const char* name, const void* pixels, std::size_t rows, std::size_t row_bytes,
                 std::size_t pitch_bytes) {
  FW_CHECK(pixels == nullptr || pitch_bytes <= PTRDIFF_MAX / rows, Data,
           name << ": " << rows << " rows that begin " << pitch_bytes
                << " bytes after one another are more than memory has; use the pitch in bytes, or 0");
  FW_CHECK(pixels == nullptr || pitch_bytes == 0 || pitch_bytes >= row_bytes, Data,
           name << ": a row of " << row_bytes << " bytes begins " << pitch_bytes
                << " bytes after the one before; use a pitch of at least that, or 0");
}

/// Copies an image whose pixels need not be aligned for their type.
template <typename Pixel>
Array2<Pixel> copy_image(const Pixel* pixels, std::size_t pitch_bytes, std::size_t rows, std::size_t cols) {
  Array2<Pixel> image(rows, cols);
  const auto* from = reinterpret_cast<const std::uint8_t*>(pixels);
  const std::size_t row_bytes = cols * sizeof(Pixel);
  for (std::size_t row = 0; row<rows; ++row, from += pitch_bytes> 0 ? pitch_bytes : row_bytes)
    std::memcpy(static_cast<void*>(image.row(row)), from, row_bytes);
  return image;
}

/// Cell indices have 32 bits, and the step from pixel to pixel is at most one cell.
void check_maps(const FrameImages& frame) {
  if (frame.maps == nullptr) return;
  FW_CHECK(frame.num_maps >= 1 && frame.num_maps <= kMaxMaps, Data,
           "the frame has " << frame.num_maps << " feature maps; 1 to " << kMaxMaps << " are possible");
  FW_CHECK(frame.map_rows >= 1 && frame.map_cols >= 1 && frame.map_rows <= frame.rows && frame.map_cols <= frame.cols,
           Data,
           "the feature maps are " << frame.map_cols << " x " << frame.map_rows << " cells and the frame is "
                                   << frame.cols << " x " << frame.rows
                                   << " pixels; maps are [map][row][col], as fine as the frame or coarser");
  FW_CHECK(frame.num_maps * frame.map_rows * frame.map_cols < std::size_t{1} << 31, Data,
           frame.num_maps << " feature maps of " << frame.map_cols << " x " << frame.map_rows
                          << " cells are more than 2^31 numbers; use fewer or coarser ones");
}

}  // namespace

FrameImages::FrameImages(const Frame& frame)
    : rows(frame.rows()),
      cols(frame.cols()),
      color(frame.color.empty() ? nullptr : frame.color.data()),
      depth_mm(frame.depth_mm.empty() ? nullptr : frame.depth_mm.data()),
      camera(frame.camera),
      up(frame.up),
      maps(frame.maps.empty() ? nullptr : frame.maps.values.data()),
      num_maps(frame.maps.num_maps),
      map_rows(frame.maps.rows),
      map_cols(frame.maps.cols) {
  FW_CHECK(color == nullptr || depth_mm == nullptr || (frame.depth_mm.rows() == rows && frame.depth_mm.cols() == cols),
           Data,
           "colour is " << cols << " x " << rows << " pixels and depth is " << frame.depth_mm.cols() << " x "
                        << frame.depth_mm.rows() << " pixels; register them to one size");
}

bool FrameImages::is_plain() const {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(depth_mm) % alignof(std::uint16_t) == 0 &&
                          reinterpret_cast<std::uintptr_t>(maps) % alignof(float) == 0;
  return aligner == nullptr && (color_pitch_bytes == 0 || color_pitch_bytes == cols * sizeof(Rgb)) &&
         (depth_pitch_bytes == 0 || depth_pitch_bytes == cols * sizeof(std::uint16_t)) && depth_m == nullptr &&
         is_aligned;
}

void check_frame_images(const FrameImages& frame) {
  FW_CHECK(frame.color != nullptr || frame.has_depth(), Data,
           "the frame has neither colour nor depth; pass at least one");
  FW_CHECK(frame.depth_mm == nullptr || frame.depth_m == nullptr, Data,
           "the frame has its depth in millimetres and in metres; use one of them");
  FW_CHECK(frame.rows >= 1 && frame.cols >= 1 && frame.rows <= kMaxFrameSide && frame.cols <= kMaxFrameSide, Data,
           "the frame is " << frame.cols << " x " << frame.rows << " pixels; 1 to " << kMaxFrameSide
                           << " rows and columns are possible, make it smaller");
  check_pitch("the colour", frame.color, frame.rows, frame.cols * sizeof(Rgb), frame.color_pitch_bytes);
  if (const DepthAligner* const aligner = frame.aligner.get())
    FW_CHECK(frame.has_depth() && aligner->color_cols() == frame.cols && aligner->color_rows() == frame.rows, Data,
             "the frame is " << frame.cols << " x " << frame.rows << " pixels "
                             << (frame.has_depth() ? "and" : "without depth, and") << " depth is aligned to "
                             << aligner->color_cols() << " x " << aligner->color_rows()
                             << "; pass depth, and an aligner for this size");
  check_pitch("the depth in mm", frame.depth_mm, frame.depth_rows(), frame.depth_cols() * sizeof(std::uint16_t),
              frame.depth_pitch_bytes);
  check_pitch("the depth in m", frame.depth_m, frame.depth_rows(), frame.depth_cols() * sizeof(float),
              frame.depth_pitch_bytes);
  check_maps(frame);
}

Array2<std::uint16_t> copy_of_depth(const FrameImages& frame) {
  check_frame_images(frame);
  const std::size_t rows = frame.depth_rows(), cols = frame.depth_cols();
  if (frame.depth_mm != nullptr) return copy_image(frame.depth_mm, frame.depth_pitch_bytes, rows, cols);
  if (frame.depth_m == nullptr) return {};
  const Array2<float> depth_m = copy_image(frame.depth_m, frame.depth_pitch_bytes, rows, cols);
  Array2<std::uint16_t> depth_mm(rows, cols);
  std::ranges::transform(depth_m, depth_mm.begin(), [](float depth) { return to_depth_mm(depth); });
  return depth_mm;
}

Frame copy_of(const FrameImages& frame, ThreadPool* pool) {
  check_frame_images(frame);
  Frame out{.color = {}, .depth_mm = copy_of_depth(frame), .camera = frame.camera, .up = frame.up, .maps = {}};
  if (frame.aligner) out.depth_mm = frame.aligner->align(out.depth_mm, pool);
  if (frame.maps != nullptr) {
    out.maps = {frame.num_maps, frame.map_rows, frame.map_cols,
                std::vector<float>(frame.num_maps * frame.map_rows * frame.map_cols)};
    std::memcpy(out.maps.values.data(), frame.maps, out.maps.values.size() * sizeof(float));
  }
  if (frame.color != nullptr) out.color = copy_image(frame.color, frame.color_pitch_bytes, frame.rows, frame.cols);
  return out;
}

}  // namespace fernwood::image
