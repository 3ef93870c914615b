// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/source/recording.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/statistics.h"
#include "fernwood/core/text.h"

namespace fernwood::recordings {

namespace {

/// Time differences between depth and colour of the images paired in sequence when `ahead_s` is subtracted from depth.
std::vector<double> paired_differences(std::span<const double> color_s, std::span<const double> depth_s, double ahead_s,
                                       double max_difference_s) {
  std::vector<double> differences;
  for (std::size_t c = 0, d = 0; c < color_s.size() && d < depth_s.size();) {
    const double difference = depth_s[d] - ahead_s - color_s[c];
    if (std::abs(difference) < max_difference_s) {
      differences.push_back(depth_s[d++] - color_s[c++]);
    } else if (difference < 0) {
      ++d;
    } else {
      ++c;
    }
  }
  return differences;
}

}  // namespace

std::optional<ClockOffset> find_clock_offset(std::span<const double> color_s, std::span<const double> depth_s,
                                             double max_difference_s, std::size_t num_pairs) {
  constexpr std::size_t kMinPairs = 10, kTried = 16;  // recordings start within a few frames of each other
  const std::size_t most = std::min(color_s.size(), depth_s.size());
  if (most < kMinPairs || 4 * num_pairs > most) return std::nullopt;
  std::vector<double> best;
  for (std::size_t c = 0; c < std::min(color_s.size(), kTried); ++c)
    for (std::size_t d = 0; d < std::min(depth_s.size(), kTried); ++d) {
      std::vector<double> differences = paired_differences(color_s, depth_s, depth_s[d] - color_s[c], max_difference_s);
      if (differences.size() > best.size()) best = std::move(differences);
    }
  if (best.size() < kMinPairs || 10 * best.size() < 9 * most) return std::nullopt;
  const std::size_t pairs = best.size();
  return ClockOffset{median_of(std::move(best)), pairs};
}

namespace {

struct NearPair {
  double difference_s = 0;
  ImagePair images = {};
};

/// Pairs within the time limit, nearest first.
std::vector<NearPair> near_pairs(const std::string& place, const TimedImages& colors, const TimedImages& depths) {
  constexpr std::size_t kMaxNear = 100;  // average per image: 2500 images per second
  std::vector<NearPair> pairs;
  for (std::size_t c = 0; c < colors.times_s.size(); ++c) {
    const double time_s = colors.times_s[c];
    auto depth = std::ranges::lower_bound(depths.times_s, time_s - kMaxPairDifferenceS);
    for (; depth != depths.times_s.end() && *depth < time_s + kMaxPairDifferenceS; ++depth)
      pairs.push_back({std::abs(*depth - time_s), {c, static_cast<std::size_t>(depth - depths.times_s.begin())}});
    FW_CHECK(pairs.size() <= kMaxNear * (c + kMaxNear), Data,
             place << ": " << pairs.size() << " images of " << depths.name << " were taken within "
                   << kMaxPairDifferenceS << " s of the first " << c + 1 << " of " << colors.name
                   << "; check the times of both");
  }
  std::ranges::stable_sort(pairs, {}, &NearPair::difference_s);
  return pairs;
}

/// A remedy if the clocks seem to differ; else empty.
std::string clock_note(const TimedImages& colors, const TimedImages& depths, std::size_t num_pairs) {
  const auto offset = find_clock_offset(colors.times_s, depths.times_s, kMaxPairDifferenceS, num_pairs);
  if (!offset) return "";
  return format_text(
             "the depth camera's clock seems to be %.3f s %s, for %zu images would then belong together; %s as "
             "much %s the times in ",
             std::abs(offset->ahead_s), offset->ahead_s > 0 ? "ahead" : "behind", offset->num_pairs,
             offset->ahead_s > 0 ? "take" : "add", offset->ahead_s > 0 ? "from" : "to") +
         depths.name + " if that is so";
}

}  // namespace

Association associate_by_time(const std::string& place, const TimedImages& colors, const TimedImages& depths) {
  std::vector<bool> color_taken(colors.times_s.size()), depth_taken(depths.times_s.size());
  Association association;
  for (const NearPair& pair : near_pairs(place, colors, depths)) {
    if (color_taken[pair.images.color] || depth_taken[pair.images.depth]) continue;
    color_taken[pair.images.color] = depth_taken[pair.images.depth] = true;
    association.pairs.push_back(pair.images);
  }
  const std::string note = clock_note(colors, depths, association.pairs.size());
  FW_CHECK(!association.pairs.empty(), Data,
           place << ": none of the " << colors.times_s.size() << " images of " << colors.name << " was taken within "
                 << kMaxPairDifferenceS << " s of one of the " << depths.times_s.size() << " of " << depths.name << "; "
                 << (note.empty() ? "check the times of both" : note));
  // Cameras drop an image now and then.
  const bool lacks_many = 10 * association.pairs.size() < 9 * colors.times_s.size();
  if (!note.empty() || lacks_many)
    association.warning = place + ": only " + std::to_string(association.pairs.size()) + " of the " +
                          std::to_string(colors.times_s.size()) + " images of " + colors.name +
                          " were taken within 20 ms of one of " + depths.name + "; " +
                          (note.empty() ? "the others are left out" : note);
  std::ranges::sort(association.pairs, {}, &ImagePair::color);
  return association;
}

}  // namespace fernwood::recordings
