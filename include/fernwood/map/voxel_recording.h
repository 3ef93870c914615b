// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/progress.h"
#include "fernwood/forest/forest.h"
#include "fernwood/image/pose_agreement.h"
#include "fernwood/map/voxel_map.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/live.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/recordings/frame_source.h"

namespace fernwood::map {

/// Selection of the frames of a recording that are mapped.
struct RecordingOptions {
  int every = 1;               ///< Map one frame in `every`, beginning with the first.
  std::size_t max_frames = 0;  ///< Maximum number of selected frames; 0: until the end of the source.

  static OptionTable<RecordingOptions> table();
  void check() const;  ///< @throws OptionError.
};

/// Options for labelling the frames of a map: an unset smoothing extent becomes that of videos, kVideoSmoothingPx.
predict::PredictOptions labelling_for_map(predict::PredictOptions options);

/// An empty map with a forest's classes, whose labels are chosen with the same weights and the same least confidence as
/// those of frames.
/// @param predict  Options for labelling the frames. @throws OptionError.
VoxelMap empty_map(const forest::Forest& forest, const predict::PredictOptions& predict,
                   const MapOptions& options = {});

/// @param map_name, forest_name  Names in messages.
/// @throws Error(kModel) unless the forest has the classes of the map to be continued.
void check_classes(const VoxelMap& map, const forest::Forest& forest, const std::string& map_name,
                   const std::string& forest_name);
/// @param continued  Map that the frames extend; null: they begin a new one. @throws Error(kUsage) for a camera without
/// a limit of frames, where frames and map have different coordinates, because one of them has no given poses, and
/// where objects are to be tracked in a map that was made without.
void check_source(const recordings::FrameSource& source, const RecordingOptions& options, const VoxelMap* continued,
                  bool tracks_objects);

/// @throws Error(kData) for a source without depth.
void check_depth(const recordings::FrameSource& source);

/// Statistics of mapping a recording.
struct RecordingReport {
  std::size_t num_frames = 0;  ///< Frames selected by RecordingOptions: the fused ones and those of the next 3 counts.
  std::size_t num_fused = 0;
  std::size_t num_without_pose = 0;  ///< Excluded: without a pose, or with one that is not a rigid motion.
  std::size_t num_unregistered = 0;  ///< Excluded: the motion could not be estimated.
  std::size_t num_jumps = 0;         ///< Excluded: the pose does not fit the depth of the previous frame.
  std::size_t num_refused_pixels = 0, num_pixels = 0;  ///< Pixels beyond the memory budget; pixels fused.
  bool estimated_poses = false;                        ///< Whether poses were estimated from depth.
  image::PoseAgreement agreement;                      ///< Agreement of the source's poses with depth.
  Durations predict, locate, integrate;
  Durations objects;  ///< Tracking objects.
  double seconds = 0;
  std::vector<std::optional<image::RigidMotion>> poses;  ///< [selected frame] Empty for frames that were excluded.
};

/// Receives the number of frames done so far. May throw to stop.
using FrameProgress = std::function<void(std::size_t num_frames)>;

/// Labels the frames of a source and fuses them into a map. Poses are those of the source; for a source without poses,
/// each frame is registered to the previous one, and the first frame defines the origin of the room.
/// @param finder  Finds the objects of each fused frame, which are tracked by VoxelMap::objects(); null: none.
/// @throws Error(kData) for a source without depth or frames, and when no frame could be fused.
RecordingReport map_recording(recordings::FrameSource& source, predict::Predictor& predictor, VoxelMap& map,
                              ThreadPool& pool, const RecordingOptions& options = {},
                              const FrameProgress& progress = {}, objects::ObjectFinder* finder = nullptr);

/// Warnings about a run, for the user: one sentence each.
std::vector<OptionSentence> recording_warnings(const RecordingReport& report, const VoxelMap& map,
                                               const std::string& source);

/// Renders labels for the frames of a recording from a map, one after another. Pixels without depth, pixels where the
/// map is empty, and frames that were excluded from it have the labels of the predictor.
class RecordingRenderer {
 public:
  /// The arguments must outlive the renderer; frames fused later do not affect it.
  /// @param poses  RecordingReport::poses.
  RecordingRenderer(predict::Predictor& predictor, const VoxelMap& map, ThreadPool& pool,
                    const std::vector<std::optional<image::RigidMotion>>& poses)
      : predictor_(predictor), renderer_(map), pool_(pool), poses_(poses) {}

  /// Labels of the next selected frame; to be called for each of them, in order.
  image::LabelImage label(const recordings::CapturedFrame& frame);

 private:
  predict::Predictor& predictor_;
  MapRenderer renderer_;
  ThreadPool& pool_;
  const std::vector<std::optional<image::RigidMotion>>& poses_;
  std::size_t num_labelled_ = 0;
};

/// Receives the labels of a frame from RecordingRenderer.
using TakeLabels = std::function<void(const recordings::CapturedFrame& frame, const image::LabelImage& labels)>;
/// Reads a recording a second time and renders each selected frame from the map.
/// @param source  Must be opened anew. @param poses  RecordingReport::poses.
void render_recording(recordings::FrameSource& source, predict::Predictor& predictor, const VoxelMap& map,
                      ThreadPool& pool, const RecordingOptions& options,
                      const std::vector<std::optional<image::RigidMotion>>& poses, const TakeLabels& take);

/// Options of a map that is built while frames are labelled.
struct LiveMapOptions {
  /// True: each frame is fused, and show() blocks if necessary. False: frames that arrive during the fusion of another
  /// one are skipped, and the thread sleeps twice as long as it worked, so that the cores are free for labelling.
  bool every_frame = false;
  double publish_every_s = 2;   ///< Minimum interval between two calls of Publish, in seconds.
  bool tracks_objects = false;  ///< Tracks those of the frames (predict::LiveOptions::finder) in VoxelMap::objects().
};

/// Fuses labelled frames into a map on its own thread. Poses are those of the source; for a source without poses, each
/// frame is registered to the previously fused one, and the first frame defines the origin of the room.
class LiveMap : public predict::LiveOutput {
 public:
  /// Receives the map from time to time, on the map's thread, which is blocked meanwhile.
  using Publish = std::function<void(const VoxelMap& map, const RecordingReport& so_far)>;

  /// @param has_poses  Whether the source has poses. @param publish  May be empty.
  LiveMap(VoxelMap map, bool has_poses, const LiveMapOptions& options, Publish publish = {});
  ~LiveMap() override;
  LiveMap(const LiveMap&) = delete;
  LiveMap& operator=(const LiveMap&) = delete;

  /// Whether a frame shown now would be fused; otherwise its probabilities need not be computed. May be called from any
  /// thread.
  bool wants_probabilities() const override;
  /// Accepts a frame if it is wanted and has depth and probabilities, otherwise ignores it. Must be called from one
  /// thread. @throws the exception that ended the map's thread, if any.
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override;
  /// Fuses the frames accepted so far, and ends the thread. @throws as show().
  RecordingReport finish();
  /// The map; only valid after finish().
  const VoxelMap& map() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace fernwood::map
