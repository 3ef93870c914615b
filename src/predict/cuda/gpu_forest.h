// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cuda/buffer.h"
#include "fernwood/forest/forest.h"
#include "predict/cuda/linear_texture.h"
#include "predict/packed_node.h"

namespace fernwood::cuda {

/// Where a tree's nodes and leaves begin among those of all trees.
struct TreePlace {
  std::size_t first_node;
  std::uint32_t num_nodes, first_leaf;
};

/// A forest in GPU memory, as kernels read it.
struct ForestView {
  View1<const TreePlace> trees;
  const Node* nodes = nullptr;
  const PackedNode* packed = nullptr;      ///< Null: the trees are too large, or the channels too many.
  cudaTextureObject_t packed_texture = 0;  ///< 0: as above, or there are too many nodes.
  const float4* probabilities = nullptr;   ///< [leaf][quads], classes beyond the last are 0
  std::int32_t num_classes = 0;
  std::int32_t quads = 0;  ///< Groups of four classes.
};

/// Owner of a forest's tables on the GPU in use.
class GpuForest {
 public:
  /// @throws Error(kResource) when they do not fit into the GPU's memory.
  explicit GpuForest(const Forest& forest);
  const ForestView& view() const { return view_; }

 private:
  void upload_nodes(const Forest& forest, const Stream& stream);
  void upload_leaves(const Forest& forest, const Stream& stream);

  GpuBuffer<TreePlace> trees_;
  GpuBuffer<Node> nodes_;
  GpuBuffer<PackedNode> packed_;
  GpuBuffer<float4> probabilities_;
  LinearTexture packed_texture_;
  ForestView view_;
};

}  // namespace fernwood::cuda
