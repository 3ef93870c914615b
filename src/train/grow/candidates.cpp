// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/candidates.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/draw.h"

namespace fernwood::train {

namespace {

forest::Region draw_region(const TrainOptions& options, const Draw& d) {
  return {static_cast<std::int8_t>(d.between(0, -options.max_offset, options.max_offset)),
          static_cast<std::int8_t>(d.between(1, -options.max_offset, options.max_offset)),
          static_cast<std::int8_t>(d.between(2, 1, options.max_half_extent)),
          static_cast<std::int8_t>(d.between(3, 1, options.max_half_extent))};
}

/// Weight of all feature maps of a backbone together in the drawing of candidates; a share of image::channel_groups()
/// weighs kShareUnits. Each supplied map or score weighs 1, up to the same total, so that a single map is not drawn
/// more often than it has thresholds.
constexpr std::uint32_t kShareUnits = 4, kMapShare = 3 * kShareUnits;

/// A kind of feature maps; the kinds are numbered consecutively.
struct MapKind {
  std::uint32_t first, count, share;
};
std::array<MapKind, 3> map_kinds(const TreeChannels& channels) {
  const auto backbone = static_cast<std::uint32_t>(channels.num_backbone_maps),
             supplied = static_cast<std::uint32_t>(channels.num_supplied_maps),
             scores = static_cast<std::uint32_t>(channels.num_scores);
  return {{{0, backbone, backbone > 0 ? kMapShare : 0},
           {backbone, supplied, std::min(supplied, kMapShare)},
           {backbone + supplied, scores, std::min(scores, kMapShare)}}};
}

/// The channels of each group that the model has; each group is repeated according to its share.
std::vector<std::vector<std::uint8_t>> weighted_groups(const image::ChannelLayout& channels) {
  std::vector<std::vector<std::uint8_t>> groups;
  for (const image::ChannelGroup& group : image::channel_groups()) {
    std::vector<std::uint8_t> members;
    for (int c = 0; c < channels.num_channels(); ++c)
      if (channels.group(c) == group) members.push_back(static_cast<std::uint8_t>(c));
    if (!members.empty()) groups.insert(groups.end(), static_cast<std::size_t>(group.share), members);
  }
  return groups;
}

/// Bands of 16 pixel metres in alternating directions keep the first regions of successive features close in x and y.
auto sort_key(const forest::RegionFeature& f) {
  const int band = (f.a.dy + 128) / 16;
  const int dx = band % 2 == 0 ? f.a.dx : -f.a.dx;
  return std::tuple(f.channel_a, f.channel_b, band, dx, f.a.dy, f.b.dy, f.b.dx, f.a.half_w, f.a.half_h, f.b.half_w,
                    f.b.half_h, f.a.dx);
}

/// Range of magnitudes of thresholds: from noise to the full range of a channel.
constexpr float kGridLow = 4.0f, kGridHigh = 16384.0f;

/// Fills thresholds in ascending order.
void fill_grid(const Draw& d, View1<float> thresholds) {
  // Equal steps in the bits of a float are steps of nearly equal ratio in its value, and identical on every device.
  const std::int64_t low = bits_of(kGridLow), span = bits_of(kGridHigh) - low;
  const std::size_t per_sign = thresholds.size / 2, odd = thresholds.size % 2;
  for (std::size_t k = 0; k < per_sign; ++k)
    for (const int word : {0, 1}) {
      const std::int64_t jitter = d.word[word] >> 8;  // in [0, 2^24)
      const std::int64_t at =
          low + span * ((static_cast<std::int64_t>(k) << 24) + jitter) / static_cast<std::int64_t>(per_sign << 24);
      const float magnitude = float_of(static_cast<std::int32_t>(at));
      if (word == 0)
        thresholds[per_sign + odd + k] = magnitude;
      else
        thresholds[per_sign - 1 - k] = -magnitude;
    }
  if (odd) thresholds[per_sign] = 0.0f;
}

}  // namespace

std::vector<forest::RegionFeature> draw_features(const TrainOptions& options, const TreeChannels& channels,
                                                 LevelId id) {
  const auto groups = weighted_groups(channels.layout);
  const auto of_groups = static_cast<std::uint32_t>(groups.size()) * kShareUnits;
  const std::array<MapKind, 3> kinds = map_kinds(channels);
  std::uint32_t num_choices = of_groups;
  for (const MapKind& kind : kinds) num_choices += kind.share;
  std::vector<forest::RegionFeature> features;
  features.reserve(static_cast<std::size_t>(options.features));
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(options.features); ++i) {
    const auto at = [&](std::uint32_t part) {
      return draw(options.seed, RngStream::kCandidate, id.tree, id.level, i, part);
    };
    const Draw choice = at(0);
    std::uint32_t chosen = choice.below(0, num_choices);
    if (chosen >= of_groups) {
      chosen -= of_groups;
      const MapKind* kind = kinds.data();
      for (; chosen >= kind->share; ++kind) chosen -= kind->share;
      features.push_back(forest::map_feature(static_cast<std::int32_t>(kind->first + choice.below(1, kind->count))));
      continue;
    }
    const auto& members = groups[chosen / kShareUnits];
    const auto count = static_cast<std::uint32_t>(members.size());
    forest::RegionFeature feature = {draw_region(options, at(1)), draw_region(options, at(2)),
                                     members[choice.below(1, count)], members[choice.below(2, count)]};
    if (choice.unit(3) < options.unary_feature_fraction) {
      feature.b = {0, 0, 1, 1};
      feature.channel_b = forest::kNoChannel;
    }
    features.push_back(feature);
  }
  std::sort(features.begin(), features.end(),
            [](const forest::RegionFeature& a, const forest::RegionFeature& b) { return sort_key(a) < sort_key(b); });
  return features;
}

void draw_thresholds(const TrainOptions& options, LevelId id, std::uint32_t feature, View1<float> thresholds) {
  fill_grid(draw(options.seed, RngStream::kThreshold, id.tree, id.level, feature), thresholds);
}

void rename_channels(forest::RegionFeature& feature, const std::vector<std::uint8_t>& names) {
  if (forest::reads_map(feature)) return;
  feature.channel_a = names[feature.channel_a];
  if (feature.channel_b != forest::kNoChannel) feature.channel_b = names[feature.channel_b];
}

}  // namespace fernwood::train
