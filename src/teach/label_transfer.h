// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/image/labels.h"
#include "fernwood/teach/project.h"
#include "fernwood/web/web_server.h"
#include "image/registration.h"
#include "teach/painting.h"
#include "teach/truth.h"

namespace fernwood::teach {

/// Labels of a frame from another one that sees the same points: where its depth agrees with that of the other frame to
/// within two per cent; kVoid where it does not, where a point is occluded, and where depth is unknown.
/// @param motion  From coordinates of `to` to those of `from`.
image::LabelImage transfer_from_neighbour(const image::LabelImage& labels, const image::DepthView& from,
                                          const image::DepthView& to, const image::RigidMotion& motion);

/// Maximum distance between a frame with strokes and one that labels are transferred to, in frames.
inline constexpr std::size_t kMaxTransferSteps = 10;
/// The nearest frame with strokes in the order of the project, the earlier of two; empty if none is near enough.
std::optional<std::size_t> nearest_taught(const Project& project, std::size_t frame);

/// A frame through which labels are transferred, readable from any thread.
struct FrameOnTheWay {
  std::string name;
  std::function<image::Frame()> read;
};
struct TransferredLabels {
  image::LabelImage labels;
  double share = 0;      ///< Share of the labelled pixels there that are found here.
  std::size_t from = 0;  ///< Index, among the given frames, of the one that contributed most labels.
};
/// A frame whose labels are transferred by its pose, readable from any thread.
struct PosedFrame {
  std::function<image::Frame()> read;
  image::RigidMotion pose;
  std::function<image::LabelImage()> labels;
};
/// Transfers labels from frames of a room to another frame of it, however far apart, as carry_labels() does.
/// @throws Error(kUsage) if none of them sees the same points as the other.
TransferredLabels transfer_by_poses(const std::vector<PosedFrame>& from, const FrameOnTheWay& to,
                                    const image::RigidMotion& pose);

/// The frames from the target of the transfer to the frame with labels, both included.
std::vector<FrameOnTheWay> way_between(const Project& project, std::size_t to, std::size_t from);
/// Transfers labels along a recording, by composing the motions between successive frames.
/// @throws Error(kUsage) naming frames that do not fit each other, or have no depth.
TransferredLabels transfer_labels(const std::vector<FrameOnTheWay>& way, const image::LabelImage& labels);

/// Labels that pages had transferred to frames, and may accept.
class Suggestions {
 public:
  Suggestions(const Project& project, const Truth& truth, web::WebServer& server)
      : project_(project), truth_(truth), server_(server) {}

  /// Transfers labels to a frame on another thread: from the frames with strokes in the same room if poses are known,
  /// else from the nearest in the recording. @param answer  Called with the rest of the answer for the page.
  /// @throws Error(kUsage) if there is none.
  void transfer(std::size_t frame, std::function<void(nlohmann::json rest)> answer);
  /// @throws Error(kUsage) if nothing is suggested for a frame.
  const PackedLabels& of(std::size_t frame) const;
  void forget(std::size_t frame) { labels_.erase(frame); }
  void clear() { labels_.clear(); }

 private:
  const Project& project_;
  const Truth& truth_;
  web::WebServer& server_;
  std::map<std::size_t, PackedLabels> labels_;  // [frame]
};

}  // namespace fernwood::teach
