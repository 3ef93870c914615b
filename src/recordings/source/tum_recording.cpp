// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>
#include <utility>

#include "dataset/files/user_text.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "recordings/source/recording.h"

namespace fernwood::recordings {

namespace fs = std::filesystem;

namespace {

constexpr double kDepthStepsPerMm = 5;  // 5000 steps per metre

struct TimedFile {
  double time_s = 0;
  fs::path path;
};

/// Parses lines of "seconds path". @param name  Name of the list, for messages.
std::vector<TimedFile> parse_list(const fs::path& folder, const char* name, const std::string& text) {
  const fs::path path = folder / name;
  TextInput lines(text);
  std::vector<TimedFile> list;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos || line.front() == '#') continue;
    TextInput words(line);
    TimedFile timed;
    std::string relative;
    FW_CHECK(take_number(words, timed.time_s) && std::isfinite(timed.time_s) && words >> relative, Data,
             path.string() << ": line " << number << " is \"" << line
                           << "\"; it must have the seconds and the path of an image");
    const fs::path inside = fs::path(relative).lexically_normal();
    FW_CHECK(inside.is_relative() && *inside.begin() != "..", Data,
             path.string() << ": line " << number << " names " << relative
                           << ", which is outside the recording; its images must lie in it");
    timed.path = folder / inside;
    list.push_back(std::move(timed));
  }
  std::ranges::stable_sort(list, {}, &TimedFile::time_s);
  return list;
}

/// One of the two lists of `tum:`.
std::string read_list(const fs::path& path) {
  if (!fs::exists(path))
    throw FileError(ErrorKind::kData, path, ENOENT,
                    "cannot be read; a TUM recording has rgb.txt and depth.txt with a line of seconds and path for "
                    "each image");
  return dataset::read_user_text(path);
}

/// Lists may come from others: neither their paths nor links may lead out of the folder.
void check_inside(const fs::path& folder, const fs::path& path) {
  std::error_code dangling;  // reported when the image is read
  const fs::path target = fs::canonical(path, dangling), top = fs::canonical(folder, dangling);
  FW_CHECK(dangling || std::ranges::mismatch(top, target).in1 == top.end(), Data,
           path.string() << ": leads to " << target.string() << ", outside the recording; copy its images into it");
}

}  // namespace

Recording associate_tum(const fs::path& folder, const std::string& rgb, const std::string& depth) {
  const std::vector<TimedFile> colors = parse_list(folder, "rgb.txt", rgb),
                               depths = parse_list(folder, "depth.txt", depth);
  Recording recording{folder, {}};
  recording.config.depth_scale_to_mm = 1 / kDepthStepsPerMm;
  const auto times_of = [](const std::vector<TimedFile>& files) {
    std::vector<double> times_s;
    for (const TimedFile& file : files) times_s.push_back(file.time_s);
    return times_s;
  };
  const std::vector<double> color_times = times_of(colors), depth_times = times_of(depths);
  const Association association =
      associate_by_time(folder.string(), {"rgb.txt", color_times}, {"depth.txt", depth_times});
  for (const ImagePair& pair : association.pairs) {
    const TimedFile& color = colors[pair.color];
    recording.frames.push_back({{color.path.stem().string(), color.path, depths[pair.depth].path}, color.time_s});
  }
  if (!association.warning.empty()) recording.warnings.push_back(association.warning);
  return recording;
}

Recording list_tum_recording(const fs::path& folder) {
  const std::string rgb = read_list(folder / "rgb.txt"), depth = read_list(folder / "depth.txt");
  Recording recording = associate_tum(folder, rgb, depth);
  for (const RecordedFrame& frame : recording.frames)
    for (const fs::path& path : {frame.color, frame.depth}) check_inside(folder, path);
  read_config_of(recording);
  if (const fs::path truth = folder / "groundtruth.txt"; fs::is_regular_file(truth)) {
    const std::map<double, dataset::CameraPose> trajectory =
        dataset::parse_trajectory(truth, dataset::read_user_text(truth));
    for (RecordedFrame& frame : recording.frames)
      if (const auto pose = dataset::pose_near(trajectory, frame.time_s)) frame.pose = dataset::motion_of(*pose);
  }
  return recording;
}

}  // namespace fernwood::recordings
