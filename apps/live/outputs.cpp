// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/live/outputs.h"

#include <spdlog/spdlog.h>

#include <array>
#include <iostream>
#include <utility>

#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/report/objects.h"
#include "shell/console.h"

namespace fernwood::apps {

namespace {

/// Number of frames after which memory use is stable.
constexpr std::size_t kEarly = 100;

map::VoxelMap empty_map_for(const MappingArguments& arguments, const forest::Forest& forest,
                            const predict::PredictOptions& predict, const recordings::FrameSource& source) {
  map::check_depth(source);
  return map::empty_map(forest, predict, arguments.options);
}

}  // namespace

bool MeasuringOutput::show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) {
  const image::LabelImage& labels = frame.prediction.labels;
  rows_ = labels.rows();
  cols_ = labels.cols();
  const std::array<std::uint64_t, 2> chain = {labels_checksum_,
                                              checksum(labels.data(), labels.size() * sizeof(*labels.data()))};
  labels_checksum_ = checksum(chain.data(), sizeof(chain));
  if (so_far.num_shown <= kEarly) early_memory_bytes_ = platform::resident_memory_bytes();
  return true;
}

void MeasuringOutput::trouble(const std::string& why) {
  if (why.empty())
    spdlog::info("the camera is back");
  else
    spdlog::warn(why);
}

void MeasuringOutput::warn(const OptionSentence& sentence) { spdlog::warn(sentence.on_command_line()); }

void MeasuringOutput::note(const std::string& sentence) { spdlog::info(sentence); }

void MeasuringOutput::finish(report::LiveResult& result) const {
  result.rows = rows_;
  result.cols = cols_;
  result.labels_checksum = labels_checksum_;
  result.early_memory_bytes = early_memory_bytes_;
  result.memory_bytes = platform::resident_memory_bytes();
}

ObjectsOutput::ObjectsOutput(const LiveObjectArguments& arguments, const image::ClassMap& classes,
                             const recordings::FrameSource& source, Publish publish)
    : prints_(arguments.prints), classes_(classes), follower_(source.has_poses()), publish_(std::move(publish)) {
  FW_CHECK(source.has_depth(), Data,
           source.name() << ": the frames have no depth, by which --objects finds objects; leave --objects out");
}

bool ObjectsOutput::show(const predict::LiveFrame& frame, const predict::LiveReport&) {
  last_ = follower_.follow(frame);
  publish_(frame.captured, last_);
  if (prints_)
    std::cout << report::objects_json({last_.found, classes_, frame.captured.name, last_.pose, last_.ids})
              << std::flush;
  return true;
}

void ObjectsOutput::draw(Array2<image::Rgb>& picture) const {
  const image::InstanceImage& numbers = last_.found.numbers;
  if (numbers.rows() != picture.rows() || numbers.cols() != picture.cols()) return;
  const std::span<const image::Rgb> colors = image::class_palette();
  for (std::size_t row = 0; row < numbers.rows(); ++row)
    for (std::size_t col = 0; col < numbers.cols(); ++col) {
      const std::uint16_t number = numbers(row, col);
      if (number == image::kNoInstance) continue;
      const auto differs = [&](std::size_t other_row, std::size_t other_col) {
        return other_row < numbers.rows() && other_col < numbers.cols() && numbers(other_row, other_col) != number;
      };
      // Before the first row and column, indices wrap around and are beyond the last.
      if (differs(row - 1, col) || differs(row + 1, col) || differs(row, col - 1) || differs(row, col + 1))
        picture(row, col) = colors[last_.ids[number - 1u] % colors.size()];
    }
}

RecordingOutput::RecordingOutput(const std::filesystem::path& place, const forest::Forest& forest, bool has_views,
                                 const ObjectsOutput* objects)
    : objects_(objects) {
  if (place.extension() == ".mcap") {
    labels_to_ = std::make_unique<recordings::McapRecorder>(place, forest.classes.names());
    warn_each(labels_to_->warnings());
    if (has_views) views_.emplace(labels_to_->views(), forest.classes);
  } else {
    frames_to_ = std::make_unique<recordings::FrameRecorder>(place);
  }
}

