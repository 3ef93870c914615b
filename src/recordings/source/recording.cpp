// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/source/recording.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/files/user_text.h"
#include "dataset/name_lookup.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/statistics.h"
#include "fernwood/core/text.h"

namespace fernwood::recordings {

namespace fs = std::filesystem;

namespace {

/// The part of a file's name before one of the endings; empty for other files.
std::string name_before(const std::string& file, const std::vector<std::string>& endings) {
  for (const std::string& ending : endings)
    if (file.ends_with(ending) && file.size() > ending.size()) return file.substr(0, file.size() - ending.size());
  return "";
}

/// NAME.color.png or .jpg with NAME.depth.png, by name.
std::vector<RecordedFrame> list_pairs(const fs::path& folder) {
  std::map<std::string, RecordedFrame> by_name;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (const std::string name = name_before(file, {".color.png", ".color.jpg"}); !name.empty())
      by_name[name].color = entry.path();
    if (const std::string name = name_before(file, {".depth.png"}); !name.empty()) by_name[name].depth = entry.path();
  }
  std::vector<RecordedFrame> frames;
  for (auto& [name, files] : by_name) {
    FW_CHECK(!files.color.empty() && !files.depth.empty(), Data,
             (folder / name).string() << ": the frame lacks its " << (files.color.empty() ? "colour" : "depth")
                                      << " image (" << name << (files.color.empty() ? ".color.png" : ".depth.png")
                                      << "); add the file, or remove the frame's other file");
    files.name = name;
    frames.push_back(std::move(files));
  }
  return frames;
}

/// Several recordings in a folder have no common coordinates, so their poses are not read.
void note_unread_poses(Recording& recording) {
  std::vector<std::string> unread;
  const fs::path top = (recording.folder / "frame").parent_path();  // also of "rooms/"
  fs::path last = top;
  for (const RecordedFrame& frame : recording.frames) {
    const fs::path folder = (frame.color.empty() ? frame.depth : frame.color).parent_path();
    if (std::exchange(last, folder) != folder && folder != top && fs::exists(folder / "poses.txt"))
      unread.push_back(folder.filename().string());
  }
  if (!unread.empty())
    recording.warnings.push_back(recording.folder.string() + ": the poses of the recordings in it (" +
                                 dataset::some_of(unread) + ") are not read; name the folder of one recording instead");
}

Recording native_recording(const fs::path& folder) {
  dataset::DatasetOptions options;
  options.needs_truth = false;
  const dataset::Dataset dataset = dataset::Dataset::open(folder, options, "test");
  Recording recording{dataset.folder(), {}, dataset.config()};
  for (std::size_t i = 0; i < dataset.size(); ++i) recording.frames.push_back({dataset.files(i)});
  recording.warnings = dataset.file_warnings();
  note_unread_poses(recording);
  return recording;
}

std::vector<std::string> names_of_frames(const Recording& recording) {
  std::vector<std::string> names;
  for (const RecordedFrame& frame : recording.frames) names.push_back(frame.name);
  return names;
}

/// Reads poses.txt. Names without a frame are reported; it is an error if all are.
void read_poses_of(Recording& recording) {
  const fs::path file = recording.folder / "poses.txt";
  if (!fs::is_regular_file(file)) return;
  auto poses = dataset::by_frame(file, dataset::parse_frame_poses(file, dataset::read_user_text(file)),
                                 names_of_frames(recording));
  const std::size_t num_named = poses.size();
  for (RecordedFrame& frame : recording.frames)
    if (const auto pose = poses.extract(frame.name)) frame.pose = pose.mapped();
  std::vector<std::string> unknown;
  for (const auto& [name, pose] : poses) unknown.push_back(name);
  if (unknown.empty()) return;
  recording.warnings.push_back(
      dataset::note_on_unknown_frames(file, unknown, num_named, recording.frames.front().name));
}

/// Reads times.txt; frames that it does not list are left out. Decreasing times are reported, because frames are
/// ordered by name.
void read_times_of(Recording& recording) {
  std::vector<RecordedFrame>& frames = recording.frames;
  for (std::size_t i = 0; i < frames.size(); ++i) frames[i].time_s = static_cast<double>(i) / dataset::kUnknownRateHz;
  const std::map<std::string, double> times = dataset::read_times(recording.folder, names_of_frames(recording));
  if (times.empty() || frames.empty()) return;
  const std::string file = (recording.folder / "times.txt").string();
  std::vector<std::string> without;
  for (RecordedFrame& frame : frames) {
    const auto found = times.find(frame.name);
    if (found != times.end())
      frame.time_s = found->second;
    else
      without.push_back(frame.name);
  }
  FW_CHECK(without.size() < frames.size(), Data,
           file << " names no frame of the folder (it names " << times.begin()->first
                << "); a frame is named without its ending, as " << frames.front().name);
  if (!without.empty()) {
    std::erase_if(frames, [&](const RecordedFrame& frame) { return !times.contains(frame.name); });
    recording.warnings.push_back(file + ": frames that it does not name are left out: " + dataset::some_of(without));
  }
  // If a replayed source was recorded, times restart at or before the first one.
  const auto goes_back = [&](const RecordedFrame& before, const RecordedFrame& after) {
    return after.time_s < before.time_s && after.time_s > frames.front().time_s;
  };
  const auto last_right = std::ranges::adjacent_find(frames, goes_back);
  if (last_right == frames.end()) return;
  recording.warnings.push_back(file + ": the time of " + std::next(last_right)->name + " is before that of " +
                               last_right->name +
                               "; frames follow one another by their names, rename them if their times are right");
}

/// Reads the pose files of pairs, as in 7-Scenes. A file without a valid pose belongs to a frame that was not located.
void read_pose_files(Recording& recording) {
  std::vector<std::string> without;
  for (RecordedFrame& frame : recording.frames) {
    const fs::path file = recording.folder / (frame.name + ".pose.txt");
    if (const auto pose = dataset::read_pose_file(file))
      frame.pose = dataset::motion_of(*pose);
    else if (fs::exists(file))
      without.push_back(file.filename().string());
  }
  if (!without.empty())
    recording.warnings.push_back(recording.folder.string() +
                                 ": frames have no pose where a file holds no matrix of 4 x "
                                 "4 numbers that rotates: " +
                                 dataset::some_of(without));
}

}  // namespace

