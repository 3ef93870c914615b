// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The outputs of `fernwood live` that are not those of the library (page, topics).

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/live/window.h"
#include "fernwood/core/option_table.h"
#include "fernwood/map/object_follower.h"
#include "fernwood/map/occupancy_grid.h"
#include "fernwood/map/voxel_recording.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/live.h"
#include "fernwood/publish/label_publisher.h"
#include "fernwood/recordings/frame_source.h"
#include "fernwood/recordings/mcap_recorder.h"
#include "fernwood/report/description.h"
#include "shell/output_files.h"

namespace fernwood::apps {

/// Counts, checksums and memory of a run; prints warnings and notes.
class MeasuringOutput : public predict::LiveOutput {
 public:
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override;
  void trouble(const std::string& why) override;
  void warn(const OptionSentence& sentence) override;
  void note(const std::string& sentence) override;
  /// Called when everything is written.
  void finish(report::LiveResult& result) const;

 private:
  std::uint64_t labels_checksum_ = 0;
  std::size_t rows_ = 0, cols_ = 0, early_memory_bytes_ = 0;
};

/// Objects in `fernwood live`.
struct LiveObjectArguments {
  bool finds = false, prints = false;
  objects::ObjectOptions options;
};

/// Follows the objects of frames for the outputs after it, publishes them, and prints them as lines of JSON.
class ObjectsOutput : public predict::LiveOutput {
 public:
  using Publish = std::function<void(const recordings::CapturedFrame& frame, const map::FollowedObjects& objects)>;

  /// @param classes  Must outlive this object. @throws Error(kData) for a source without depth.
  ObjectsOutput(const LiveObjectArguments& arguments, const image::ClassMap& classes,
                const recordings::FrameSource& source, Publish publish);
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override;

  /// Those of the last frame.
  const map::FollowedObjects& last() const { return last_; }
  /// The list of objects, in which those of the last frame have their ids.
  const objects::ObjectTracker& tracker() const { return follower_.tracker(); }
  /// Draws the outlines of the last frame's objects, in colours by their ids.
  void draw(Array2<image::Rgb>& picture) const;

 private:
  const bool prints_;
  const image::ClassMap& classes_;
  map::ObjectFollower follower_;
  const Publish publish_;
  map::FollowedObjects last_;
};

/// Records the incoming frames in a folder, or these and their labels in FILE.mcap.
class RecordingOutput : public predict::LiveOutput {
 public:
  /// @param has_views  Whether overlay and points, and the map of publish_map(), are recorded in FILE.mcap, too.
  /// @param objects  Recorded with the views; may be null.
  RecordingOutput(const std::filesystem::path& place, const forest::Forest& forest, bool has_views,
                  const ObjectsOutput* objects);
  void captured(const recordings::CapturedFrame& frame) override;
  bool wants_probabilities() const override { return labels_to_ != nullptr; }
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override;
  /// May be called from another thread than the other functions.
  void publish_map(const map::VoxelMap& map, const map::GridOptions& grid);
  /// Waits until everything is written. @return  The number of frames.
  std::size_t finish();

 private:
  std::unique_ptr<recordings::FrameRecorder> frames_to_;
  std::unique_ptr<recordings::McapRecorder> labels_to_;
  std::optional<publish::LabelPublisher> views_;  // to labels_to_
  const ObjectsOutput* const objects_;
};

/// Writes each frame with the colours of its classes over it, as numbered pictures.
class OverlayOutput : public predict::LiveOutput {
 public:
  /// @param classes  Must outlive this object. @param objects  Draws outlines; may be null.
  OverlayOutput(const std::filesystem::path& folder, const image::ClassMap& classes, const ObjectsOutput* objects);
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override;

 private:
  const std::filesystem::path folder_;
  const image::ClassMap& classes_;
  const ObjectsOutput* const objects_;
  const OutputLock lock_;
  std::size_t num_written_ = 0;
};

/// Outputs of a map that is built while frames are labelled.
struct MappingArguments {
  bool shows = false;               ///< On the page, and on its topic.
  std::filesystem::path out, file;  ///< Destinations of points and map; may be empty.
  map::MapOptions options;
  map::GridOptions grid;

  bool is_wanted() const { return shows || !out.empty() || !file.empty(); }
  /// @throws OptionError, Error(kUsage) for a map without any output.
  void check(bool has_viewer) const;
};

/// A map of the labelled frames, which is written at the end.
class MappingOutput : public map::LiveMap {
 public:
  /// The arguments and the forest must outlive this object. @param publish  Shows the map, on its own thread.
  MappingOutput(const MappingArguments& arguments, const forest::Forest& forest, const predict::PredictOptions& predict,
                const recordings::FrameSource& source, const map::LiveMapOptions& options, Publish publish);

  /// Writes the map and its points, and warns of what was left out.
  void write(report::LiveResult& result);
  /// As write(), after labelling has failed, so that the map built so far is not lost. Prints where it is, or why it
  /// could not be written.
  void rescue();

 private:
  const MappingArguments& arguments_;
  const forest::Forest& forest_;
  const std::string source_;
};

/// Receives whether to show the labels of each frame without temporal fusion.
using ChooseSingle = std::function<void(bool single)>;

/// Shows labelled frames with a legend in a window, and handles its keys.
class WindowOutput : public predict::LiveOutput {
 public:
  /// @param classes  Must outlive this object. @param choose_single  Called on the key; empty if labels are not fused
  /// over time.
  WindowOutput(std::unique_ptr<Window> window, const image::ClassMap& classes, const std::string& device,
               ChooseSingle choose_single);
  bool wants_frame() override { return !is_paused_ || steps_; }
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override;
  bool idle() override;
  void trouble(const std::string& why) override;

 private:
  void press(int key);
  void draw();

  const std::unique_ptr<Window> window_;
  const image::ClassMap& classes_;
  const std::string device_;
  const ChooseSingle choose_single_;
  std::string status_ = "waiting for the first frame", trouble_;
  std::vector<bool> hidden_;  // [class]
  bool is_single_ = false, is_paused_ = false, steps_ = false, quits_ = false;
  predict::LiveFrame last_;
  predict::ShownRate rate_;
};

}  // namespace fernwood::apps
