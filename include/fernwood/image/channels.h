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

/// Channels that a feature may compare with each other: colour with colour, depth with depth (thesis 3.2.1).
struct ChannelGroup {
  std::string_view name;
  int share = 1;  ///< Relative frequency of candidates from this group, among the groups of a model.
  bool operator==(const ChannelGroup&) const = default;
};

/// The images of a frame.
enum class FrameImage : std::uint8_t { kColor, kDepth };

/// One plane of a prepared frame before integration: a 15-bit value and a sign, or kUnknown.
using ChannelImage = Array2<std::int16_t>;
inline constexpr std::int16_t kUnknown = -32768;

/// Channels that are computed together: the public part of a row of the table in src/image/channel_table.h.
struct ChannelSet {
  std::string_view name;                       ///< As in `--channels`.
  std::span<const std::string_view> channels;  ///< Names of the planes, in order.
  ChannelGroup group;
  bool by_default = true;       ///< Whether training reads it if no channels are chosen.
  bool needs_color = false;     ///< Whether frames must have colour.
  bool needs_depth = false;     ///< Whether frames must have depth; values are then unknown exactly where depth is.
  bool needs_geometry = false;  ///< Computed from surface normals and heights, which require the camera.
  bool needs_room = false;      ///< Also computed from the scene layout.
  std::int16_t least = 0, greatest = 0;  ///< Range of the known values, both included.
  std::string_view help;                 ///< One line: meaning and unit.
};

/// All channel sets.
std::span<const ChannelSet> channel_sets();

/// All channel groups, in the order in which candidates are assigned to them: by decreasing share, then in the order of
/// channel_sets(); the group of context channels is last.
const std::vector<ChannelGroup>& channel_groups();

/// The channels of a model, in order: a selection from channel_sets() and optional context channels.
class ChannelLayout {
 public:
  ChannelLayout() = default;
  /// @param set_names  For example {"lab", "depth"}. @throws Error(kUsage) for an unknown or repeated set, or none.
  /// @param context_classes  Classes whose probabilities by the previous stage are further channels, after the others.
  explicit ChannelLayout(const std::vector<std::string>& set_names,
                         const std::vector<std::string>& context_classes = {});

  /// The same channels without the context channels.
  ChannelLayout without_context() const { return ChannelLayout(set_names_); }

  const std::vector<std::string>& set_names() const { return set_names_; }
  const std::vector<const ChannelSet*>& sets() const { return sets_; }
  int num_channels() const { return static_cast<int>(names_.size()); }
  const std::string& name(int channel) const { return names_[channel]; }
  const ChannelGroup& group(int channel) const { return groups_[channel]; }
  /// Range of the known values of a channel, both included.
  std::int16_t least(int channel) const { return ranges_[channel].first; }
  std::int16_t greatest(int channel) const { return ranges_[channel].second; }
  /// The channel by which offsets are divided; -1: none, offsets are in pixels.
  int depth_channel() const { return depth_channel_; }
  int num_context() const { return num_context_; }
  /// The first context channel; context channels come last.
  int context_channel() const { return num_channels() - num_context_; }
  bool needs_color() const;
  bool needs_depth() const;
  bool needs_geometry() const;
  bool needs_room() const;
  /// Whether a channel is unknown exactly where depth is; on a GPU all such channels share one plane of counts. Other
  /// channels are known everywhere.
  bool follows_depth(int channel) const { return follows_depth_[channel]; }
  /// The image from which a channel is computed, or (for context channels) in which it is best displayed.
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
