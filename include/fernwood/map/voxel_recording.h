// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "fernwood/core/progress.h"
#include "fernwood/dataset/frame_source.h"
#include "fernwood/forest/forest.h"
#include "fernwood/image/pose_agreement.h"
#include "fernwood/map/voxel_map.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::map {

/// Which frames of a recording are mapped.
struct RecordingOptions {
  int every = 1;               ///< One frame in so many, from the first on.
  std::size_t max_frames = 0;  ///< End after so many of them; 0: at the end of the source.

  static OptionTable<RecordingOptions> table();
  void check() const;  ///< @throws OptionError.
};

/// How frames are labelled that go into a map: smoothed as those of a video, unless the options say how far.
predict::PredictOptions labelling_for_map(predict::PredictOptions options);

/// An empty map of a forest's classes, whose labels are chosen as those of frames are.
/// @param predict  How frames are labelled. @throws OptionError.
VoxelMap empty_map(const forest::Forest& forest, const predict::PredictOptions& predict,
                   const MapOptions& options = {});

/// @throws Error(kModel) unless a forest has the classes of a map that is continued. @param names  Of both, in
/// messages.
void check_classes(const VoxelMap& map, const forest::Forest& forest, const std::string& map_name,
                   const std::string& forest_name);
/// @param continued  Map that the frames extend; null: they begin a new one. @throws Error(kUsage) for a camera without
/// a number of frames, and where the frames' coordinates are not those of the map: one of the two has no given poses.
void check_source(const dataset::FrameSource& source, const RecordingOptions& options, const VoxelMap* continued);

/// @throws Error(kData) for a source without depth.
void check_depth(const dataset::FrameSource& source);

/// What a run over a recording did.
struct RecordingReport {
  std::size_t num_frames = 0;  ///< Asked for; the others are those of it that were left out.
  std::size_t num_fused = 0;
  std::size_t num_without_pose = 0;  ///< That the source did not locate, or whose pose is not a rigid motion.
  std::size_t num_unregistered = 0;  ///< Whose motion could not be estimated.
  std::size_t num_jumps = 0;         ///< Whose pose does not fit the depth of the frame before.
  std::size_t num_refused_pixels = 0, num_pixels = 0;  ///< That the memory budget had no room for; that were fused.
  bool estimated_poses = false;
  image::PoseAgreement agreement;  ///< Of poses that the source gives.
  Durations predict, locate, integrate;
  double seconds = 0;
  std::vector<std::optional<image::RigidMotion>> poses;  ///< Of each frame asked for; nothing for those left out.
};

/// Told how many frames are done. Throws to stop.
using FrameProgress = std::function<void(std::size_t num_frames)>;

/// Labels the frames of a source and fuses them into a map. Poses are those of the source; where it has none at all,
/// each frame is registered to the one before, the first being the room's origin.
/// @throws Error(kData) for a source without depth or frames, and where no frame could be fused.
RecordingReport map_recording(dataset::FrameSource& source, predict::Predictor& predictor, VoxelMap& map,
                              ThreadPool& pool, const RecordingOptions& options = {},
                              const FrameProgress& progress = {});

/// What is to be said of a run: one sentence each.
std::vector<OptionSentence> recording_warnings(const RecordingReport& report, const VoxelMap& map,
                                               const std::string& source);

/// Labels the frames of a recording as a map has them, one after another. Pixels without depth, or where the map is
/// empty, and frames that were left out of it, have the labels of the frame alone.
class RecordingRenderer {
 public:
  /// All must outlive it; later frames of the map do not change it. @param poses  RecordingReport::poses.
  RecordingRenderer(predict::Predictor& predictor, const VoxelMap& map, ThreadPool& pool,
                    const std::vector<std::optional<image::RigidMotion>>& poses)
      : predictor_(predictor), renderer_(map), pool_(pool), poses_(poses) {}

  /// Of the next frame of those that were asked for.
  image::LabelImage label(const dataset::CapturedFrame& frame);

 private:
  predict::Predictor& predictor_;
  MapRenderer renderer_;
  ThreadPool& pool_;
  const std::vector<std::optional<image::RigidMotion>>& poses_;
  std::size_t num_labelled_ = 0;
};

/// Takes the labels of a frame, as RecordingRenderer gives them.
using TakeLabels = std::function<void(const dataset::CapturedFrame& frame, const image::LabelImage& labels)>;
/// Goes through a recording again and renders each frame from the map.
/// @param source  Opened anew. @param poses  RecordingReport::poses.
void render_recording(dataset::FrameSource& source, predict::Predictor& predictor, const VoxelMap& map,
                      ThreadPool& pool, const RecordingOptions& options,
                      const std::vector<std::optional<image::RigidMotion>>& poses, const TakeLabels& take);

}  // namespace fernwood::map
