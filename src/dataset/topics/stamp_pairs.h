// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "fernwood/ros/messages.h"

namespace fernwood::dataset {

/// A message of an image and the time of its header.
struct StampedImage {
  std::int64_t stamp_ns = 0;
  ros::EncodedMessage message;
};

struct StampedPair {
  StampedImage color, depth;
};

/// Colour and depth that come on two topics, in any order, joined by their stamps. Keeps the newest of each.
class StampPairs {
 public:
  void add_color(StampedImage image) { add(colors_, std::move(image)); }
  void add_depth(StampedImage image) { add(depths_, std::move(image)); }
  /// The newest colour that has a depth within kMaxPairDifferenceS, with the nearest; both, and all before them, are
  /// forgotten.
  std::optional<StampedPair> take();
  /// Images of both have come, and no two belong together. @return  The least difference in seconds; nothing else.
  std::optional<double> least_difference_s() const;

 private:
  static constexpr std::size_t kNewest = 16;  // half a second
  static void add(std::deque<StampedImage>& images, StampedImage image);

  std::deque<StampedImage> colors_, depths_;
};

}  // namespace fernwood::dataset
