// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fernwood/image/frame.h"

namespace fernwood::image {

/// Features compare channels of one group only: colour with colour, depth with depth (thesis 3.2.1).
enum class ChannelGroup : std::uint8_t { kColor, kDepth, kGradient, kHeight, kUpright, kFacing, kContext };

/// The images of a frame.
enum class FrameImage : std::uint8_t { kColor, kDepth };
/// The image that a group of channels comes from, or is best looked at in.
FrameImage image_of(ChannelGroup group);

/// One plane of a prepared frame before integration: a 15-bit value and a sign, or kUnknown.
using ChannelImage = Array2<std::int16_t>;
inline constexpr std::int16_t kUnknown = -32768;

struct Geometry;  // src/image/geometry.h

/// What channels are computed from.
struct ChannelInput {
  const Frame& frame;        ///< Its depth is filled already.
  const Geometry* geometry;  ///< Null when no channel needs it.
};

/// Channels that are computed together. To add a channel, add a row to the table in src/image/channels.cpp.
struct ChannelSet {
  std::string_view name;                   ///< As in `--channels`.
  std::vector<std::string_view> channels;  ///< Names of the planes, in order.
  ChannelGroup group;
  bool needs_color, needs_depth;  ///< What a frame must have.
  std::string_view help;          ///< One line: meaning and unit.
  std::int16_t least, greatest;   ///< Known values lie between these.
  bool has_geometry;  ///< Made from the surfaces in the depth image: see geometry.h. Unknown where depth is.
  void (*compute)(const ChannelInput& input, std::span<ChannelImage> planes);  ///< Fills one plane per channel.
};

/// All channel sets there are.
const std::vector<ChannelSet>& channel_sets();

/// The channels of a model, in order: a choice among channel_sets().
class ChannelLayout {
 public:
  ChannelLayout() = default;
  /// @param set_names  For example {"lab", "depth"}. @throws Error(kUsage) naming an unknown, doubled or missing set.
  /// @param context_classes  Classes whose probabilities, by an earlier stage, are further channels behind the others.
  explicit ChannelLayout(const std::vector<std::string>& set_names,
                         const std::vector<std::string>& context_classes = {});

  /// The same channels without those of an earlier stage.
  ChannelLayout without_context() const { return ChannelLayout(set_names_); }

  const std::vector<std::string>& set_names() const { return set_names_; }
  const std::vector<const ChannelSet*>& sets() const { return sets_; }
  int num_channels() const { return static_cast<int>(names_.size()); }
  const std::string& name(int channel) const { return names_[channel]; }
  ChannelGroup group(int channel) const { return groups_[channel]; }
  /// Known values of a channel lie between these.
  std::int16_t least(int channel) const { return ranges_[channel].first; }
  std::int16_t greatest(int channel) const { return ranges_[channel].second; }
  /// The channel that offsets are normalised with, or -1: then offsets are in pixels.
  int depth_channel() const { return depth_channel_; }
  int num_context() const { return num_context_; }
  /// The first context channel: those are the last ones.
  int context_channel() const { return num_channels() - num_context_; }
  bool needs_color() const;
  bool needs_depth() const;
  bool needs_geometry() const;
  /// Whether a channel is unknown exactly where depth is; all such channels share one plane of counts. Others are known
  /// everywhere.
  bool follows_depth(int channel) const;
  bool operator==(const ChannelLayout& other) const { return names_ == other.names_; }

 private:
  std::vector<std::string> set_names_, names_;
  std::vector<const ChannelSet*> sets_;
  std::vector<ChannelGroup> groups_;
  std::vector<std::pair<std::int16_t, std::int16_t>> ranges_;
  int depth_channel_ = -1, num_context_ = 0;
};

}  // namespace fernwood::image
