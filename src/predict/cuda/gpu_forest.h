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

/// Owner of a texture object over linear memory: 32-bit words, one, two or four of them an element.
class LinearTexture {
 public:
  LinearTexture() = default;
  ~LinearTexture() { reset(); }
  LinearTexture(const LinearTexture&) = delete;
  LinearTexture& operator=(const LinearTexture&) = delete;

  /// Shows `size` elements of `words` words each, or nothing if the GPU in use cannot show as many; costs nothing when
  /// it shows them already.
  /// @param words  1, 2 or 4.
  void show(const void* memory, std::size_t size, int words);
  void reset() noexcept;
  /// 0: shows nothing.
  cudaTextureObject_t object() const { return texture_; }

 private:
  cudaTextureObject_t texture_ = 0;
  const void* memory_ = nullptr;
  std::size_t size_ = 0;
};

/// Where a tree's nodes and leaves begin among those of all trees.
struct TreePlace {
  std::size_t first_node;
  std::uint32_t num_nodes, first_leaf;
};

/// A Region, and a FernTest, in numbers that need no conversion.
struct alignas(8) WideRegion {
  float dx, dy, half_w, half_h;
};
struct alignas(8) WideTest {
  WideRegion a, b;
  float threshold;
  std::uint16_t channel_a, channel_b;  ///< Of a feature map image::kMapChannel, and the map's number.
};

/// A fern within a FernBatch.
struct FernPlace {
  const forest::LeafWord* leaf_words;  ///< In GPU memory.
  std::uint32_t first_leaf;            ///< Among those of all ferns.
  std::int32_t first_test, num_tests;
};

/// Ferns of one launch. It is a kernel's parameter: those lie in constant memory (thesis 4.4.2), which hands one value
/// to all threads of a warp at once, and at most 4 KiB of them are allowed.
struct FernBatch {
  static constexpr int kMostFerns = 12, kMostTests = 76;
  WideTest tests[kMostTests] = {};
  FernPlace places[kMostFerns] = {};
  std::int32_t num_ferns = 0, num_tests = 0;
  std::uint32_t first_fern = 0;
};

/// A stage of a forest in GPU memory, as kernels read it: trees, or ferns.
struct ForestView {
  View1<const TreePlace> trees;
  View1<const FernBatch> ferns;            ///< In the host's memory; empty: trees.
  const forest::Node* nodes = nullptr;     ///< Of trees.
  const PackedNode* packed = nullptr;      ///< Null: the trees are too large, or the channels too many.
  cudaTextureObject_t packed_texture = 0;  ///< 0: as above, or there are too many nodes.
  const float4* probabilities = nullptr;   ///< [leaf][quads] see leaf_votes(), classes beyond the last are 0
  /// [4 * quads] How labels are chosen by sums, by probabilities, and by smoothed ones.
  const forest::ClassPriorCorrection *correct_sums = nullptr, *weigh_plain = nullptr, *weigh_smoothed = nullptr;
  forest::ForestKind kind = forest::ForestKind::kForest;
  std::int32_t num_classes = 0;
  std::int32_t quads = 0;  ///< Groups of four classes.
};

/// Owner of the tables of a forest's stage on the GPU in use.
class GpuForest {
 public:
  /// @throws Error(kResource) when they do not fit into the GPU's memory.
  GpuForest(const forest::Forest& forest, std::size_t stage);
  const ForestView& view() const { return view_; }

 private:
  void upload_nodes(const std::vector<forest::Tree>& trees, int num_channels, const cuda::Stream& stream);
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
  cuda::GpuBuffer<forest::ClassPriorCorrection> correction_;  // three times [4 * quads]
  LinearTexture packed_texture_;
  ForestView view_;
};

}  // namespace fernwood::predict
