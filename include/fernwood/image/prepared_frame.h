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

namespace fernwood::image {

/// Maximum number of channels of a frame; a feature stores a channel number in one byte.
inline constexpr int kMaxChannels = 64;

/// The integral images of a frame, as features read them on a CPU. A channel without unknown pixels has a plane of
/// sums. A channel with unknown pixels has a plane of pairs: the signed sum plus 2^32 times the count of known pixels,
/// so that one load reads both. Sums and pairs wrap around; their differences are exact.
struct FrameView {
  const std::uint32_t* sums = nullptr;   ///< [sum plane][plane_size]
  const std::uint64_t* pairs = nullptr;  ///< [pair plane][plane_size]
  std::int32_t rows = 0, cols = 0;
  std::int32_t stride = 0;                     ///< Distance between successive rows, in elements.
  std::int32_t plane_size = 0;                 ///< (rows + 1) * stride.
  std::int32_t depth_channel = -1;             ///< See ChannelLayout::depth_channel.
  std::int16_t sum_plane[kMaxChannels] = {};   ///< [channel] -1: it has a pair plane.
  std::int16_t pair_plane[kMaxChannels] = {};  ///< [channel] -1: all its pixels are known.
  MapsView maps;                               ///< Without levels if the model reads no maps.
};

/// The value of a feature map at a pixel. The templates of forest/region_feature.h find this overload by
/// argument-dependent lookup.
FW_HD float map_at(const FrameView& frame, std::int32_t map, std::int32_t x, std::int32_t y) {
  return map_value(frame.maps, map, x, y);
}

/// Sum over the known pixels of a region, and their number.
struct SumAndCount {
  std::int32_t sum, count;
};

/// Separates sum and count. @param pair  Difference of elements of a plane of pairs, see FrameView.
FW_HD SumAndCount sum_and_count(std::uint64_t pair) {
  const auto sum = static_cast<std::int32_t>(pair);
  // A negative sum has borrowed one from the count.
  return {sum, static_cast<std::int32_t>(pair >> 32) - (sum >> 31)};
}

/// Computation of channels from frames; part of a model, so that prediction prepares frames as training did.
struct Preparation {
  ChannelLayout channels;
  DepthFilling depth_filling = DepthFilling::kNone;
  std::optional<Camera> camera = {};           ///< Camera of frames that do not specify one; empty: assumed_camera().
  std::shared_ptr<const MapSource> maps = {};  ///< Backbone whose feature maps features may read; null: none.
  std::vector<MapRange> supplied_maps = {};    ///< [map] Ranges of the supplied maps, which follow those of `maps`.
  /// Linear classifier of both kinds of maps; its scores are further maps, after these. Null: none.
  std::shared_ptr<const LinearHead> head = {};

  bool needs_color() const { return channels.needs_color() || maps != nullptr; }
  /// Number of maps of the backbone, of supplied maps, of scores of the head, and of all maps.
  int num_backbone_maps() const { return maps ? maps->num_maps() : 0; }
  int num_supplied_maps() const { return static_cast<int>(supplied_maps.size()); }
  int num_scores() const { return head ? head->num_scores() : 0; }
  int num_maps() const { return num_backbone_maps() + num_supplied_maps() + num_scores(); }
  bool has_maps() const { return num_maps() > 0; }
  /// For example "map 217 of stride 32", "supplied map 3", or "score of floor". @param map  In [0, num_maps()).
  std::string map_name(int map) const;
  /// @param channel  Index in `channels`, or kMapChannel.
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

/// Computes all feature maps of a frame: those of the backbone, supplied maps and scores of the head.
/// @param frame  On the host, with FrameImages::is_plain(). @param pool  As in MapSource::find_maps().
/// @param of_backbone  The maps of the backbone if they are known.
FeatureMaps find_maps(const FrameImages& frame, const Preparation& preparation, ThreadPool* pool,
                      FeatureMaps of_backbone = {});

/// A frame for which region features can be evaluated: its integral images and feature maps.
class PreparedFrame {
 public:
  PreparedFrame() = default;
  /// Computes the channels of `frame`, their integral images, and its feature maps.
  /// @param frame  On the host; copied only if FrameImages::is_plain() is false.
  /// @param pool   Threads to use; null: only the calling thread.
  /// @param of_backbone  The maps of the backbone if they are known.
  /// @throws Error(kData) if the frame lacks colour or depth that a channel needs, or is too large; and as
  ///         check_frame_images() does.
  PreparedFrame(const FrameImages& frame, const Preparation& preparation, ThreadPool* pool = nullptr,
                FeatureMaps of_backbone = {});

  /// The same frame with the scores of a head, which reads the maps of this frame. Both frames share their planes, so
  /// set_context() must not be called for either afterwards.
  PreparedFrame with_scores(const LinearHead& head) const;

  /// Computes the context channels. Before this call their planes are 0.
  /// @param maps  Class probabilities of the frame by the previous stage, one class per context channel.
  /// @throws Error(kUsage) if the size or the number of classes does not match the frame.
  void set_context(const ContextMaps& maps, ThreadPool* pool = nullptr);

  FrameView view() const;
  std::size_t size_bytes() const {
    return num_sums_ * sizeof(std::uint32_t) + num_pairs_ * sizeof(std::uint64_t) + maps_.size_bytes();
  }

 private:
  std::uint32_t* sum_plane(std::size_t channel) const;
  std::uint64_t* pair_plane(std::size_t channel) const;

  FrameView layout_;  // its sums and pairs are null; view() sets them
  std::int32_t num_channels_ = 0, num_context_ = 0;
  std::size_t num_sums_ = 0, num_pairs_ = 0;
  std::shared_ptr<std::uint32_t[]> sums_;  // not vectors, which would clear memory that integration overwrites
  std::shared_ptr<std::uint64_t[]> pairs_;
  FeatureMaps maps_;
};

}  // namespace fernwood::image
