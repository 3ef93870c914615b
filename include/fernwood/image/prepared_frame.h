// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/parallel.h"
#include "fernwood/image/channels.h"
#include "fernwood/image/context.h"
#include "fernwood/image/feature_maps.h"
#include "fernwood/image/linear_head.h"

namespace fernwood::image {

/// Most channels that a frame may have; one byte addresses a channel in a feature.
inline constexpr int kMaxChannels = 64;

/// What features read on a processor: the integral images of a frame, as plain numbers. A channel whose pixels are all
/// known has a plane of sums; one with unknown pixels has a plane of pairs, sum and count of known pixels in one
/// number, so that one load brings both: the sum, with its sign, plus 2^32 times the count. Both are modulo their size;
/// differences are exact.
struct FrameView {
  const std::uint32_t* sums = nullptr;   ///< [sum plane][plane_size]
  const std::uint64_t* pairs = nullptr;  ///< [pair plane][plane_size]
  std::int32_t rows = 0, cols = 0;
  std::int32_t stride = 0;                     ///< From one row to the next.
  std::int32_t plane_size = 0;                 ///< (rows + 1) * stride.
  std::int32_t depth_channel = -1;             ///< See ChannelLayout::depth_channel.
  std::int16_t sum_plane[kMaxChannels] = {};   ///< [channel] -1: it has a pair plane.
  std::int16_t pair_plane[kMaxChannels] = {};  ///< [channel] -1: all its pixels are known.
  MapsView maps;                               ///< Without levels where the model reads no maps.
};

/// The value of a feature map at a pixel; for the formulas of forest/region_feature.h, whose templates look for it
/// here.
FW_HD float map_at(const FrameView& frame, std::int32_t map, std::int32_t x, std::int32_t y) {
  return map_value(frame.maps, map, x, y);
}

/// Sum and count of some pixels.
struct SumAndCount {
  std::int32_t sum, count;
};

/// @param pair  A difference of numbers of a plane of pairs, see FrameView.
FW_HD SumAndCount sum_and_count(std::uint64_t pair) {
  const auto sum = static_cast<std::int32_t>(pair);
  // A negative sum has taken one from the count above it.
  return {sum, static_cast<std::int32_t>(pair >> 32) - (sum >> 31)};
}

/// How frames become channels; part of a model, so that prediction prepares frames as training did.
struct Preparation {
  ChannelLayout channels;
  DepthFilling depth_filling = DepthFilling::kNone;
  std::optional<Camera> camera = {};           ///< Took the frames that do not name theirs; empty: assumed_camera().
  std::shared_ptr<const MapSource> maps = {};  ///< Whose feature maps features may read; null: there are none.
  std::vector<MapRange> supplied_maps = {};    ///< [map] Of the maps that frames bring, behind those of `maps`.
  /// Reads both kinds of maps, and its scores are further ones, behind them; null: there is none.
  std::shared_ptr<const LinearHead> head = {};

  bool needs_color() const { return channels.needs_color() || maps != nullptr; }
  /// Of a backbone, those that frames bring, and of a head; and all of them.
  int num_backbone_maps() const { return maps ? maps->num_maps() : 0; }
  int num_supplied_maps() const { return static_cast<int>(supplied_maps.size()); }
  int num_scores() const { return head ? head->num_scores() : 0; }
  int num_maps() const { return num_backbone_maps() + num_supplied_maps() + num_scores(); }
  bool has_maps() const { return num_maps() > 0; }
  /// Such as "map 217 of stride 32", "supplied map 3", or "score of floor". @param map  In [0, num_maps()).
  std::string map_name(int map) const;
  /// @param channel  Of `channels`, or kMapChannel.
  std::string channel_name(int channel) const {
    if (channel != kMapChannel) return channels.name(channel);
    return maps ? maps->name() + (supplied_maps.empty() ? " maps" : " and supplied maps") : "supplied maps";
  }
  bool operator==(const Preparation& other) const {
    return channels == other.channels && depth_filling == other.depth_filling && camera == other.camera &&
           (maps ? maps->checksum() : "") == (other.maps ? other.maps->checksum() : "") &&
           supplied_maps == other.supplied_maps && (head ? other.head && *head == *other.head : !other.head);
  }
};

/// The feature maps of a frame, all kinds. @param frame  On the host and plain. @param pool  As of
/// MapSource::find_maps().
FeatureMaps find_maps(const FrameImages& frame, const Preparation& preparation, ThreadPool* pool);

/// A frame ready for region features.
class PreparedFrame {
 public:
  PreparedFrame() = default;
  /// Computes the channels of `frame`, integrates them, and finds its feature maps.
  /// @param pool  Whose threads do it; null: the calling one alone.
  /// @param frame  On the host; copied only where it is not plain.
  /// @throws Error(kData) when the frame lacks colour or depth that a channel needs, or is too large; as
  ///         check_frame_images() does.
  PreparedFrame(const FrameImages& frame, const Preparation& preparation, ThreadPool* pool = nullptr);

  /// The same frame with the scores of a head, which reads the maps that are there. It shares their planes: neither may
  /// be given context afterwards.
  PreparedFrame with_scores(const LinearHead& head) const;

  /// Computes the context channels. Until then their planes are 0.
  /// @param maps  Of the frame, by an earlier stage: as many classes as the layout has context channels.
  /// @throws Error(kUsage) when maps and frame differ in size or classes.
  void set_context(const ContextMaps& maps, ThreadPool* pool = nullptr);

  FrameView view() const;
  std::size_t size_bytes() const {
    return num_sums_ * sizeof(std::uint32_t) + num_pairs_ * sizeof(std::uint64_t) + maps_.size_bytes();
  }

 private:
  std::uint32_t* sum_plane(std::size_t channel) const;
  std::uint64_t* pair_plane(std::size_t channel) const;

  FrameView layout_;  // sums and pairs are null; view() sets them
  std::int32_t num_channels_ = 0, num_context_ = 0;
  std::size_t num_sums_ = 0, num_pairs_ = 0;
  std::shared_ptr<std::uint32_t[]> sums_;  // not vectors, which would clear what integration fills anyway
  std::shared_ptr<std::uint64_t[]> pairs_;
  FeatureMaps maps_;
};

}  // namespace fernwood::image