void RecordingOutput::captured(const recordings::CapturedFrame& frame) {
  if (frames_to_) frames_to_->add(frame);
  if (labels_to_) labels_to_->add(frame);
}

bool RecordingOutput::show(const predict::LiveFrame& frame, const predict::LiveReport&) {
  if (!labels_to_) return true;
  const predict::Prediction& prediction = frame.prediction;
  const std::int64_t stamp_ns = labels_to_->add_labels(frame.captured, prediction.labels, prediction.probabilities);
  if (views_) views_->publish(frame.captured, prediction.labels, prediction.probabilities, stamp_ns);
  if (!views_ || !objects_) return true;
  const map::FollowedObjects& objects = objects_->last();
  views_->publish_objects(frame.captured, objects.found, objects.ids, stamp_ns);
  return true;
}

void RecordingOutput::publish_map(const map::VoxelMap& map, const map::GridOptions& grid) {
  if (views_) views_->publish_map(map, grid);
}

std::size_t RecordingOutput::finish() {
  if (frames_to_) {
    frames_to_->finish();
    return frames_to_->num_written();
  }
  labels_to_->finish();
  return labels_to_->num_written();
}

OverlayOutput::OverlayOutput(const std::filesystem::path& folder, const image::ClassMap& classes,
                             const ObjectsOutput* objects)
    : folder_(folder), classes_(classes), objects_(objects), lock_((make_folder(folder), lock_shared_folder(folder))) {}

bool OverlayOutput::show(const predict::LiveFrame& frame, const predict::LiveReport&) {
  Array2<image::Rgb> picture = dataset::overlay_labels(*frame.captured.frame, frame.prediction.labels, classes_);
  if (objects_) objects_->draw(picture);
  dataset::write_png(folder_ / format_text("%06zu.png", num_written_++), picture);
  return true;
}

void MappingArguments::check(bool has_viewer) const {
  FW_CHECK(!shows || has_viewer, Usage,
           "--map shows the map on the page of --serve, publishes it by --publish ros: and records it by "
           "--record-views; add one of them, or --map-out FILE.ply for its points");
  options.check();
  grid.check();
}

MappingOutput::MappingOutput(const MappingArguments& arguments, const forest::Forest& forest,
                             const predict::PredictOptions& predict, const recordings::FrameSource& source,
                             const map::LiveMapOptions& options, Publish publish)
    : LiveMap(empty_map_for(arguments, forest, predict, source), source.has_poses(), options,
              arguments.shows ? std::move(publish) : Publish()),
      arguments_(arguments),
      forest_(forest),
      source_(source.name()) {}

void MappingOutput::write(report::LiveResult& result) {
  report::LiveMapResult& made = result.map.emplace();
  made.report = finish();
  made.num_voxels = map().num_voxels();
  made.memory_bytes = map().memory_bytes();
  if (made.report.num_fused == 0) {
    spdlog::warn(source_ + ": no frame was mapped, so that no map is written");
    return;
  }
  warn_each(map::recording_warnings(made.report, map(), source_));
  if (!arguments_.file.empty()) map::save_map(map(), arguments_.file);
  if (arguments_.out.empty()) return;
  const std::vector<map::MapPoint> points = map().points();
  made.num_points = points.size();
  map::write_ply(arguments_.out, points, forest_.classes);
}

void MappingOutput::rescue() {
  try {
    report::LiveResult unfinished;
    write(unfinished);
    if (unfinished.map->report.num_fused == 0) return;
    for (const std::filesystem::path& file : {arguments_.file, arguments_.out})
      if (!file.empty()) spdlog::warn("what was mapped until then is in {}", file.string());
  } catch (const std::exception& failure) {  // the previous failure is the one to report
    spdlog::warn("what was mapped until then cannot be written: {}", failure.what());
  }
}

}  // namespace fernwood::apps
