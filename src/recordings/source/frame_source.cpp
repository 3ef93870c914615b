// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/recordings/frame_source.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "dataset/frame_reader.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/image/align_depth.h"
#include "recordings/bag/bag_recording.h"
#include "recordings/source/recording.h"
#include "recordings/topics/topic_source.h"

namespace fernwood::recordings {

namespace {

/// Returns the frames of a recording in order, decoded on demand or in advance.
class IndexedSource final : public FrameSource {
 public:
  IndexedSource(FrameIndex index, const SourceOptions& options)
      : index_(std::move(index)), num_played_(index_.num_frames), loops_(options.loop) {
    if (options.max_decoded == 0) return;
    num_played_ = std::min(options.max_decoded, num_played_);
    for (std::size_t i = 0; i < num_played_; ++i) decoded_.push_back(index_.read(i));
  }

  std::optional<CapturedFrame> next() override {
    if (next_ == num_played_ && loops_) next_ = 0;
    if (stopped_ || next_ == num_played_) return std::nullopt;
    const std::size_t index = next_++;
    return decoded_.empty() ? index_.read(index) : decoded_[index];
  }
  void stop() override { stopped_ = true; }
  bool has_color() const override { return index_.content.color; }
  bool has_depth() const override { return index_.content.depth; }
  std::size_t num_maps() const override { return index_.content.num_maps; }
  bool has_camera() const override { return index_.has_camera; }
  bool has_poses() const override { return index_.has_poses; }
  bool is_live() const override { return false; }
  std::string name() const override { return index_.name; }
  std::vector<std::string> warnings() const override { return index_.warnings(); }

 private:
  FrameIndex index_;
  std::size_t num_played_, next_ = 0;
  bool loops_;
  std::vector<CapturedFrame> decoded_;  // empty, or all frames
  std::atomic<bool> stopped_ = false;
};

FrameIndex index_of(const BagPlace& place) {
  const auto bag = std::make_shared<const BagRecording>(place.path, place.topics);
  const auto read = [bag](std::size_t i) -> CapturedFrame {
    const BagFrame& frame = bag->frames()[i];
    return {std::make_shared<image::Frame>(bag->read_frame(i)),
            frame.time_s,
            frame.name,
            frame.pose ? std::optional(dataset::motion_of(*frame.pose)) : std::nullopt,
            frame.time_ns,
            bag->frame_id()};
  };
  return {bag->name(),
          bag->frames().size(),
          {bag->has_color(), bag->has_depth()},
          bag->config().has_camera(),
          has_any_pose(bag->frames()),
          [bag] { return bag->notes(); },
          read};
}

FrameIndex index_of(Recording listed) {
  FW_CHECK(!listed.frames.empty(), Data,
           listed.folder.string() << ": the recording has no frame; name a folder that holds some");
  const auto recording = std::make_shared<const Recording>(std::move(listed));
  const dataset::FrameFiles& first = recording->frames.front();
  const auto read = [recording](std::size_t i) -> CapturedFrame {
    const RecordedFrame& frame = recording->frames[i];
    return {std::make_shared<image::Frame>(dataset::read_frame_files(frame, recording->config)), frame.time_s,
            frame.name, frame.pose};
  };
  return {
      recording->folder.string(),
      recording->frames.size(),
      {!first.color.empty(), !first.depth.empty(), first.maps.empty() ? 0 : dataset::read_maps(first.maps).num_maps},
      recording->config.has_camera(),
      has_any_pose(recording->frames),
      [recording] { return recording->warnings; },
      read};
}

constexpr std::array kSourceRows = {
    option<&SourceOptions::loop>("loop", "Restart at the end of a recording"),
    option<&SourceOptions::max_decoded>(
        "preload", "Decode the first N frames of a recording beforehand and use only them; 0: off"),
};

}  // namespace

OptionTable<SourceOptions> SourceOptions::table() { return kSourceRows; }

std::unique_ptr<FrameSource> play(FrameIndex index, const SourceOptions& options) {
  return std::make_unique<IndexedSource>(std::move(index), options);
}

std::unique_ptr<FrameSource> open_recording(const std::string& kind, const std::string& place,
                                            const SourceOptions& options) {
  if (kind == "frames") return play(index_of(list_frames_recording(place)), options);
  if (kind == "tum") return play(index_of(list_tum_recording(place)), options);
  if (kind == "mcap" || kind == "rosbag") return play(index_of(parse_bag_place(place)), options);
  if (kind == "ros") return open_ros_source(place);
  return nullptr;
}

namespace {

class ChangedSource final : public FrameSource {
 public:
  using Change = std::function<void(image::Frame& frame)>;
  ChangedSource(std::shared_ptr<FrameSource> source, std::size_t num_maps, Change change)
      : source_(std::move(source)), num_maps_(num_maps), change_(std::move(change)) {}

  std::optional<CapturedFrame> next() override {
    std::optional<CapturedFrame> captured = source_->next();
    if (!captured) return captured;
    auto frame = std::make_shared<image::Frame>(*captured->frame);
    change_(*frame);
    captured->frame = std::move(frame);
    return captured;
  }
  void stop() override { source_->stop(); }
  bool has_color() const override { return source_->has_color(); }
  bool has_depth() const override { return source_->has_depth(); }
  std::size_t num_maps() const override { return num_maps_; }
  bool has_camera() const override { return source_->has_camera(); }
  bool has_poses() const override { return source_->has_poses(); }
  bool is_live() const override { return source_->is_live(); }
  bool may_come_back() const override { return source_->may_come_back(); }
  std::string name() const override { return source_->name(); }
  std::vector<std::string> warnings() const override { return source_->warnings(); }

 private:
  std::shared_ptr<FrameSource> source_;
  std::size_t num_maps_;
  Change change_;
};

}  // namespace

std::shared_ptr<FrameSource> with_encoder(std::shared_ptr<FrameSource> source,
                                          std::shared_ptr<const encoder::Encoder> encoder, std::size_t num_maps) {
  if (!encoder) return source;
  return std::make_shared<ChangedSource>(
      std::move(source), num_maps,
      [encoder = std::move(encoder)](image::Frame& frame) { frame.maps = encoder->encode(frame); });
}

std::unique_ptr<FrameSource> aligned(std::unique_ptr<FrameSource> source) {
  const std::optional<image::CameraPair> cameras = source->depth_cameras();
  if (!cameras) return source;
  const std::size_t num_maps = source->num_maps();
  return std::make_unique<ChangedSource>(std::move(source), num_maps, [cameras](image::Frame& frame) {
    const Array2<std::uint16_t>& depth = frame.depth_mm;
    frame.depth_mm =
        image::aligner_for(*cameras, depth.cols(), depth.rows(), frame.color.cols(), frame.color.rows())->align(depth);
  });
}

}  // namespace fernwood::recordings
