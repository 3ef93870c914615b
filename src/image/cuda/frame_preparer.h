// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "core/cuda/buffer.h"
#include "fernwood/image/prepared_frame.h"
#include "image/cuda/align_depth.h"
#include "image/cuda/gpu_map_finder.h"
#include "image/cuda/prepare_kernels.h"
#include "image/prepare_steps.h"

namespace fernwood::image {

/// Raw pixels of a frame in GPU memory.
struct RawFrame {
  const Rgb* color = nullptr;               ///< [rows][cols], or null.
  const std::uint16_t* depth_mm = nullptr;  ///< [rows][cols], or null.
  std::int32_t rows = 0, cols = 0;
  Camera camera = {};           ///< See camera_of().
  Vector3 up = kImageUp;        ///< As in Frame.
  const float* maps = nullptr;  ///< [map][map_rows][map_cols] Those that come with the frame, or null.
  std::int32_t map_rows = 0, map_cols = 0;
  bool depth_complete = false;  ///< The caller knows that no depth is unknown, after filling: no plane counts depth.
};

/// Brings frames to the GPU in use, one at a time, through page-locked memory: copies run beside other streams' work.
class FrameUpload {
 public:
  /// Enqueues the copies of what the channels of `preparation` read; fills depth by colourisation, if asked for,
  /// before. The frame may go afterwards; the next one must not come before the stream has passed this one.
  /// @throws Error as check_frame() does.
  RawFrame upload(const FrameImages& frame, const Preparation& preparation, const cuda::Stream& stream);

 private:
  cuda::PinnedBuffer<Rgb> pinned_color_;
  cuda::PinnedBuffer<std::uint16_t> pinned_depth_;
  cuda::PinnedBuffer<float> pinned_maps_;
  cuda::GpuBuffer<Rgb> color_;
  cuda::GpuBuffer<std::uint16_t> depth_mm_;
  GpuDepthAligner aligner_;
  cuda::GpuBuffer<float> maps_;
};

/// Takes frames whose images lie in the memory of the GPU in use, one at a time, where they are; only rows that do not
/// follow each other, depth in metres and depth to be aligned are copied within that memory. Whether depth is unknown
/// anywhere is not looked at: the host would have to wait for the answer.
class FrameInPlace {
 public:
  /// Enqueues the copies. All that the frame has is there afterwards, for as long as the frame's own memory, and until
  /// the next one.
  /// @throws Error as check_frame() does, Error(kUsage) when depth is to be filled by colourisation, which the host
  ///         does.
  RawFrame take(const FrameImages& frame, const Preparation& preparation, const cuda::Stream& stream);

 private:
  const Rgb* take_color(const FrameImages& frame, const cuda::Stream& stream);
  const std::uint16_t* take_depth(const FrameImages& frame, const cuda::Stream& stream);

  cuda::GpuBuffer<Rgb> color_;
  cuda::GpuBuffer<std::uint16_t> depth_mm_;
  GpuDepthAligner aligner_;
};

/// Prepares frames on the GPU in use, bit for bit like PreparedFrame, for one stream: owns scratch memory and tables.
/// Filling by colourisation is for the CPU: fill before uploading.
class FramePreparer {
 public:
  /// @param fill_depth  Whether to do the simple filling that `preparation` names; false: depth is filled already.
  /// @param stride_step  Rows of the planes begin at multiples of so many numbers; those behind a row's last are 0.
  FramePreparer(const Preparation& preparation, bool fill_depth, std::size_t stride_step = 1);

  /// Numbers that the planes of a frame take. @throws Error(kData) when there are more than 2^31.
  std::size_t num_sums(std::int32_t rows, std::int32_t cols, bool depth_complete) const;

  std::size_t plane_size(std::int32_t rows, std::int32_t cols) const;

  /// Values of the feature maps of a frame.
  std::size_t num_map_values(const RawFrame& frame) const;

  /// Enqueues the work.
  /// @param planes  [num_sums()] in GPU memory, written, as are @param map_values  [num_map_values()]
  /// @return        The view of both, for kernels.
  PlanesView prepare(const RawFrame& frame, std::uint32_t* planes, std::int16_t* map_values,
                     const cuda::Stream& stream);

 private:
  PlaneLayout layout(std::int32_t rows, std::int32_t cols, bool depth_complete) const;
  DepthSource fill(const RawFrame& frame, const cuda::Stream& stream);
  /// Of all maps of a frame: a backbone's, those that come with it, and a head's scores; their values in this order.
  std::vector<MapLevel> map_levels(const RawFrame& frame) const;
  /// Enqueues all maps of a frame. @return  Their view.
  MapsView find_maps(const RawFrame& frame, std::int16_t* values, const cuda::Stream& stream);
  void find_scores(const MapsView& maps, std::int16_t* scores, const cuda::Stream& stream);
  /// How many channel sets at the beginning can be made beside the search for surfaces: none where nobody needs those.
  std::size_t sets_beside_geometry() const;
  /// Enqueues integral images of some channel sets in their order. @param args  Without tasks.
  void make_sets(ChannelRowsArgs args, std::size_t first_set, std::size_t num_sets, const cuda::Stream& stream) const;

  ChannelLayout channels_;
  bool fills_;
  std::size_t stride_step_;
  std::shared_ptr<GpuMapFinder> maps_;  ///< Null: there are none.
  std::int32_t num_backbone_maps_;
  cuda::GpuBuffer<MapScale> map_scales_;        ///< [supplied map]
  std::shared_ptr<const LinearHead> head_;      ///< Null: there is none.
  cuda::GpuBuffer<std::int32_t> head_weights_;  ///< [score][map], and behind them [score] their bias.
  cuda::GpuBuffer<std::int32_t> partial_;       ///< [level][cell][score]
  cuda::GpuBuffer<LabTables> lab_tables_;
  cuda::GpuBuffer<std::uint16_t> filled_;    ///< [rows][cols]
  cuda::GpuBuffer<std::uint8_t> row_known_;  ///< [rows]
  GeometryMeasure geometry_;
  RoomMeasure room_;
  // Surfaces are many small steps one after another, which leave most of a GPU to the channels that need none.
  cuda::Stream beside_;
  cuda::Event begun_, joined_;
};

/// What a frame's context planes are made from.
struct ContextPlanesArgs {
  PlanesView layout;         ///< `planes` is not used.
  const std::uint8_t* maps;  ///< [class][context_cells(rows)][context_cells(cols)]
  std::uint32_t* planes;     ///< [class][plane_size], written: the first of the context planes.
  std::int32_t num_classes;
};

/// Integral images of the context channels, as PreparedFrame::set_context() makes them.
void context_planes(const ContextPlanesArgs& args, const cuda::Stream& stream);

}  // namespace fernwood::image
