// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The stages of labelling a frame on a GPU, with their input and output.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fernwood/predict/predictor.h"
#include "image/cuda/frame_preparer.h"
#include "predict/cuda/gpu_forest.h"
#include "predict/pixel_grid.h"
#include "predict/smoothing.h"

namespace fernwood::predict {

/// Planes of the channels that have unknown pixels, with each sum beside its count, so that one read loads both.
struct CountedPlanes {
  const uint2* pairs = nullptr;  ///< [num_planes][plane_size] x: sum, y: count
  std::int32_t num_planes = 0;
  std::int8_t plane_of[image::kMaxChannels] = {};  ///< [channel] Index of its plane, or -1 if all its pixels are known.
};

/// Enqueues the pairing of a frame's planes. @param pairs  Resized.
CountedPlanes pair_planes(const image::PlanesView& frame, std::int32_t num_channels, cuda::GpuBuffer<uint2>& pairs,
                          const cuda::Stream& stream);

/// Stage 1 of labelling: K trees, P pixels, those of the grid.
struct LeafArgs {
  image::PlanesView frame;
  CountedPlanes counted;
  cudaTextureObject_t plane_texture;    ///< All planes of the frame; 0: too large for a texture, or not wanted.
  cudaTextureObject_t counted_texture;  ///< Texture of counted.pairs; 0: too large for a texture, or empty.
  ForestView forest;
  PixelGrid grid;
  View2<std::uint32_t> leaves;  ///< [K][P], output: row of forest.probabilities
};

/// Finds the leaf of every pixel in every tree or fern.
/// @param by_texture  Whether planes and nodes are read by texture fetches, else by loads; the leaves are the same.
/// @throws Error(kUsage) if the GPU's textures are too small for them.
void find_leaves(const LeafArgs& args, bool by_texture, const cuda::Stream& stream);
/// As find_leaves(), for ferns.
void find_fern_leaves_by_texture(const LeafArgs& args, const cuda::Stream& stream);
void find_fern_leaves_by_loads(const LeafArgs& args, const cuda::Stream& stream);

/// Stage 2 of labelling: K trees, P pixels.
struct SumArgs {
  View2<const std::uint32_t> leaves;  ///< [K][P] rows of the probabilities
  const float4* probabilities;        ///< [leaf][quads]
  std::int32_t quads, num_classes;
  forest::ForestKind kind;
  const forest::ClassPriorCorrection* correction;  ///< [4 * quads] corrections of sums
};

/// The class of the highest corrected sum over all K trees.
/// @param min_confidence  See PredictOptions. @param labels  [P], output.
void choose_labels(const SumArgs& args, float min_confidence, std::uint16_t* labels, const cuda::Stream& stream);

/// Probabilities by the K trees, for `num_quads` groups of four classes from `first_quad` on.
/// @param means  [4 * num_quads][P], output.
void mean_probabilities(const SumArgs& args, std::int32_t first_quad, std::int32_t num_quads, float* means,
                        const cuda::Stream& stream);

/// Probabilities of all classes by the K trees, in the steps of context_step().
/// @param exits  Whether boosted trees are left out where a class is sure, see early_exit.h. @param sums  Resized,
/// scratch. @param maps  [class][P], output.
void cell_steps(const SumArgs& args, bool exits, cuda::GpuBuffer<float4>& sums, std::uint8_t* maps,
                const cuda::Stream& stream);

/// Output of the labelling stage for the representative pixels of cells, as computed by cell_steps().
struct CellMaps {
  const std::uint8_t* maps;  ///< [class][cells]
  std::int32_t rows, cols;   ///< Size of the frame in pixels, P in total.
};
/// A cell's class, and whether its probabilities were interpolated.
struct CellState {
  std::uint16_t label, filled;
};
/// Interpolates cells as refine_cells() on the CPU does, after all were evaluated. @param maps  [class][cells], in
/// place.
/// @param states  Resized, scratch.
void refine_cells(std::int32_t frame_rows, std::int32_t frame_cols, std::uint8_t* maps, std::int32_t num_classes,
                  cuda::GpuBuffer<CellState>& states, const cuda::Stream& stream);
/// Interpolates the probabilities of all pixels between cells. @param planes  [num_classes][P], output.
void interpolate(const CellMaps& of, std::int32_t first_class, std::int32_t num_classes, float* planes,
                 const cuda::Stream& stream);
/// The class of the highest corrected interpolated value. @param correction  [class]
/// @param min_confidence  See PredictOptions. @param labels  [P], output.
void choose_interpolated(const CellMaps& of, std::int32_t num_classes, const forest::ClassPriorCorrection* correction,
                         float min_confidence, std::uint16_t* labels, const cuda::Stream& stream);

/// A frame's images by which smoothing compares pixels, in GPU memory.
struct GuideFrame {
  SmoothingGuide guide;
  std::int32_t rows, cols;  ///< In pixels.
};

/// Smooths class probabilities on the current GPU for one stream, bit-identical to Smoother. The next frame must not
/// start before the stream has completed the previous one.
class GpuSmoother {
 public:
  explicit GpuSmoother(const Smoothing& smoothing);
  bool is_on() const { return on_; }

  /// Enqueues the smoothing of the frame's cells. @param planes  [num_planes][cells], in place.
  void smooth_cells(const GuideFrame& frame, float* planes, std::int32_t num_planes, const cuda::Stream& stream);
  /// Enqueues the choice of labels by smoothed and corrected probabilities.
  /// @param maps    [num_classes][cells] as computed by mean_steps(). @param correction  [class]
  /// @param min_confidence  See PredictOptions. @param labels  [P], output.
  void label(const GuideFrame& frame, const std::uint8_t* maps, std::int32_t num_classes,
             const forest::ClassPriorCorrection* correction, float min_confidence, std::uint16_t* labels,
             const cuda::Stream& stream);
  /// Enqueues smoothed probabilities of the frame of label(). @param probabilities  [num_classes][P], output.
  void compute_probabilities(std::int32_t first_class, std::int32_t num_classes, float* probabilities,
                             const cuda::Stream& stream) const;

 private:
  bool on_;
  LinkScale scale_;
  GuideFrame frame_ = {};              ///< Of the last label().
  cuda::GpuBuffer<float> left_, up_;   ///< [kSmoothingRuns][cells] weights of links, left_ by columns.
  cuda::GpuBuffer<float> planes_;      ///< [class][cells]
  cuda::GpuBuffer<float> by_columns_;  ///< [class][cells], transposed
};

}  // namespace fernwood::predict
