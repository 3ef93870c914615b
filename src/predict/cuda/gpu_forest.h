// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cuda/buffer.h"
#include "forest/fern.h"
#include "forest/leaf.h"
#include "predict/packed_node.h"

namespace fernwood::predict {

/// Owner of a texture object over linear memory: 32-bit words, with one, two or four words per element.
class LinearTexture {
 public:
  LinearTexture() = default;
  ~LinearTexture() { reset(); }
  LinearTexture(const LinearTexture&) = delete;
  LinearTexture& operator=(const LinearTexture&) = delete;

  /// Binds `size` elements of `words` words each, or nothing if the current GPU does not support this size; free of
  /// cost if they are already bound.
  /// @param words  1, 2 or 4.
  void show(const void* memory, std::size_t size, int words);
  void reset() noexcept;
  /// 0: nothing is bound.
  cudaTextureObject_t object() const { return texture_; }

 private:
  cudaTextureObject_t texture_ = 0;
  const void* memory_ = nullptr;
  std::size_t size_ = 0;
};

/// Offsets of a tree's nodes and leaves among those of all trees.
struct TreePlace {
  std::size_t first_node;
  std::uint32_t first_leaf;
};

/// A Region, and a FernTest, as numbers that need no conversion.
struct alignas(8) WideRegion {
  float dx, dy, half_w, half_h;
};
struct alignas(8) WideTest {
  WideRegion a, b;
  float threshold;
  std::uint16_t channel_a, channel_b;  ///< For a feature map: image::kMapChannel, and the number of the map.
};

/// A fern within a FernBatch.
struct FernPlace {
  const forest::LeafWord* leaf_words;  ///< In GPU memory.
  std::uint32_t first_leaf;            ///< Index among those of all ferns.
  std::int32_t first_test, num_tests;
};

/// Ferns of one launch, passed as a kernel parameter: parameters are in constant memory (thesis 4.4.2), which
/// broadcasts a value to all threads of a warp, and are limited to 4 KiB.
struct FernBatch {
  static constexpr int kMaxFerns = 12, kMaxTests = 76;
  WideTest tests[kMaxTests] = {};
  FernPlace places[kMaxFerns] = {};
  std::int32_t num_ferns = 0, num_tests = 0;
  std::uint32_t first_fern = 0;
};

/// A stage of a forest in GPU memory, as read by kernels: trees, or ferns.
struct ForestView {
  View1<const TreePlace> trees;
  View1<const FernBatch> ferns;            ///< In host memory; empty: trees.
  const forest::Node* nodes = nullptr;     ///< Nodes of all trees.
  cudaTextureObject_t packed_texture = 0;  ///< 0: not wanted, or trees too large or channels too many.
  const float4* probabilities = nullptr;   ///< [leaf][quads] see leaf_votes(); 0 after the last class
  /// [4 * quads] Corrections for the choice of labels by sums, by probabilities, and by smoothed probabilities.
  const forest::ClassPriorCorrection *correct_sums = nullptr, *weigh_plain = nullptr, *weigh_smoothed = nullptr;
  forest::ForestKind kind = forest::ForestKind::kForest;
  std::int32_t num_classes = 0;
  std::int32_t quads = 0;  ///< Groups of four classes.
};

/// Owner of the tables of a stage on the current GPU.
class GpuForest {
 public:
  /// @throws Error(kResource) if they do not fit into the GPU's memory.
  GpuForest(const forest::Forest& forest, std::size_t stage, bool for_textures);
  const ForestView& view() const { return view_; }

 private:
  void upload_nodes(const std::vector<forest::Tree>& trees, const cuda::Stream& stream);
  /// The nodes as a texture, if they fit.
  void upload_packed(const std::vector<forest::Tree>& trees, int num_channels, const cuda::Stream& stream);
  void upload_ferns(const std::vector<forest::Fern>& ferns, const std::vector<TreePlace>& places,
                    const cuda::Stream& stream);
  void upload_leaves(const forest::Forest& forest, const std::vector<forest::Tree>& trees,
                     const std::vector<forest::Fern>& ferns, const cuda::Stream& stream);
  void upload_correction(const forest::Forest& forest, const cuda::Stream& stream);

  cuda::GpuBuffer<TreePlace> trees_;
  cuda::GpuBuffer<forest::Node> nodes_;
  cuda::GpuBuffer<PackedNode> packed_;
  cuda::GpuBuffer<forest::LeafWord> leaf_words_;
  std::vector<FernBatch> fern_batches_;
  cuda::GpuBuffer<float4> probabilities_;
  cuda::GpuBuffer<forest::ClassPriorCorrection> correction_;  // three tables of [4 * quads]
  LinearTexture packed_texture_;
  ForestView view_;
};

}  // namespace fernwood::predict
