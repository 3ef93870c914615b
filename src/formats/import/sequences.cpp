// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Recordings without labels: TUM RGB-D and 7-Scenes.

#include <cstdlib>

#include "dataset/files/user_text.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "formats/import/annotations.h"
#include "formats/import/formats.h"
#include "recordings/bag/bag_recording.h"
#include "recordings/source/recording.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

ImportPlan plan_tum(const ImportOptions& options) {
  const auto list = [&](const char* name) {
    FW_CHECK(fs::exists(options.in / name), Data,
             options.in.string() << " has no " << name
                                 << "; name the folder of a sequence, which has rgb.txt and depth.txt");
    return dataset::read_user_text(options.in / name);
  };
  const recordings::Recording recording = recordings::associate_tum(options.in, list("rgb.txt"), list("depth.txt"));
  const fs::path truth = options.in / "groundtruth.txt";
  const std::map<double, dataset::CameraPose> trajectory =
      fs::is_regular_file(truth) ? dataset::parse_trajectory(truth, dataset::read_user_text(truth))
                                 : std::map<double, dataset::CameraPose>();
  ImportPlan plan;
  plan.config.depth_scale_to_mm = recording.config.depth_scale_to_mm;
  plan.config.camera = image::find_sensor("kinect")->camera;
  for (const recordings::RecordedFrame& recorded : recording.frames) {
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = recorded.name;
    frame.color = recorded.color;
    frame.depth = recorded.depth;
    frame.pose = dataset::pose_near(trajectory, recorded.time_s);
  }
  plan.notes.push_back(
      "depth is taken for 1/5000 m, and the camera for a Kinect (sequences of freiburg1 to 3 have numbers of their "
      "own)");
  plan.notes.insert(plan.notes.end(), recording.warnings.begin(), recording.warnings.end());
  if (fs::exists(truth) && std::ranges::none_of(plan.frames, [](const auto& frame) { return frame.pose.has_value(); }))
    plan.notes.push_back(truth.string() + " has a pose of no frame, within 20 ms; check its times");
  settle_names(options.in, plan.frames);
  return plan;
}

ImportPlan plan_seven_scenes(const ImportOptions& options) {
  ImportPlan plan;
  plan.config.depth_missing = 65535;
  plan.config.camera = image::Camera{640, 480, 585, 585, 320, 240};
  std::vector<std::string> unusable;
  const auto splits = splits_in(options.in, {{"TrainSplit.txt", "train"}, {"TestSplit.txt", "test"}}, {});
  for (const fs::path& folder : folders_with(options.in, "frame-000000.color.png")) {
    const std::string name = folder_name(folder);
    const std::span<ImportedFrame> added =
        add_sequence(folder == options.in ? "" : name, files_if_any(folder, {"frame-{}.color.png"}),
                     files_if_any(folder, {"frame-{}.depth.png"}), plan);
    for (ImportedFrame& frame : added) {  // frame-000000.color.png and frame-000000.pose.txt
      const fs::path pose = fs::path(frame.color).replace_extension("").replace_extension(".pose.txt");
      frame.pose = dataset::read_pose_file(pose);
      if (!frame.pose && fs::exists(pose)) unusable.push_back(name + "/" + pose.filename().string());
    }
    // "sequence3" in the lists is the folder seq-03.
    for (const auto& [listed, split] : splits) {
      const std::size_t digit = listed.find_first_of("0123456789"), own = name.find_first_of("0123456789");
      if (digit == std::string::npos || own == std::string::npos ||
          std::atoi(listed.c_str() + digit) != std::atoi(name.c_str() + own))
        continue;
      for (ImportedFrame& frame : added) frame.split = split;
    }
  }
  check_found(plan, options.in,
              "frame-000000.color.png and frame-000000.depth.png, or folders seq-01 ... that hold them");
  note_unusable_poses(unusable, plan);
  plan.notes.push_back(
      "depth is that of the depth camera, some pixels off colour: it was recorded without registration");
  settle_names(options.in, plan.frames);
  return plan;
}

// Recordings of ROS, without labels.

ImportPlan plan_rosbag(const ImportOptions& options) {
  const auto recording = std::make_shared<const recordings::BagRecording>(
      options.in, recordings::TopicRequest{options.colors, options.depth, true});
  ImportPlan plan;
  plan.config.camera = recording->config().camera;
  plan.config.camera_origin = recording->config().camera_origin;
  plan.config.up = recording->config().up;
  plan.notes = recording->notes();
  for (std::size_t i = 0; i < recording->frames().size(); ++i) {
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = recording->frames()[i].name;
    frame.pose = recording->frames()[i].pose;
    frame.up = recording->frames()[i].up;
    if (recording->has_color()) frame.read_color = [recording, i] { return recording->read_color(i); };
    if (recording->has_depth())
      frame.read_depth_mm = [recording, i] { return recording->read_depth(i, recording->color_size()); };
  }
  settle_names(options.in, plan.frames);
  return plan;
}

}  // namespace fernwood::formats
