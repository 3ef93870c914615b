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

/// Channels that features may compare: colour with colour, depth with depth (thesis 3.2.1).
struct ChannelGroup {
  std::string_view name;
  int share = 1;  ///< How often candidates are drawn from it, against the other groups of a model.
  bool operator==(const ChannelGroup&) const = default;
};

/// The images of a frame.
enum class FrameImage : std::uint8_t { kColor, kDepth };

/// One plane of a prepared frame before integration: a 15-bit value and a sign, or kUnknown.
using ChannelImage = Array2<std::int16_t>;
inline constexpr std::int16_t kUnknown = -32768;

/// Channels that are computed together: what is known of a row of the table in src/image/channel_table.h.
struct ChannelSet {
  std::string_view name;                       ///< As in `--channels`.
  std::span<const std::string_view> channels;  ///< Names of the planes, in order.
  ChannelGroup group;
  bool by_default = true;       ///< Whether training reads it unless told which to read.
  bool needs_color = false;     ///< What a frame must have.
  bool needs_depth = false;     ///< Likewise; values are unknown exactly where depth is.
  bool needs_geometry = false;  ///< Made from the surfaces in the depth image, for which the camera must be known.
  bool needs_room = false;      ///< And from where they lie in their room.
  std::int16_t least = 0, greatest = 0;  ///< Known values lie between these.
  std::string_view help;                 ///< One line: meaning and unit.
};

/// All channel sets there are.
std::span<const ChannelSet> channel_sets();

/// All groups there are, in the order in which candidates choose among them: larger shares first, then as
/// channel_sets() have them; last what an earlier stage says.
const std::vector<ChannelGroup>& channel_groups();

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
  const ChannelGroup& group(int channel) const { return groups_[channel]; }
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
  bool needs_room() const;
  /// Whether a channel is unknown exactly where depth is; all such channels share one plane of counts. Others are known
  /// everywhere.
  bool follows_depth(int channel) const { return follows_depth_[channel]; }
  /// The image that a channel comes from, or is best looked at in.
  FrameImage image(int channel) const { return follows_depth(channel) ? FrameImage::kDepth : FrameImage::kColor; }
  bool operator==(const ChannelLayout& other) const { return names_ == other.names_; }

 private:
  std::vector<std::string> set_names_, names_;
  std::vector<const ChannelSet*> sets_;
  std::vector<ChannelGroup> groups_;
  std::vector<bool> follows_depth_;
  std::vector<std::pair<std::int16_t, std::int16_t>> ranges_;
  int depth_channel_ = -1, num_context_ = 0;
};

}  // namespace fernwood::image
