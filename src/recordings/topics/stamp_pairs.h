// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "fernwood/ros/messages.h"

namespace fernwood::dataset {

/// An image message and the stamp of its header.
struct StampedImage {
  std::int64_t stamp_ns = 0;
  ros::EncodedMessage message;
};

struct StampedPair {
  StampedImage color, depth;
};

/// Pairs colour and depth of two topics, which arrive in any order, by their stamps. Keeps the newest of each.
class StampPairs {
 public:
  void add_color(StampedImage image) { add(colors_, std::move(image)); }
  void add_depth(StampedImage image) { add(depths_, std::move(image)); }
  /// The newest colour image with a depth image within kMaxPairDifferenceS, with the nearest; both, and all images
  /// before them, are removed.
  std::optional<StampedPair> take();
  /// The minimum difference in seconds, if images of both kinds have arrived and no two belong together; else empty.
  std::optional<double> least_difference_s() const;

 private:
  static constexpr std::size_t kNewest = 16;  // half a second
  static void add(std::deque<StampedImage>& images, StampedImage image);

  std::deque<StampedImage> colors_, depths_;
};

}  // namespace fernwood::dataset
