// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/topics/stamp_pairs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dataset/source/associate.h"

namespace fernwood::dataset {

namespace {

double seconds_between(const StampedImage& a, const StampedImage& b) {
  constexpr double kNsPerSecond = 1e9;
  return std::abs(static_cast<double>(a.stamp_ns - b.stamp_ns)) / kNsPerSecond;
}

auto nearest_to(const StampedImage& color, std::deque<StampedImage>& depths) {
  return std::ranges::min_element(depths, {}, [&](const StampedImage& depth) { return seconds_between(color, depth); });
}

}  // namespace

// In order of arrival, not by stamp: if stamps jump back, as when a recording restarts, older images are dropped in
// time.
void StampPairs::add(std::deque<StampedImage>& images, StampedImage image) {
  images.push_back(std::move(image));
  if (images.size() > kNewest) images.pop_front();
}

std::optional<StampedPair> StampPairs::take() {
  for (auto color = colors_.rbegin(); color != colors_.rend() && !depths_.empty(); ++color) {
    const auto depth = nearest_to(*color, depths_);
    if (seconds_between(*color, *depth) > kMaxPairDifferenceS) continue;
    StampedPair pair{std::move(*color), std::move(*depth)};
    colors_.erase(colors_.begin(), color.base());
    depths_.erase(depths_.begin(), depth + 1);
    return pair;
  }
  return std::nullopt;
}

std::optional<double> StampPairs::least_difference_s() const {
  std::optional<double> least;
  for (const StampedImage& color : colors_)
    for (const StampedImage& depth : depths_)
      least = std::min(least.value_or(seconds_between(color, depth)), seconds_between(color, depth));
  return least;
}

}  // namespace fernwood::dataset
