// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/forest/forest.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::evaluate {

/// A region that a test reads, as placed relative to the pixel; for a feature map the pixel itself.
struct SeenRegion {
  std::string channel;                                  ///< "L"; for a feature map "map 217 of stride 32".
  image::FrameImage image = image::FrameImage::kColor;  ///< The image in which to display it.
  /// The pixels covered, inside or outside the frame; empty when the pixel's depth is unknown.
  std::optional<forest::RegionSpan> span;
  bool inside = false;        ///< Whether it lies entirely within the frame.
  std::optional<float> mean;  ///< Over its known pixels; empty when it is not inside or has none.
};

/// A test on the path of a pixel.
struct SeenTest {
  std::int32_t node = 0;
  SeenRegion a;
  std::optional<SeenRegion> b;    ///< Empty: the test reads only region a.
  std::optional<float> response;  ///< Mean of a minus mean of b; empty when either, or the pixel's depth, is unknown.
  float threshold = 0;
  bool right = false;                 ///< The pixel's side: right when the response is above the threshold or unknown.
  std::vector<std::uint64_t> counts;  ///< [class] Training samples of the tree that reached this node.
};

/// The path of a pixel through one tree.
struct SeenTree {
  std::vector<SeenTest> path;         ///< From the root down; empty when the root is a leaf.
  std::int32_t node = 0, leaf = 0;    ///< End of the path: the node, and the index of its leaf.
  std::vector<std::uint64_t> counts;  ///< [class] Training samples in the leaf.
  std::vector<float> probabilities;   ///< [class] Output of this leaf, see leaf_votes().
};

/// Explanation of the class of a pixel.
struct PixelExplanation {
  std::string model, frame;  ///< Origins, for display.
  std::int32_t x = 0, y = 0;
  std::optional<std::int32_t> depth_mm;  ///< 0: unknown. Empty: the model reads no depth; regions are as at 1 m.
  image::ClassMap classes;
  image::ChannelLayout channels;
  std::vector<SeenTree> trees;
  std::vector<float> probabilities;    ///< [class] Mean over the trees (thesis eq. 3.1).
  std::uint16_t label = image::kVoid;  ///< The label of a Predictor.
};

/// Follows a pixel through every tree (thesis algorithm 6); in a forest with context stages, through those of the last.
/// @param frame  Prepared by prepare_for().
/// @throws Error(kUsage) for a pixel outside the frame, Error(kModel) for a forest without trees.
PixelExplanation explain(const forest::Forest& forest, const image::PreparedFrame& frame, std::int32_t x,
                         std::int32_t y);

/// As explain(), for a frame as it was read, and only if the explanation is useful: at unknown depth regions have no
/// place, and every test goes right.
/// @param model, name  Origins of forest and frame, for display.
/// @throws Error as explain(); Error(kData) if the pixel's depth is unknown, with the nearest pixel of known depth.
PixelExplanation explain_known(const forest::Forest& forest, const image::Frame& frame, std::int32_t x, std::int32_t y,
                               const std::string& model, const std::string& name);

/// The pixel (x, y) of known depth that is nearest to a pixel, the first in reading order if several are; the pixel
/// itself if its depth is known or the frame is prepared without depth. Empty when all depths are unknown.
std::optional<std::pair<std::int32_t, std::int32_t>> nearest_known_pixel(const image::FrameView& frame, std::int32_t x,
                                                                         std::int32_t y);

}  // namespace fernwood::evaluate
