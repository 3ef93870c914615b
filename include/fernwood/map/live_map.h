// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>

#include "fernwood/map/voxel_recording.h"
#include "fernwood/predict/live.h"

namespace fernwood::map {

/// How a map is made of frames while they are labelled.
struct LiveMapOptions {
  /// Each frame is fused, and whoever offers one waits for that. Else a frame is fused when the one before is, and the
  /// thread rests twice as long as it worked, so that labelling has the cores.
  bool every_frame = false;
  double publish_every_s = 2;  ///< The least time between two looks at the map.
};

/// Fuses labelled frames into a map on a thread of its own. Poses are those of the source; where it has none, each
/// frame is registered to the one that was fused before, the first being the room's origin.
class LiveMap {
 public:
  /// A look at the map, on its thread, which waits meanwhile.
  using Publish = std::function<void(const VoxelMap& map, const RecordingReport& so_far)>;

  /// @param has_poses  Of the source. @param publish  May be empty.
  LiveMap(VoxelMap map, bool has_poses, const LiveMapOptions& options, Publish publish = {});
  ~LiveMap();
  LiveMap(const LiveMap&) = delete;
  LiveMap& operator=(const LiveMap&) = delete;

  /// Whether a frame that is offered now would be fused: of others, probabilities are not needed. From any thread.
  bool wants_frame() const;
  /// Takes a frame if it is wanted and has depth and probabilities; else leaves it. From one thread.
  /// @throws what ended the map's thread, if something did.
  void offer(const predict::LiveFrame& frame);
  /// Fuses what was taken, and ends. @throws as offer().
  RecordingReport finish();
  /// When it has finished.
  const VoxelMap& map() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace fernwood::map