void read_config_of(Recording& recording) {
  const std::vector<RecordedFrame>& frames = recording.frames;
  const std::optional<double> depth_scale_to_mm = recording.config.depth_scale_to_mm;
  recording.config = dataset::read_folder_config(recording.folder, {frames.begin(), frames.end()});
  if (depth_scale_to_mm) recording.config.depth_scale_to_mm = depth_scale_to_mm;
  if (frames.empty()) return;
  std::ranges::move(dataset::camera_warnings(recording.config, recording.folder, frames.front()),
                    std::back_inserter(recording.warnings));
}

Recording list_frames_recording(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw FileError(ErrorKind::kData, folder, fs::exists(folder) ? ENOTDIR : ENOENT,
                    std::string("does not exist; name one that holds ") + dataset::kExpectedFiles);
  Recording recording{folder, list_pairs(folder)};
  const bool has_pairs = !recording.frames.empty();
  if (has_pairs)
    read_config_of(recording);
  else
    recording = native_recording(folder);
  if (fs::is_regular_file(recording.folder / "poses.txt"))
    read_poses_of(recording);
  else if (has_pairs)
    read_pose_files(recording);
  read_times_of(recording);
  return recording;
}

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

namespace {

/// Time differences between depth and colour of the images paired in sequence when `ahead_s` is subtracted from depth.
std::vector<double> paired_differences(std::span<const double> color_s, std::span<const double> depth_s, double ahead_s,
                                       double max_difference_s) {
  std::vector<double> differences;
  for (std::size_t c = 0, d = 0; c < color_s.size() && d < depth_s.size();) {
    const double difference = depth_s[d] - ahead_s - color_s[c];
    if (std::abs(difference) < max_difference_s) {
      differences.push_back(depth_s[d++] - color_s[c++]);
    } else if (difference < 0) {
      ++d;
    } else {
      ++c;
    }
  }
  return differences;
}

}  // namespace

