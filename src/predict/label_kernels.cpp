// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. Includes nothing that leaves functions behind which other
// files might share: only FW_HD formulas and plain data.
#include "predict/label_kernels.h"

namespace fernwood::FW_ISA {

namespace {

/// A node as words of 32 bits, which vectors can gather; see Node.
constexpr int kNodeWords = sizeof(Node) / sizeof(std::int32_t);

struct WideRegion {
  std::int32_t dx, dy, half_w, half_h;
};
struct WideFeature {
  WideRegion a, b;
  std::int32_t channel_a, channel_b;
};

/// The four signed bytes of a word.
FW_HD WideRegion unpack_region(std::int32_t word) {
  const auto bits = static_cast<std::uint32_t>(word);
  return {static_cast<std::int32_t>(bits << 24) >> 24, static_cast<std::int32_t>(bits << 16) >> 24,
          static_cast<std::int32_t>(bits << 8) >> 24, word >> 24};
}

FW_HD WideFeature unpack_feature(const std::int32_t* words, std::int32_t at) {
  const std::int32_t channels = words[at + 4];
  return {unpack_region(words[at + 2]), unpack_region(words[at + 3]), channels & 0xff, (channels >> 8) & 0xff};
}

struct Patch {
  std::int32_t x[kPatchPixels], y[kPatchPixels];
  float inv_depth[kPatchPixels];
};

void fill_patch(const FrameView& frame, std::int32_t x0, std::int32_t y0, Patch& patch) {
  for (int i = 0; i < kPatchPixels; ++i) {
    const std::int32_t x = x0 + i % kPatchWidth, y = y0 + i / kPatchWidth;
    patch.x[i] = x < frame.cols ? x : frame.cols - 1;
    patch.y[i] = y < frame.rows ? y : frame.rows - 1;
  }
  for (int i = 0; i < kPatchPixels; ++i) patch.inv_depth[i] = pixel_site(frame, patch.x[i], patch.y[i], false).inv_depth_y;
}

/// Moves every pixel one level down; pixels in leaves stay. Returns whether any moved.
/// @param kCounted  Whether some channel has unknown pixels.
template <bool kCounted>
bool step_down(const FrameView& frame, const std::int32_t* words, const Patch& patch, std::int32_t* __restrict node) {
  const FrameView f = frame;
  std::int32_t moved = 0;
  for (int i = 0; i < kPatchPixels; ++i) {
    const std::int32_t at = node[i] * kNodeWords;
    const std::int32_t child = words[at];
    const float threshold = float_of(words[at + 1]);
    const WideFeature feature = unpack_feature(words, at);
    const PixelSite site = {patch.x[i], patch.y[i], patch.inv_depth[i], patch.inv_depth[i]};
    const float r = response(feature, f, site, kCounted ? frame.count_plane[feature.channel_a] : -1,
                             kCounted ? frame.count_plane[feature.channel_b] : -1);
    const std::int32_t next = child + side(r, threshold);
    node[i] = child >= 0 ? next : node[i];
    moved |= child >= 0 ? 1 : 0;
  }
  return moved != 0;
}

bool has_counts(const FrameView& frame) {
  for (const std::int32_t plane : frame.count_plane)
    if (plane >= 0) return true;
  return false;
}

void find_leaves(const FrameView& frame, const Node* nodes, std::int32_t x0, std::int32_t y0, std::int32_t* leaves) {
  Patch patch;
  fill_patch(frame, x0, y0, patch);
  const auto* words = reinterpret_cast<const std::int32_t*>(nodes);
  std::int32_t node[kPatchPixels] = {};
  const auto step = has_counts(frame) ? step_down<true> : step_down<false>;
  while (step(frame, words, patch, node)) {
  }
  for (int i = 0; i < kPatchPixels; ++i) leaves[i] = ~words[node[i] * kNodeWords];
}

void add_probabilities(const float* table, std::size_t num_classes, const std::int32_t* leaves, float* sums) {
  for (std::size_t c = 0; c < num_classes; ++c)
    for (int i = 0; i < kPatchPixels; ++i)
      sums[c * kPatchPixels + i] += table[static_cast<std::size_t>(leaves[i]) * num_classes + c];
}

}  // namespace

extern const LabelKernels label_kernels_table;
const LabelKernels label_kernels_table = {find_leaves, add_probabilities};

}  // namespace fernwood::FW_ISA
