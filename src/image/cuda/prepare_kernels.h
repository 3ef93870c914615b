// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Kernels that prepare a frame, in their order of execution.

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
  std::size_t pitch_bytes;  ///< Between rows.
  std::uint16_t* depth_mm;  ///< [rows][cols], output.
  std::int32_t rows, cols;
};

/// Converts depth as to_depth_mm() does.
void depth_from_metres(const DepthInMetres& args, const cuda::Stream& stream);

/// Depth to fill, [rows][cols] in GPU memory.
struct FillDepthArgs {
  const std::uint16_t* depth_mm;
  std::uint16_t* filled_mm;  ///< Output.
  std::uint8_t* row_known;   ///< [rows], output: whether the row has any known depth; then all of it is known.
  std::int32_t rows, cols;
};

/// The first two of the four passes of fill_depth_simple(), those along the rows; rows without any known depth are left
/// to their readers (see DepthSource). Depth beyond kMaxDepthMm is unknown.
void fill_depth_rows(const FillDepthArgs& args, const cuda::Stream& stream);

/// Measures the surfaces of frames as measure_geometry() does, with bit-identical results; owns the memory for one
/// frame.
class GeometryMeasure {
 public:
  /// @param radius  See find_surfaces().
  explicit GeometryMeasure(int radius = kPlaneRadius) : radius_(radius) {}
  /// Allocates memory for a frame; to be called before measure(), while no work on another frame is pending.
  void make_room(std::int32_t rows, std::int32_t cols);
  /// Enqueues the work. @param camera  For frames of any size. @param up  Approximate up direction.
  /// @return  Valid until the next call.
  GeometryView measure(const DepthSource& depth, std::int32_t rows, std::int32_t cols, const Camera& camera,
                       const Vector3& up, const cuda::Stream& stream);

 private:
  int radius_;
  cuda::GpuBuffer<float> inverse_;                  ///< [cell rows][cell cols] 0: unknown.
  cuda::GpuBuffer<CellNormal> normals_;             ///< [cell rows][cell cols]
  cuda::GpuBuffer<std::int16_t> upright_, facing_;  ///< [cell rows][cell cols] As in GeometryView.
  cuda::GpuBuffer<std::byte> tally_;                ///< Sums over all cells.
  cuda::GpuBuffer<Orientation> orientation_;
};

/// Measures the position of surfaces in the room as measure_scene_layout() does, with bit-identical results; owns the
/// memory for one frame.
class RoomMeasure {
 public:
  /// Allocates memory for a frame; to be called before measure(), while no work on another frame is pending.
  void make_room(std::int32_t rows, std::int32_t cols);
  /// Enqueues the work. @param geometry  Of a frame of `rows` x `cols` pixels.
  /// @return  Valid until the next call.
  RoomView measure(const GeometryView& geometry, std::int32_t rows, std::int32_t cols, const cuda::Stream& stream);

 private:
  cuda::GpuBuffer<CellReach> reaches_;            ///< [cell rows][cell cols] Undefined where depth is unknown.
  cuda::GpuBuffer<std::int32_t> farthest_;        ///< [4 * kMaxBinsOfQuarter] Distance in mm.
  cuda::GpuBuffer<std::int16_t> behind_, above_;  ///< [cell rows][cell cols] As in RoomView.
};

/// A channel set of a frame: its planes begin at `first_plane`.
struct ChannelTask {
  std::int32_t set;  ///< Index in ChannelTable, or kCountKnown.
  std::int32_t first_plane, num_planes;
};

/// Stands for a set of one channel: 1 where depth is known, 0 elsewhere.
inline constexpr std::int32_t kCountKnown = ChannelTable::kNumSets;
inline constexpr std::int32_t kMaxChannelTasks = ChannelTable::kNumSets + 1;

/// Inputs and outputs of channel_rows().
struct ChannelRowsArgs {
  PlanesView layout;  ///< `planes` is unused.
  ChannelSource source;
  std::uint32_t* planes;
  bool has_counts;  ///< Whether the last plane is that of kCountKnown.
  ChannelTask tasks[kMaxChannelTasks];
  std::int32_t num_tasks;
};

/// Computes the channels and the prefix sums of each row of each plane, from the left; the row above the first and the
/// column left of the first are 0.
void channel_rows(const ChannelRowsArgs& args, const cuda::Stream& stream);

/// Computes the prefix sums of each column of `num_planes` planes, from the top, in place, modulo 2^32.
void column_sums(const PlanesView& layout, std::uint32_t* planes, std::int32_t num_planes, const cuda::Stream& stream);

/// Inputs and outputs of the conversion of maps supplied with a frame.
struct ScaleMapsArgs {
  const float* maps;       ///< [map][cell]
  const MapScale* scales;  ///< [map]
  std::int16_t* values;    ///< [cell][map], output.
  std::int32_t num_maps, num_cells;
};
void scale_maps(const ScaleMapsArgs& args, const cuda::Stream& stream);

/// Inputs and outputs of add_scores().
struct ScoresArgs {
  MapsView maps;                ///< Input maps, with the values of a cell side by side.
  const std::int32_t* weights;  ///< [score][map]
  const std::int32_t* bias;     ///< [score]
  std::int32_t num_maps, num_scores, shift;
  std::int32_t finest;    ///< As returned by finest_level().
  std::int32_t* partial;  ///< [level][cell][score] Scratch memory for the contributions of levels.
  std::int16_t* scores;   ///< [cell of the finest level][score], output.
};
/// @param num_cells  Total of all levels that are read.
void add_scores(const ScoresArgs& args, std::size_t num_cells, const cuda::Stream& stream);

}  // namespace fernwood::image
