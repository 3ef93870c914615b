// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A frame and a forest small enough to compute every number of an explanation by hand.

#include "fernwood/evaluate/explain.h"

namespace fernwood::evaluate::testdata {

/// 7 x 5 pixels at 500 mm, so each offset and half extent is doubled. Red is 10 times the column plus the row; the
/// depth of column 6 is unknown.
inline image::Frame small_frame() {
  image::Frame frame{Array2<image::Rgb>(5, 7), Array2<std::uint16_t>(5, 7, 500)};
  for (std::size_t y = 0; y < 5; ++y)
    for (std::size_t x = 0; x < 7; ++x) frame.color(y, x).r = static_cast<std::uint8_t>(10 * x + y);
  for (std::size_t y = 0; y < 5; ++y) frame.depth_mm(y, 6) = 0;
  return frame;
}

/// Two levels, three leaves. Root: red one pixel (at 1 m) to the right minus red one pixel up. Its right child: a unary
/// feature, the depth at the pixel with a horizontal half extent of 1 (at 1 m).
inline forest::Tree small_tree() {
  const std::uint8_t red = 0, depth = 3;
  forest::Tree tree;
  tree.nodes = {{1, 1000.0f, {{1, 0, 0, 0}, {0, -1, 0, 0}, red, red}, 0},
                {~0, 0, {}, 0},
                {3, 500.0f, {{0, 0, 1, 0}, {}, depth, forest::kNoChannel}, 0},
                {~1, 0, {}, 0},
                {~2, 0, {}, 0}};
  tree.leaf_counts = Array2<std::uint32_t>(3, 2);
  const std::uint32_t counts[] = {5, 15, 30, 10, 1, 39};
  std::copy(std::begin(counts), std::end(counts), tree.leaf_counts.begin());
  return tree;
}

inline forest::Forest small_forest(std::vector<forest::Tree> trees = {small_tree()}) {
  forest::Forest forest;
  forest.classes.classes = {{"floor", {255, 0, 0}}, {"wall & door", {0, 0, 255}}};
  forest.preparation.channels = image::ChannelLayout({"rgb", "depth"});
  forest.leaves.reweight = false;
  forest.class_pixels = {36, 64};
  forest.labelling_trees() = std::move(trees);
  return forest;
}

inline PixelExplanation explain_small(std::int32_t x, std::int32_t y, const forest::Forest& forest = small_forest()) {
  PixelExplanation explanation = explain(forest, image::PreparedFrame(small_frame(), forest.preparation), x, y);
  explanation.model = "rooms.fernwood";
  explanation.frame = "<hall>";
  return explanation;
}

}  // namespace fernwood::evaluate::testdata
