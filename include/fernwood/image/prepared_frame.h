// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "fernwood/core/parallel.h"
#include "fernwood/image/channels.h"
#include "fernwood/image/context.h"

namespace fernwood::image {

/// Most rows and columns that a frame may have: pixels are named by 16 bits each way.
inline constexpr std::size_t kMaxFrameSide = 65535;

/// Most channels that a frame may have; one byte addresses a channel in a feature.
inline constexpr int kMaxChannels = 64;

/// What features read: the integral images of a frame, as plain numbers, so that a kernel can take it by value.
/// Plane p holds [(rows + 1) * stride] wrapped sums; the first num_channels planes are the channels' sums,
/// planes behind them count known pixels.
struct FrameView {
  const std::uint32_t* planes = nullptr;
  std::int32_t rows = 0, cols = 0;
  std::int32_t stride = 0;          ///< At least cols + 1.
  std::int32_t plane_size = 0;      ///< (rows + 1) * stride.
  std::int32_t depth_channel = -1;  ///< See ChannelLayout::depth_channel.
  /// [channel] plane with the count of known pixels; -1: all are known. Channels may share one.
  std::int32_t count_plane[kMaxChannels] = {};
};

/// How frames become channels; part of a model, so that prediction prepares frames as training did.
struct Preparation {
  ChannelLayout channels;
  DepthFilling depth_filling = DepthFilling::kNone;
  std::optional<Camera> camera = {};  ///< Took the frames that do not name theirs; empty: assumed_camera().
  bool operator==(const Preparation&) const = default;
};

/// A frame ready for region features.
class PreparedFrame {
 public:
  PreparedFrame() = default;
  /// Computes the channels of `frame` and integrates them.
  /// @param pool  Whose threads do it; null: the calling one alone.
  /// @throws Error(kData) when the frame lacks colour or depth that a channel needs, when their sizes differ, or when
  /// it
  ///         is too large.
  PreparedFrame(const Frame& frame, const Preparation& preparation, ThreadPool* pool = nullptr);

  /// Computes the context channels. Until then their planes are 0.
  /// @param maps  Of the frame, by an earlier stage: as many classes as the layout has context channels.
  /// @throws Error(kUsage) when maps and frame differ in size or classes.
  void set_context(const ContextMaps& maps, ThreadPool* pool = nullptr);

  FrameView view() const;
  std::size_t size_bytes() const { return num_sums_ * sizeof(std::uint32_t); }

 private:
  std::uint32_t* plane(std::size_t index) const;

  FrameView layout_;  // planes is null; view() sets it
  std::int32_t num_channels_ = 0, num_context_ = 0;
  std::size_t num_sums_ = 0;
  std::unique_ptr<std::uint32_t[]> planes_;  // not a vector, which would clear what integration fills anyway
};

}  // namespace fernwood::image