std::optional<ClockOffset> find_clock_offset(std::span<const double> color_s, std::span<const double> depth_s,
                                             double max_difference_s, std::size_t num_pairs) {
  constexpr std::size_t kMinPairs = 10, kTried = 16;  // recordings start within a few frames of each other
  const std::size_t most = std::min(color_s.size(), depth_s.size());
  if (most < kMinPairs || 4 * num_pairs > most) return std::nullopt;
  std::vector<double> best;
  for (std::size_t c = 0; c < std::min(color_s.size(), kTried); ++c)
    for (std::size_t d = 0; d < std::min(depth_s.size(), kTried); ++d) {
      std::vector<double> differences = paired_differences(color_s, depth_s, depth_s[d] - color_s[c], max_difference_s);
      if (differences.size() > best.size()) best = std::move(differences);
    }
  if (best.size() < kMinPairs || 10 * best.size() < 9 * most) return std::nullopt;
  const std::size_t pairs = best.size();
  return ClockOffset{median_of(std::move(best)), pairs};
}

namespace {

struct NearPair {
  double difference_s = 0;
  ImagePair images = {};
};

/// Pairs within the time limit, nearest first.
std::vector<NearPair> near_pairs(const std::string& place, const TimedImages& colors, const TimedImages& depths) {
  constexpr std::size_t kMaxNear = 100;  // average per image: 2500 images per second
  std::vector<NearPair> pairs;
  for (std::size_t c = 0; c < colors.times_s.size(); ++c) {
    const double time_s = colors.times_s[c];
    auto depth = std::ranges::lower_bound(depths.times_s, time_s - kMaxPairDifferenceS);
    for (; depth != depths.times_s.end() && *depth < time_s + kMaxPairDifferenceS; ++depth)
      pairs.push_back({std::abs(*depth - time_s), {c, static_cast<std::size_t>(depth - depths.times_s.begin())}});
    FW_CHECK(pairs.size() <= kMaxNear * (c + kMaxNear), Data,
             place << ": " << pairs.size() << " images of " << depths.name << " were taken within "
                   << kMaxPairDifferenceS << " s of the first " << c + 1 << " of " << colors.name
                   << "; check the times of both");
  }
  std::ranges::stable_sort(pairs, {}, &NearPair::difference_s);
  return pairs;
}

/// A remedy if the clocks seem to differ; else empty.
std::string clock_note(const TimedImages& colors, const TimedImages& depths, std::size_t num_pairs) {
  const auto offset = find_clock_offset(colors.times_s, depths.times_s, kMaxPairDifferenceS, num_pairs);
  if (!offset) return "";
  return format_text(
             "the depth camera's clock seems to be %.3f s %s, for %zu images would then belong together; %s as "
             "much %s the times in ",
             std::abs(offset->ahead_s), offset->ahead_s > 0 ? "ahead" : "behind", offset->num_pairs,
             offset->ahead_s > 0 ? "take" : "add", offset->ahead_s > 0 ? "from" : "to") +
         depths.name + " if that is so";
}

}  // namespace

Association associate_by_time(const std::string& place, const TimedImages& colors, const TimedImages& depths) {
  std::vector<bool> color_taken(colors.times_s.size()), depth_taken(depths.times_s.size());
  Association association;
  for (const NearPair& pair : near_pairs(place, colors, depths)) {
    if (color_taken[pair.images.color] || depth_taken[pair.images.depth]) continue;
    color_taken[pair.images.color] = depth_taken[pair.images.depth] = true;
    association.pairs.push_back(pair.images);
  }
  const std::string note = clock_note(colors, depths, association.pairs.size());
  FW_CHECK(!association.pairs.empty(), Data,
           place << ": none of the " << colors.times_s.size() << " images of " << colors.name << " was taken within "
                 << kMaxPairDifferenceS << " s of one of the " << depths.times_s.size() << " of " << depths.name << "; "
                 << (note.empty() ? "check the times of both" : note));
  // Cameras drop an image now and then.
  const bool lacks_many = 10 * association.pairs.size() < 9 * colors.times_s.size();
  if (!note.empty() || lacks_many)
    association.warning = place + ": only " + std::to_string(association.pairs.size()) + " of the " +
                          std::to_string(colors.times_s.size()) + " images of " + colors.name +
                          " were taken within 20 ms of one of " + depths.name + "; " +
                          (note.empty() ? "the others are left out" : note);
  std::ranges::sort(association.pairs, {}, &ImagePair::color);
  return association;
}

}  // namespace fernwood::recordings
