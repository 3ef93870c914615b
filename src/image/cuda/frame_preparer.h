// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/runtime.h"
#include "fernwood/image/align_depth.h"
#include "fernwood/image/feature_maps.h"
#include "fernwood/image/prepared_frame.h"
#include "image/cuda/prepare_kernels.h"
#include "image/prepare_steps.h"

namespace fernwood::image {

/// Computes the feature maps of frames on the GPU in use, one at a time, for one stream: the same numbers as
/// MapSource::find_maps(), with the values of a cell side by side.
class GpuMapFinder {
 public:
  virtual ~GpuMapFinder() = default;
  /// Levels of the maps of a frame, whose values follow each other.
  virtual std::vector<MapLevel> levels(std::int32_t rows, std::int32_t cols) const = 0;
  /// Enqueues the work. @param color  [rows][cols] in GPU memory. @param values  Of all levels, in GPU memory; output.
  virtual void find(const Rgb* color, std::int32_t rows, std::int32_t cols, std::int16_t* values,
                    const cuda::Stream& stream) = 0;
};

/// DepthAligner::align() on the GPU in use, with bit-identical results, one frame at a time, for one stream; owns
/// tables and the z-buffer.
class GpuDepthAligner {
 public:
  /// Enqueues the work. @param depth_mm  [depth_rows][depth_cols] in GPU memory.
  /// @return  [color_rows][color_cols] in GPU memory, valid until the next call.
  const std::uint16_t* align(const std::shared_ptr<const DepthAligner>& aligner, const std::uint16_t* depth_mm,
                             const cuda::Stream& stream);

 private:
  std::shared_ptr<const DepthAligner> aligner_;  // whose rays are on the GPU
  cuda::GpuBuffer<float> rays_;
  cuda::GpuBuffer<std::uint32_t> nearest_;  // [color_rows][color_cols]
  cuda::GpuBuffer<std::uint16_t> aligned_;  // the same, in the 16 bits of a frame
};

/// Raw pixels of a frame in GPU memory.
struct RawFrame {
  const Rgb* color = nullptr;               ///< [rows][cols], or null.
  const std::uint16_t* depth_mm = nullptr;  ///< [rows][cols], or null.
  std::int32_t rows = 0, cols = 0;
  Camera camera = {};           ///< As returned by camera_of().
  Vector3 up = kImageUp;        ///< As in Frame.
  const float* maps = nullptr;  ///< [map][map_rows][map_cols] Maps supplied with the frame, or null.
  std::int32_t map_rows = 0, map_cols = 0;
  bool depth_complete = false;  ///< The caller knows that no depth is unknown after filling: no counts needed.
};

/// Transfers frames to the GPU in use, one at a time, through page-locked memory, so that copies overlap with the work
/// of other streams.
class FrameUpload {
 public:
  /// Enqueues the copies of the images that the channels of `preparation` read; first fills depth by colourisation if
  /// requested. The frame may be freed afterwards; the next frame must not be uploaded before the stream has finished
  /// with this one.
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

/// Accepts frames whose images lie in the memory of the GPU in use, one at a time, without copying. Only images with
/// padded rows, depth in metres and depth to be aligned are copied within that memory. It does not check whether any
/// depth is unknown, since the host would have to wait for the result.
class FrameInPlace {
 public:
  /// Enqueues the copies. The result is valid as long as the frame's own memory is, and until the next call.
  /// @throws Error as check_frame() does, Error(kUsage) when depth is to be filled by colourisation, which only the
  ///         host does.
  RawFrame take(const FrameImages& frame, const Preparation& preparation, const cuda::Stream& stream);

 private:
  const Rgb* take_color(const FrameImages& frame, const cuda::Stream& stream);
  const std::uint16_t* take_depth(const FrameImages& frame, const cuda::Stream& stream);

