// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fernwood::teach {

namespace {

/// From 0, equal, to 2.
float distance(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t c = 0; c < std::min(a.size(), b.size()); ++c) sum += std::abs(a[c] - b[c]);
  return sum;
}

}  // namespace

Array2<std::uint8_t> uncertainty_of(const std::vector<Array2<float>>& probabilities) {
  if (probabilities.empty()) return {};
  Array2<std::uint8_t> uncertainty(probabilities[0].rows(), probabilities[0].cols());
  std::vector<float> best(uncertainty.cols()), second(uncertainty.cols());
  for (std::size_t y = 0; y < uncertainty.rows(); ++y) {
    std::ranges::fill(best, 0.0f);
    std::ranges::fill(second, 0.0f);
    for (const Array2<float>& of_class : probabilities)
      for (std::size_t x = 0; x < uncertainty.cols(); ++x) {
        const float p = of_class(y, x);
        second[x] = std::max(second[x], std::min(p, best[x]));
        best[x] = std::max(best[x], p);
      }
    for (std::size_t x = 0; x < uncertainty.cols(); ++x)
      uncertainty(y, x) =
          static_cast<std::uint8_t>(std::lround(255 * std::clamp(1 - (best[x] - second[x]), 0.0f, 1.0f)));
  }
  return uncertainty;
}

FrameUncertainty frame_uncertainty(const Array2<std::uint8_t>& uncertainty,
                                   const std::vector<Array2<float>>& probabilities) {
  FrameUncertainty found;
  const double pixels = std::max(1.0, static_cast<double>(uncertainty.size()));
  const std::uint64_t sum = std::accumulate(uncertainty.begin(), uncertainty.end(), std::uint64_t{0});
  found.mean = static_cast<float>(static_cast<double>(sum) / (255 * pixels));
  for (const Array2<float>& of_class : probabilities)
    found.shares.push_back(static_cast<float>(std::accumulate(of_class.begin(), of_class.end(), 0.0) / pixels));
  return found;
}

std::vector<std::size_t> rank_frames(const std::vector<FrameToTeach>& frames) {
  std::vector<std::pair<float, std::size_t>> scores;
  for (const FrameToTeach& one : frames) {
    float nearest = 2;
    for (const FrameToTeach& other : frames)
      if (other.is_taught) nearest = std::min(nearest, distance(one.uncertainty.shares, other.uncertainty.shares));
    scores.emplace_back(one.uncertainty.mean * (1 + nearest), one.frame);
  }
  std::ranges::stable_sort(scores, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::size_t> order;
  for (const auto& score : scores) order.push_back(score.second);
  return order;
}

}  // namespace fernwood::teach
