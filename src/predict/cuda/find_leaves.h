// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "predict/cuda/counted_planes.h"
#include "predict/cuda/gpu_forest.h"
#include "predict/pixel_grid.h"

namespace fernwood::predict {

/// Ways to read planes and nodes. All lead to the same leaves.
enum class Layout { kTexture, kL1, kShared, kPacked };

struct LayoutName {
  Layout layout;
  std::string_view name;
};

/// Layouts for trees alone.
constexpr bool reads_packed_nodes(Layout layout) { return layout == Layout::kShared || layout == Layout::kPacked; }

/// All layouts there are.
std::span<const LayoutName> layout_names();

/// Stage 1 of labelling: K trees, P pixels, those of the grid.
struct LeafArgs {
  image::FrameView frame;
  CountedPlanes counted;
  cudaTextureObject_t plane_texture;    ///< All planes of the frame; 0: too large for a texture.
  cudaTextureObject_t counted_texture;  ///< Of counted.pairs; 0: too large for a texture, or there are none.
  ForestView forest;
  PixelGrid grid;
  View2<std::uint32_t> leaves;  ///< [K][P], written: the row of forest.probabilities
};

/// Whether a layout can serve these arguments: the kernels need what their layout reads.
bool can_use(Layout layout, const LeafArgs& args);

/// Finds the leaf of every pixel in every tree. @param layout  One that can_use().
void find_leaves(Layout layout, const LeafArgs& args, const cuda::Stream& stream);

}  // namespace fernwood::predict
