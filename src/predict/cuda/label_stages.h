// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The stages of labelling a frame on a GPU, each with what it reads and writes.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fernwood/predict/predictor.h"
#include "image/cuda/frame_preparer.h"
#include "predict/cuda/gpu_forest.h"
#include "predict/homogeneous_cells.h"
#include "predict/pixel_grid.h"
#include "predict/smoothing.h"

namespace fernwood::predict {

/// Planes of the channels that have unknown pixels, with each sum beside its count: one read brings both.
struct CountedPlanes {
  const uint2* pairs = nullptr;  ///< [num_planes][plane_size] x: sum, y: count
  std::int32_t num_planes = 0;
  std::int8_t plane_of[image::kMaxChannels] = {};  ///< [channel] Its plane, or -1 when all its pixels are known.
};

/// Enqueues the pairing of a frame's planes. @param pairs  Resized.
CountedPlanes pair_planes(const image::PlanesView& frame, std::int32_t num_channels, cuda::GpuBuffer<uint2>& pairs,
                          const cuda::Stream& stream);

/// Stage 1 of labelling: K trees, P pixels, those of the grid.
struct LeafArgs {
  image::PlanesView frame;
  CountedPlanes counted;
  cudaTextureObject_t plane_texture;    ///< All planes of the frame; 0: too large for a texture.
  cudaTextureObject_t counted_texture;  ///< Of counted.pairs; 0: too large for a texture, or there are none.
  ForestView forest;
  PixelGrid grid;
  View2<std::uint32_t> leaves;  ///< [K][P], written: the row of forest.probabilities
};

/// A way to read planes and nodes. All lead to the same leaves.
struct Layout {
  std::string_view name;
  /// Whether it can serve these arguments: kernels need what their layout reads, which may not fit.
  bool (*can_use)(const LeafArgs& args);
  /// Finds the leaf of every pixel in every tree.
  void (*find_in_trees)(const LeafArgs& args, const cuda::Stream& stream);
  /// The same in every fern; null: ferns have not what it reads.
  void (*find_in_ferns)(const LeafArgs& args, const cuda::Stream& stream);

  bool is_for(bool ferns) const { return !ferns || find_in_ferns != nullptr; }
  /// @param args  That it can_use().
  void find_leaves(const LeafArgs& args, const cuda::Stream& stream) const {
    (args.forest.ferns.size > 0 ? find_in_ferns : find_in_trees)(args, stream);
  }
};

/// All layouts there are, a row each: a new one is a row, and the types that read what it lays out.
std::span<const Layout> layouts();

/// Finds the leaf of every pixel in every fern, by texture objects or by loads.
void find_fern_leaves_by_texture(const LeafArgs& args, const cuda::Stream& stream);
void find_fern_leaves_by_loads(const LeafArgs& args, const cuda::Stream& stream);

/// The layout that a user named, or for "auto" the fastest on the GPU in use: all are timed with the first frame.
class LayoutChoice {
 public:
  /// @param name  "auto" or the name of one of layouts().
  explicit LayoutChoice(const std::string& name);

  /// Finds leaves with the layout. @throws Error(kUsage) when it was named and cannot be used.
  void find_leaves(const LeafArgs& args, const cuda::Stream& stream);
  /// "auto" as long as it is not known.
  std::string name() const;

 private:
  bool is_auto_;
  const Layout* layout_ = nullptr;  // null: not known yet
};

/// Stage 2 of labelling: K trees, P pixels.
struct SumArgs {
  View2<const std::uint32_t> leaves;  ///< [K][P] rows of the probabilities
  const float4* probabilities;        ///< [leaf][quads]
  std::int32_t quads, num_classes;
  forest::ForestKind kind;
  const forest::ClassPriorCorrection* correction;  ///< [4 * quads] of sums
};

/// The class of highest probability over all K trees, as it is weighed.
/// @param labels  [P], written.
void choose_labels(const SumArgs& args, std::uint16_t* labels, const cuda::Stream& stream);

/// Probabilities by the K trees of `num_quads` groups of four classes from `first_quad` on.
/// @param means  [4 * num_quads][P], written.
void mean_probabilities(const SumArgs& args, std::int32_t first_quad, std::int32_t num_quads, float* means,
                        const cuda::Stream& stream);

/// Probabilities by the K trees of all classes, in steps as context_step() has them.
/// @param maps  [4 * quads][P], written; classes beyond the last are 0.
void mean_steps(const SumArgs& args, std::uint8_t* maps, const cuda::Stream& stream);

/// What the stage that labels says of the pixels that speak for cells, as mean_steps() gives it.
struct CellMaps {
  const std::uint8_t* maps;  ///< [class][cells]
  std::int32_t rows, cols;   ///< Of the frame, in pixels: P together.
};
/// Probabilities of all pixels, between those of the cells. @param planes  [num_classes][P], written.
void interpolate(const CellMaps& of, std::int32_t first_class, std::int32_t num_classes, float* planes,
                 const cuda::Stream& stream);
/// The class of the highest of them as it is weighed. @param correction  [class] @param labels  [P], written.
void choose_interpolated(const CellMaps& of, std::int32_t num_classes, const forest::ClassPriorCorrection* correction,
                         std::uint16_t* labels, const cuda::Stream& stream);

/// Between the stages, where the grid is coarser than pixels: K trees, P pixels.
struct SpreadArgs {
  EdgeImages images;  ///< In GPU memory.
  PixelGrid grid;
  const std::uint16_t* labels;  ///< [P] what all trees say.
  View2<std::uint32_t> leaves;  ///< [K][P]: those of homogeneous cells become those of the pixels that speak for them.
};
void spread_leaves(const SpreadArgs& args, const cuda::Stream& stream);

/// Smooths class probabilities on the GPU in use, bit for bit like Smoother, for one stream.
class GpuSmoother {
 public:
  explicit GpuSmoother(const Smoothing& smoothing);
  bool is_on() const { return on_; }

  /// Enqueues what a frame's probabilities are smoothed by; nothing when off. The next frame must not come before the
  /// stream has passed this one.
  /// @param guide  In GPU memory.
  void start(const SmoothingGuide& guide, std::int32_t rows, std::int32_t cols, const cuda::Stream& stream);
  /// Enqueues the smoothing of some classes of the frame. @param planes  [num_planes][P], changed.
  void smooth(float* planes, std::size_t num_planes, const cuda::Stream& stream) const;
  /// Enqueues the choice of labels by some classes, which come in order from class 0 on.
  /// @param planes    [num_planes][P] of classes from `first_class` on.
  /// @param correction  [class]
  /// @param labels    [P], written; not to be touched between the first classes and the last.
  void choose_labels(const float* planes, std::size_t num_planes, std::int32_t first_class,
                     const forest::ClassPriorCorrection* correction, std::uint16_t* labels, const cuda::Stream& stream);

 private:
  bool on_;
  std::int32_t rows_ = 0, cols_ = 0;
  cuda::GpuBuffer<LinkTables> tables_;  ///< One.
  cuda::GpuBuffer<float> left_,
      up_;                          ///< [kSmoothingRuns][P] weights of the links to the left and upper neighbour, or 0.
  cuda::GpuBuffer<float> highest_;  ///< [P] the probability of the label chosen so far, as it is weighed.
};

}  // namespace fernwood::predict
