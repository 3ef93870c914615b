// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>

#include "fernwood/map/voxel_recording.h"
#include "fernwood/predict/live.h"

namespace fernwood::map {

/// Options of a map that is built while frames are labelled.
struct LiveMapOptions {
  /// True: each frame is fused, and offer() blocks if necessary. False: frames that arrive during the fusion of another
  /// one are skipped, and the thread sleeps twice as long as it worked, so that the cores are free for labelling.
  bool every_frame = false;
  double publish_every_s = 2;  ///< Minimum interval between two calls of Publish, in seconds.
};

/// Fuses labelled frames into a map on its own thread. Poses are those of the source; for a source without poses, each
/// frame is registered to the previously fused one, and the first frame defines the origin of the room.
class LiveMap {
 public:
  /// Receives the map from time to time, on the map's thread, which is blocked meanwhile.
  using Publish = std::function<void(const VoxelMap& map, const RecordingReport& so_far)>;

  /// @param has_poses  Whether the source has poses. @param publish  May be empty.
  LiveMap(VoxelMap map, bool has_poses, const LiveMapOptions& options, Publish publish = {});
  ~LiveMap();
  LiveMap(const LiveMap&) = delete;
  LiveMap& operator=(const LiveMap&) = delete;

  /// Whether a frame offered now would be fused; otherwise its probabilities need not be computed. May be called from
  /// any thread.
  bool wants_frame() const;
  /// Accepts a frame if it is wanted and has depth and probabilities, otherwise ignores it. Must be called from one
  /// thread. @throws the exception that ended the map's thread, if any.
  void offer(const predict::LiveFrame& frame);
  /// Fuses the frames accepted so far, and ends the thread. @throws as offer().
  RecordingReport finish();
  /// The map; only valid after finish().
  const VoxelMap& map() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace fernwood::map