  cuda::GpuBuffer<Rgb> color_;
  cuda::GpuBuffer<std::uint16_t> depth_mm_;
  GpuDepthAligner aligner_;
};

/// Prepares frames on the GPU in use, bit-identical to PreparedFrame, for one stream; owns scratch memory and tables.
/// Filling by colourisation is done on the CPU, before uploading.
class FramePreparer {
 public:
  /// @param fill_depth  Whether to do the simple filling that `preparation` requests; false: depth is filled already.
  /// @param stride_step  Rows of the planes start at multiples of this many numbers; padding is 0.
  FramePreparer(const Preparation& preparation, bool fill_depth, std::size_t stride_step = 1);

  /// Size of the planes of a frame, in numbers. @throws Error(kData) when it exceeds 2^31.
  std::size_t num_sums(std::int32_t rows, std::int32_t cols, bool depth_complete) const;

  std::size_t plane_size(std::int32_t rows, std::int32_t cols) const;

  /// Number of values in the feature maps of a frame.
  std::size_t num_map_values(const RawFrame& frame) const;

  /// Enqueues the work.
  /// @param planes  [num_sums()] in GPU memory, output, as is @param map_values  [num_map_values()]
  /// @return        The view of both, for kernels.
  PlanesView prepare(const RawFrame& frame, std::uint32_t* planes, std::int16_t* map_values,
                     const cuda::Stream& stream);

 private:
  PlaneLayout layout(std::int32_t rows, std::int32_t cols, bool depth_complete) const;
  DepthSource fill(const RawFrame& frame, const cuda::Stream& stream);
  /// Levels of all maps of a frame: of a backbone, those supplied with the frame, and a head's scores; their values
  /// follow in this order.
  std::vector<MapLevel> map_levels(const RawFrame& frame) const;
  /// Enqueues all maps of a frame. @return  Their view.
  MapsView find_maps(const RawFrame& frame, std::int16_t* values, const cuda::Stream& stream);
  void find_scores(const MapsView& maps, std::int16_t* scores, const cuda::Stream& stream);
  /// Number of leading channel sets that can be computed concurrently with the surfaces: 0 if no channel needs
  /// surfaces.
  std::size_t sets_beside_geometry() const;
  /// Enqueues the integral images of some consecutive channel sets. @param args  Without tasks.
  void make_sets(ChannelRowsArgs args, std::size_t first_set, std::size_t num_sets, const cuda::Stream& stream) const;

  ChannelLayout channels_;
  bool fills_;
  std::size_t stride_step_;
  std::shared_ptr<GpuMapFinder> maps_;  ///< Null without a backbone.
  std::int32_t num_backbone_maps_;
  cuda::GpuBuffer<MapScale> map_scales_;        ///< [supplied map]
  std::shared_ptr<const LinearHead> head_;      ///< Null without a head.
  cuda::GpuBuffer<std::int32_t> head_weights_;  ///< [score][map], followed by the bias, [score].
  cuda::GpuBuffer<std::int32_t> partial_;       ///< [level][cell][score]
  cuda::GpuBuffer<LabTables> lab_tables_;
  cuda::GpuBuffer<std::uint16_t> filled_;    ///< [rows][cols]
  cuda::GpuBuffer<std::uint8_t> row_known_;  ///< [rows]
  GeometryMeasure geometry_;
  RoomMeasure room_;
  // Finding surfaces takes many small steps in sequence, which leave most of a GPU to the channels that do not need
  // surfaces.
  cuda::Stream beside_;
  cuda::Event begun_, joined_;
};

/// Inputs and outputs of context_planes().
struct ContextPlanesArgs {
  PlanesView layout;         ///< `planes` is unused.
  const std::uint8_t* maps;  ///< [class][context_cells(rows)][context_cells(cols)]
  std::uint32_t* planes;     ///< [class][plane_size], output: the first of the context planes.
  std::int32_t num_classes;
};

/// Integral images of the context channels, as PreparedFrame::set_context() makes them.
void context_planes(const ContextPlanesArgs& args, const cuda::Stream& stream);

}  // namespace fernwood::image
