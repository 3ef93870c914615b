// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "dataset/frame_reader.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/recordings/frame_source.h"
#include "recordings/bag/bag_recording.h"
#include "recordings/source/recording.h"
#include "recordings/topics/topic_source.h"

namespace fernwood::recordings {

namespace fs = std::filesystem;

namespace {

/// Returns the frames of a recording of ROS.
class BagSource final : public IndexedSource {
 public:
  BagSource(const BagPlace& place, const SourceOptions& options) : recording_(place.path, place.topics) {
    begin(recording_.frames().size(), options);
  }

  bool has_color() const override { return recording_.has_color(); }
  bool has_depth() const override { return recording_.has_depth(); }
  bool has_camera() const override { return recording_.config().has_camera(); }
  bool has_poses() const override {
    return std::ranges::any_of(recording_.frames(), [](const BagFrame& frame) { return frame.pose.has_value(); });
  }
  std::vector<std::string> warnings() const override { return recording_.notes(); }
  std::string name() const override { return recording_.name(); }

 private:
  CapturedFrame decode(std::size_t index) const override {
    const BagFrame& frame = recording_.frames()[index];
    return {std::make_shared<image::Frame>(recording_.read_frame(index)),
            frame.time_s,
            frame.name,
            frame.pose ? std::optional(dataset::motion_of(*frame.pose)) : std::nullopt,
            frame.time_ns,
            recording_.frame_id()};
  }

  BagRecording recording_;
};

/// Returns the frames of a recording in files.
class FileSource final : public IndexedSource {
 public:
  FileSource(Recording recording, const SourceOptions& options) : recording_(std::move(recording)) {
    FW_CHECK(!recording_.frames.empty(), Data,
             recording_.folder.string() << ": the recording has no frame; name a folder that holds some");
    begin(recording_.frames.size(), options);
  }

  bool has_color() const override { return !recording_.frames.front().color.empty(); }
  bool has_depth() const override { return !recording_.frames.front().depth.empty(); }
  std::size_t num_maps() const override {
    const fs::path& maps = recording_.frames.front().maps;
    return maps.empty() ? 0 : dataset::read_maps(maps).num_maps;
  }
  bool has_camera() const override { return recording_.config.has_camera(); }
  bool has_poses() const override {
    return std::ranges::any_of(recording_.frames, [](const RecordedFrame& frame) { return frame.pose.has_value(); });
  }
  std::vector<std::string> warnings() const override { return recording_.warnings; }
  std::string name() const override { return recording_.folder.string(); }

 private:
  CapturedFrame decode(std::size_t index) const override {
    const RecordedFrame& recorded = recording_.frames[index];
    auto frame = std::make_shared<image::Frame>(dataset::read_frame_files(recorded, recording_.config));
    return {std::move(frame), recorded.time_s, recorded.name, recorded.pose};
  }

  Recording recording_;
};

constexpr std::array kSourceRows = {
    option<&SourceOptions::loop>("loop", "Restart at the end of a recording"),
    option<&SourceOptions::max_decoded>(
        "preload", "Decode the first N frames of a recording beforehand and use only them; 0: off"),
};

}  // namespace

OptionTable<SourceOptions> SourceOptions::table() { return kSourceRows; }

std::unique_ptr<FrameSource> open_recording(const std::string& kind, const std::string& place,
                                            const SourceOptions& options) {
  if (kind == "frames") return std::make_unique<FileSource>(list_frames_recording(place), options);
  if (kind == "tum") return std::make_unique<FileSource>(list_tum_recording(place), options);
  if (kind == "mcap" || kind == "rosbag") return std::make_unique<BagSource>(parse_bag_place(place), options);
  if (kind == "ros") return open_ros_source(place);
  return nullptr;
}

}  // namespace fernwood::recordings
