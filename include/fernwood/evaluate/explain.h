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

/// A region that a test looks at, seen from the pixel; of a feature map the pixel itself.
struct SeenRegion {
  std::string channel;                                  ///< "L"; of a feature map "map 217 of stride 32".
  image::FrameImage image = image::FrameImage::kColor;  ///< That it is best looked at in.
  std::optional<forest::RegionSpan>
      span;                   ///< What it covers, in or out of the frame; empty when the pixel's depth is unknown.
  bool inside = false;        ///< The frame holds it entirely.
  std::optional<float> mean;  ///< Of its known pixels; empty when it is not inside or has none.
};

/// A test on the way of a pixel.
struct SeenTest {
  std::int32_t node = 0;
  SeenRegion a;
  std::optional<SeenRegion> b;    ///< Empty: the test looks at region a alone.
  std::optional<float> response;  ///< Mean of a less that of b; empty when either, or the pixel's depth, is unknown.
  float threshold = 0;
  bool right = false;                 ///< Where the pixel goes: right when the response is higher, or unknown.
  std::vector<std::uint64_t> counts;  ///< [class] training samples of the tree that came to this node.
};

/// The way of a pixel through one tree.
struct SeenTree {
  std::vector<SeenTest> path;         ///< From the root on; empty when the root is a leaf.
  std::int32_t node = 0, leaf = 0;    ///< The end of the path: its node, and the index of its leaf.
  std::vector<std::uint64_t> counts;  ///< [class] training samples in the leaf.
  std::vector<float> probabilities;   ///< [class] what the leaf answers alone, see leaf_votes().
};

/// Why a pixel gets its class.
struct PixelExplanation {
  std::string model, frame;  ///< For people: where either came from.
  std::int32_t x = 0, y = 0;
  std::optional<std::int32_t> depth_mm;  ///< 0: unknown; empty: the model reads no depth, regions are as seen from 1 m.
  image::ClassMap classes;
  image::ChannelLayout channels;
  std::vector<SeenTree> trees;
  std::vector<float> probabilities;    ///< [class] mean over the trees (thesis eq. 3.1).
  std::uint16_t label = image::kVoid;  ///< As a Predictor gives it.
};

/// Follows a pixel through every tree (thesis algorithm 6).
/// @param frame  Prepared by prepare_for(). Of a forest with context stages the last one is followed.
/// @throws Error(kUsage) for a pixel outside the frame, Error(kModel) for a forest without trees.
PixelExplanation explain(const forest::Forest& forest, const image::PreparedFrame& frame, std::int32_t x,
                         std::int32_t y);

/// The pixel (x, y) of known depth that is nearest to a pixel, the first of equals in reading order; the pixel itself
/// when its depth is known or the frame is prepared without. Empty when all depths are unknown.
std::optional<std::pair<std::int32_t, std::int32_t>> nearest_known_pixel(const image::FrameView& frame, std::int32_t x,
                                                                         std::int32_t y);

/// Without a depth no region has a place, and there is nothing to show but that every test says right.
/// @throws Error(kData) when that is so, naming the nearest pixel of known depth.
void check_depth_known(const PixelExplanation& pixel, const image::FrameView& frame);

}  // namespace fernwood::evaluate
