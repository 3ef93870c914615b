// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/frame_poses.h"

#include <algorithm>
#include <cerrno>
#include <set>

#include "dataset/dataset_folder.h"
#include "dataset/files/user_text.h"
#include "dataset/frame_file_names.h"
#include "dataset/name_lookup.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// Seconds contained in a name, as in TUM RGB-D; a project uses "_" instead of ".".
std::optional<double> time_in_name(std::string name) {
  std::ranges::replace(name, '_', '.');
  TextInput words(name);
  double time_s = 0;
  std::string more;
  if (!(words >> time_s) || words >> more) return std::nullopt;
  return time_s;
}

std::map<std::string, image::RigidMotion> poses_by_time(const std::map<std::string, image::RigidMotion>& lines,
                                                        const std::vector<std::string>& names,
                                                        const std::map<std::string, double>& times) {
  std::map<double, CameraPose> trajectory;
  for (const auto& [name, motion] : lines)
    if (const auto time_s = time_in_name(name))
      if (const auto pose = pose_of_motion(motion)) trajectory[*time_s] = *pose;
  std::map<std::string, image::RigidMotion> poses;
  for (const std::string& name : names) {
    const auto told = times.find(name);
    const auto time_s = told != times.end() ? std::optional(told->second) : time_in_name(name);
    if (!time_s) continue;
    if (const auto pose = pose_near(trajectory, *time_s)) poses[name] = motion_of(*pose);
  }
  return poses;
}

std::map<std::string, image::RigidMotion> poses_of_folder(const fs::path& folder,
                                                          const std::vector<std::string>& names) {
  std::map<std::string, image::RigidMotion> poses;
  for (const std::string& name : names)
    if (const auto pose = read_pose_file(folder / (name + ".pose.txt"))) poses[name] = motion_of(*pose);
  return poses;
}

fs::path image_folder_of(const FrameFiles& files) {
  return (files.color.empty() ? files.depth : files.color).parent_path();
}

struct PoseFiles {
  std::map<fs::path, std::map<std::string, image::RigidMotion>> of_folder;
  std::vector<std::string> warnings;  ///< See pose_warnings().
};

PoseFiles read_poses_beside(const Dataset& data) {
  PoseFiles files;
  for (std::size_t i = 0; i < data.size(); ++i) files.of_folder[image_folder_of(data.files(i))];
  for (auto& [folder, poses] : files.of_folder) {
    const fs::path file = folder / "poses.txt";
    if (folder.empty() || !fs::is_regular_file(file)) continue;
    // All frames of the folder, since a subset may have been selected, of which none has a pose.
    std::set<std::string> frames;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (const auto parsed = parse_frame_file_name(entry.path().filename().string())) frames.insert(parsed->frame);
    poses = by_frame(file, parse_frame_poses(file, read_user_text(file)), {frames.begin(), frames.end()});
    std::vector<std::string> unknown;
    for (const auto& [name, pose] : poses)
      if (!frames.contains(name)) unknown.push_back(name);
    if (!unknown.empty())
      files.warnings.push_back(note_on_unknown_frames(file, unknown, poses.size(), *frames.begin()));
  }
  return files;
}

std::string room_named(const std::string& name) {
  return is_room_name(name) ? name : "room " + fernwood::to_hex(checksum(name.data(), name.size()));
}

}  // namespace

bool is_room_name(const std::string& name) {
  return name.size() <= kMaxRoomBytes && is_utf8(name) && printable(name) == name &&
         name.find_first_of("\n\t") == std::string::npos;
}

std::string room_of(const fs::path& place) {
  const fs::path whole = full_path(place);
  return room_named((whole.parent_path().filename() / whole.filename()).generic_string());
}

std::vector<std::optional<FramePose>> find_poses(const Dataset& data, const std::string& room) {
  const PoseFiles read = read_poses_beside(data);
  std::vector<std::optional<FramePose>> poses(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const FrameFiles& files = data.files(i);
    const fs::path folder = image_folder_of(files);
    const auto& known = read.of_folder.at(folder);
    // Names of frames in recordings also begin with the name of their recording.
    const std::string recording = folder.filename().string();
    const bool is_of_recording = folder != data.folder() && files.name.starts_with(recording + "_");
    const auto found = known.find(is_of_recording ? files.name.substr(recording.size() + 1) : files.name);
    if (found == known.end()) continue;
    poses[i] = FramePose{is_of_recording ? room_named(room + "/" + recording) : room, found->second};
  }
  return poses;
}

std::vector<VideoFrame> as_videos(const Dataset& data) {
  const std::vector<std::optional<FramePose>> poses = find_poses(data, room_of(data.folder()));
  // Only where groups are kept apart, as in cross-fitting, must a missing line be reported.
  const std::vector<std::uint32_t> groups = data.groups(/*needs_all=*/false);
  std::vector<VideoFrame> frames(data.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (poses[i]) frames[i].pose = poses[i]->pose;
    frames[i].begins_video = i == 0 || (!groups.empty() && groups[i] != groups[i - 1]) ||
                             image_folder_of(data.files(i)) != image_folder_of(data.files(i - 1));
  }
  return frames;
}

std::vector<std::string> pose_warnings(const Dataset& data) { return read_poses_beside(data).warnings; }

std::map<std::string, image::RigidMotion> read_poses(const fs::path& place, const std::vector<std::string>& names,
                                                     const std::map<std::string, double>& times) {
  if (!fs::exists(place))
    throw FileError(ErrorKind::kData, place, ENOENT,
                    "does not exist; name a file such as poses.txt, or a folder of NAME.pose.txt");
  std::map<std::string, image::RigidMotion> poses;
  if (fs::is_directory(place)) {
    poses = poses_of_folder(place, names);
  } else {
    const auto lines = by_frame(place, parse_frame_poses(place, read_user_text(place)), names);
    for (const std::string& name : names)
      if (const auto line = lines.find(name); line != lines.end()) poses.insert(*line);
    if (poses.empty()) poses = poses_by_time(lines, names, times);
  }
  FW_CHECK(!poses.empty(), Data,
           place.string() << " has a pose of none of the " << names.size() << " frames"
                          << (names.empty() ? "" : ", such as " + names.front())
                          << "; lines begin with a frame's name or with the seconds when it was taken, files are "
                             "called NAME.pose.txt");
  return poses;
}

}  // namespace fernwood::dataset
