// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The kernels that prepare a frame, in their order.

#include <cstddef>
#include <cstdint>

#include "core/cuda/buffer.h"
#include "core/cuda/runtime.h"
#include "fernwood/image/prepared_frame.h"
#include "image/channel_table.h"
#include "image/planes_view.h"

namespace fernwood::image {

/// Depth in metres, in GPU memory.
struct DepthInMetres {
  const float* depth_m;
  std::size_t pitch_bytes;  ///< From row to row.
  std::uint16_t* depth_mm;  ///< [rows][cols], written.
  std::int32_t rows, cols;
};

/// Depth as to_depth_mm() has it.
void depth_from_metres(const DepthInMetres& args, const cuda::Stream& stream);

/// Depth to fill, [rows][cols] in GPU memory.
struct FillDepthArgs {
  const std::uint16_t* depth_mm;
  std::uint16_t* filled_mm;  ///< Written.
  std::uint8_t* row_known;   ///< [rows], written: whether the row has any known depth, and now no other.
  std::int32_t rows, cols;
};

/// The first two of the four passes of fill_depth_simple(), those along the rows; rows without any known depth are left
/// to who reads them (see DepthSource). Depth beyond kMaxDepthMm is unknown.
void fill_depth_rows(const FillDepthArgs& args, const cuda::Stream& stream);

/// Measures the surfaces of frames as measure_geometry() does, bit for bit; owns the memory of one frame's.
class GeometryMeasure {
 public:
  /// Room for a frame, to be made before measure(), while no work on another is under way.
  void make_room(std::int32_t rows, std::int32_t cols);
  /// Enqueues the work. @param camera  Of frames of any size. @param up  About where up is.
  /// @return  Valid until the next call.
  GeometryView measure(const DepthSource& depth, std::int32_t rows, std::int32_t cols, const Camera& camera,
                       const Vector3& up, const cuda::Stream& stream);

 private:
  cuda::GpuBuffer<float> inverse_;                  ///< [cell rows][cell cols] 0: unknown.
  cuda::GpuBuffer<CellNormal> normals_;             ///< [cell rows][cell cols]
  cuda::GpuBuffer<std::int16_t> upright_, facing_;  ///< [cell rows][cell cols] See GeometryView.
  cuda::GpuBuffer<std::byte> tally_;                ///< What all cells say together.
  cuda::GpuBuffer<Orientation> orientation_;
};

/// Measures where surfaces lie in their room as measure_scene_layout() does, bit for bit; owns the memory of one
/// frame's.
class RoomMeasure {
 public:
  /// Room for a frame, to be made before measure(), while no work on another is under way.
  void make_room(std::int32_t rows, std::int32_t cols);
  /// Enqueues the work. @param geometry  Of a frame of `rows` x `cols` pixels.
  /// @return  Valid until the next call.
  RoomView measure(const GeometryView& geometry, std::int32_t rows, std::int32_t cols, const cuda::Stream& stream);

 private:
  cuda::GpuBuffer<CellReach> reaches_;            ///< [cell rows][cell cols] Of no meaning where depth is unknown.
  cuda::GpuBuffer<std::int32_t> farthest_;        ///< [4 * kMostBinsOfQuarter] Distance in mm.
  cuda::GpuBuffer<std::int16_t> behind_, above_;  ///< [cell rows][cell cols] See RoomView.
};

/// A channel set of a frame: its planes are `first_plane` and those behind it.
struct ChannelTask {
  std::int32_t set;  ///< Place in ChannelTable, or kCountKnown.
  std::int32_t first_plane, num_planes;
};

/// Stands for a set of one channel: 1 where depth is known, 0 elsewhere.
inline constexpr std::int32_t kCountKnown = ChannelTable::kNumSets;
inline constexpr std::int32_t kMostChannelTasks = ChannelTable::kNumSets + 1;

/// What channel_rows() reads and writes.
struct ChannelRowsArgs {
  PlanesView layout;  ///< `planes` is not used.
  ChannelSource source;
  std::uint32_t* planes;
  bool has_counts;  ///< Whether the last plane is kCountKnown's.
  ChannelTask tasks[kMostChannelTasks];
  std::int32_t num_tasks;
};

/// Computes the channels and sums each row of each plane up from its left end; the row above the first and the column
/// left of the first are 0.
void channel_rows(const ChannelRowsArgs& args, const cuda::Stream& stream);

/// Sums each column of `num_planes` planes up from its top, in place, modulo 2^32.
void column_sums(const PlanesView& layout, std::uint32_t* planes, std::int32_t num_planes, const cuda::Stream& stream);

/// Maps that come with a frame, as cells.
struct ScaleMapsArgs {
  const float* maps;       ///< [map][cell]
  const MapScale* scales;  ///< [map]
  std::int16_t* values;    ///< [cell][map], written.
  std::int32_t num_maps, num_cells;
};
void scale_maps(const ScaleMapsArgs& args, const cuda::Stream& stream);

/// Scores of a linear head.
struct ScoresArgs {
  MapsView maps;                ///< That it reads, the values of a cell side by side.
  const std::int32_t* weights;  ///< [score][map]
  const std::int32_t* bias;     ///< [score]
  std::int32_t num_maps, num_scores, shift;
  std::int32_t finest;    ///< See finest_level().
  std::int32_t* partial;  ///< [level][cell][score] Room for what levels add.
  std::int16_t* scores;   ///< [cell of the finest level][score], written.
};
/// @param num_cells  Of all levels that are read.
void add_scores(const ScoresArgs& args, std::size_t num_cells, const cuda::Stream& stream);

}  // namespace fernwood::image
