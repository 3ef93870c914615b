// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/import/formats.h"

#include <algorithm>
#include <utility>

#include "dataset/dataset_folder.h"
#include "dataset/frame_reader.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/formats/import.h"
#include "fernwood/formats/open_source.h"
#include "recordings/source/recording.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

VideoPictures::VideoPictures(std::filesystem::path path)
    : path_(std::move(path)), source_(open_source("video:" + path_.string())) {}

Array2<image::Rgb> VideoPictures::picture(std::size_t index) {
  if (index < next_) {
    source_ = open_source("video:" + path_.string());
    next_ = 0;
  }
  std::optional<recordings::CapturedFrame> frame;
  for (; next_ <= index; ++next_) {
    frame = source_->next();
    FW_CHECK(frame, Data,
             path_.string() << " ends after " << next_ << " images, and depth number " << index
                            << " is there; copy both again from where they were recorded");
  }
  return frame->frame->color;
}

namespace {

std::optional<std::size_t> number_in_name(const std::string& name) {
  constexpr std::size_t kMaxDigits = 9;
  std::size_t first = name.size();
  while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') --first;
  if (first == name.size() || name.size() - first > kMaxDigits) return std::nullopt;
  return std::stoul(name.substr(first));
}

/// Drops poses if there are several scenes, since their coordinates differ, except for formats that have them in one
/// coordinate frame.
void drop_poses_of_several_rooms(const std::string& format, const fs::path& place, ImportPlan& plan) {
  const std::string& first = plan.frames.front().group;
  const bool is_one =
      std::ranges::all_of(plan.frames, [&](const ImportedFrame& frame) { return frame.group == first; });
  if (is_one || format == "7scenes") return;
  bool had_poses = false;
  for (ImportedFrame& frame : plan.frames) {
    had_poses |= frame.pose.has_value();
    frame.pose.reset();
  }
  if (had_poses)
    plan.notes.push_back(place.string() +
                         " holds several scenes, whose poses are not of one room and are left out; "
                         "name the folder of one scene");
}

/// The frame that an import would write.
image::Frame frame_of(const ImportPlan& plan, const std::string& place, const ImportedFrame& found) {
  dataset::FrameFiles files{
      .name = found.name, .color = found.color, .depth = found.depth, .up = found.up_file, .maps = found.maps_file};
  if (found.read_color) files.color.clear();
  if (found.read_depth_mm) files.depth.clear();
  image::Frame frame = dataset::read_frame_files(files, plan.config);
  if (found.camera) frame.camera = found.camera;
  if (found.read_color) frame.color = found.read_color();
  if (found.read_depth_mm) frame.depth_mm = found.read_depth_mm();
  const bool is_read_here = found.read_color || found.read_depth_mm;
  if (is_read_here && plan.frames.front().has_color() && plan.frames.front().has_depth())
    frame.depth_mm = dataset::depth_for_color(std::move(frame.depth_mm), {frame.color.rows(), frame.color.cols()},
                                              plan.config, place + ": " + found.name, found.color);
  if (found.up) frame.up = *found.up;
  return frame;
}

std::unique_ptr<recordings::FrameSource> play_plan(ImportPlan planned, const std::string& place,
                                                   const recordings::SourceOptions& options) {
  FW_CHECK(!planned.frames.empty(), Data, place << " holds no frames");
  const auto plan = std::make_shared<const ImportPlan>(std::move(planned));
  const ImportedFrame& first = plan->frames.front();
  const auto has_camera = [](const ImportedFrame& frame) { return frame.camera.has_value(); };
  const auto read = [plan, place](std::size_t i) -> recordings::CapturedFrame {
    const ImportedFrame& found = plan->frames[i];
    return {std::make_shared<image::Frame>(frame_of(*plan, place, found)),
            static_cast<double>(i) / dataset::kUnknownRateHz, found.name,
            found.pose ? std::optional(dataset::motion_of(*found.pose)) : std::nullopt};
  };
  return recordings::play({place,
                           plan->frames.size(),
                           {first.has_color(), first.has_depth()},
                           plan->config.camera || std::ranges::any_of(plan->frames, has_camera),
                           recordings::has_any_pose(plan->frames),
                           [plan] { return plan->all_notes(); },
                           read},
                          options);
}

}  // namespace

std::unique_ptr<recordings::FrameSource> open_import_source(const std::string& format, const fs::path& place,
                                                            const recordings::SourceOptions& options) {
  ImportPlan plan = plan_import(format, {.in = place});
  if (!plan.frames.empty()) drop_poses_of_several_rooms(format, place, plan);
  return play_plan(std::move(plan), place.string(), options);
}

std::unique_ptr<recordings::FrameSource> open_video_with_depth(const fs::path& video, const fs::path& depth,
                                                               const recordings::SourceOptions& options) {
  ImportPlan plan;
  const dataset::FilesByName depths = files_if_any(depth, {"{}.png", "{}.exr"});
  FW_CHECK(!depths.empty(), Data,
           depth.string() << " holds no depth images, 000000.png and so on, for the images of " << video.string());
  const auto pictures = std::make_shared<VideoPictures>(video);
  const bool begins_at_1 = number_in_name(depths.begin()->first) == std::size_t{1};
  for (const auto& [name, file] : depths) {
    const auto number = number_in_name(name);
    FW_CHECK(number, Data,
             file.string() << " has no number in its name, by which it belongs to an image of " << video.string()
                           << "; name the first one 0.png or 1.png");
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = name;
    frame.depth = file;
    frame.read_color = [pictures, index = *number - (begins_at_1 ? 1 : 0)] { return pictures->picture(index); };
  }
  plan.config = dataset::read_folder_config(dataset::folder_of(video), {});
  const dataset::FrameFiles first{{}, {}, plan.frames.front().depth};
  plan.notes = plan.config.has_camera() ? dataset::camera_warnings(plan.config, video.string(), {})
                                        : dataset::depth_notes(depth, first, plan.config);
  std::ranges::move(pictures->warnings(), std::back_inserter(plan.notes));
  return play_plan(std::move(plan), video.string(), options);
}

std::string recording_format_of(const fs::path& folder) {
  std::error_code unreadable;
  const auto has = [&](const char* name) { return fs::exists(folder / name, unreadable); };
  if (has("rgb.mp4") && has("depth")) return "stray-scanner";
  if (has("metadata.json") && has("rgb") && has("depth")) return "record3d";
  if (has("color") && has("depth") && has("pose")) return "scannet";
  return "";
}

}  // namespace fernwood::formats
