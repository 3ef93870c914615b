// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/image/labels.h"
#include "fernwood/teach/project.h"
#include "image/registration.h"

namespace fernwood::teach {

/// Labels of a frame as another sees the same places: where its depth, seen from the first frame, is what the first has
/// there, to within two in a hundred; kVoid where it is not, where something is in between, and where depth is unknown.
/// @param motion  Of places of `to` to places of `from`.
image::LabelImage transfer_from_neighbour(const image::LabelImage& labels, const image::DepthView& from,
                                          const image::DepthView& to, const image::RigidMotion& motion);

/// Frames between one that has strokes and one that labels are transferred to, at most.
inline constexpr std::size_t kMostTransferSteps = 10;
/// The frame with strokes that is nearest in the order of the project, the earlier of two; nothing when none is near.
std::optional<std::size_t> nearest_taught(const Project& project, std::size_t frame);

/// A frame that labels are transferred by, as any thread may read it.
struct FrameOnTheWay {
  std::string name;
  std::function<image::Frame()> read;
};
struct TransferredLabels {
  image::LabelImage labels;
  double share = 0;      ///< Of the pixels that are labelled there, so many are found again here.
  std::size_t from = 0;  ///< The frame that gave most of them, by its place among those that were asked.
};
/// A frame whose labels are transferred by its pose, as any thread may read it.
struct PosedFrame {
  std::function<image::Frame()> read;
  image::RigidMotion pose;
  std::function<image::LabelImage()> labels;
};
/// Transfers labels of frames of a room to another of that room, however far apart, as carry_labels() does.
/// @throws Error(kUsage) where none of them sees what the other sees.
TransferredLabels transfer_by_poses(const std::vector<PosedFrame>& from, const FrameOnTheWay& to,
                                    const image::RigidMotion& pose);

/// The frames from the one that labels are transferred to, to the one that has them, both included.
std::vector<FrameOnTheWay> way_between(const Project& project, std::size_t to, std::size_t from);
/// Transfers labels from frame to frame of a recording, with the motions from each to the next put together.
/// @throws Error(kUsage) naming the frames that do not fit, or that have no depth.
TransferredLabels transfer_labels(const std::vector<FrameOnTheWay>& way, const image::LabelImage& labels);

}  // namespace fernwood::teach
