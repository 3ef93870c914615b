// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataset/bag/bag.h"
#include "dataset/bag/bag_source.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/frame_reader.h"
#include "dataset/source/associate.h"
#include "dataset/source/recording.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/file_error.h"
#include "fernwood/core/plugin.h"
#include "fernwood/core/text.h"
#include "fernwood/core/text_stream.h"
#include "fernwood/dataset/frame_source.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// The camera and where up is as dataset.toml of the recording's folder says, if there is one.
void read_camera_of(Recording& recording) {
  const auto file = find_config_file(recording.folder);
  if (!file) return;
  const DatasetConfig config = read_dataset_config(*file);
  recording.reading.camera = config.camera;
  recording.reading.up = config.up;
  recording.reading.cameras = config.cameras;
}

// What `frames:` finds in a folder.

/// Frames per second of a recording that does not tell when they were taken.
constexpr double kUnknownRateHz = 30;

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

Recording native_recording(const fs::path& folder) {
  DatasetOptions options;
  options.needs_truth = false;
  const Dataset dataset = Dataset::open(folder, options, "test");
  Recording recording{dataset.folder(), {}, reading_of(dataset.config())};
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const FrameFiles& files = dataset.files(i);
    recording.frames.push_back({files.name, 0, files.color, files.depth, files.up, files.maps});
  }
  recording.warnings = dataset.file_warnings();
  return recording;
}

constexpr double kDepthStepsPerMm = 5;  // 5000 steps are a metre

struct TimedFile {
  double time_s = 0;
  fs::path path;
};

/// Lines of "seconds path". @param name  Of the list, for messages.
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
    FW_CHECK(words >> timed.time_s >> relative, Data,
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

/// `frames:`, the native layout or pairs. Times: times.txt, as FrameRecorder writes it.
Recording list_frames_recording(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw FileError(ErrorKind::kData, folder, fs::exists(folder) ? ENOTDIR : ENOENT,
                    std::string("the folder of frames does not exist; name one that holds ") + kExpectedFiles);
  Recording recording{folder, list_pairs(folder)};
  if (recording.frames.empty()) recording = native_recording(folder);
  read_camera_of(recording);
  const std::map<std::string, double> times = read_times(recording.folder);
  for (std::size_t i = 0; i < recording.frames.size(); ++i) {
    const auto found = times.find(recording.frames[i].name);
    recording.frames[i].time_s = found != times.end() ? found->second : static_cast<double>(i) / kUnknownRateHz;
  }
  return recording;
}

}  // namespace

Recording associate_tum(const fs::path& folder, const std::string& rgb, const std::string& depth) {
  const std::vector<TimedFile> colors = parse_list(folder, "rgb.txt", rgb),
                               depths = parse_list(folder, "depth.txt", depth);
  Recording recording{folder, {}, {.depth_scale_to_mm = 1 / kDepthStepsPerMm}};
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
    recording.frames.push_back({color.path.stem().string(), color.time_s, color.path, depths[pair.depth].path});
  }
  if (!association.warning.empty()) recording.warnings.push_back(association.warning);
  return recording;
}

namespace {

/// One of the two lists of `tum:`.
std::string read_list(const fs::path& path) {
  if (!fs::exists(path))
    throw FileError(ErrorKind::kData, path, ENOENT,
                    "cannot be read; a TUM recording has rgb.txt and depth.txt with a line of seconds and path for "
                    "each image");
  return read_text(path);
}

/// Lists may come from somebody else: neither they nor links may lead out of their folder.
void check_inside(const fs::path& folder, const fs::path& path) {
  std::error_code dangling;  // told when the image is read
  const fs::path target = fs::canonical(path, dangling), top = fs::canonical(folder, dangling);
  FW_CHECK(dangling || std::ranges::mismatch(top, target).in1 == top.end(), Data,
           path.string() << ": leads to " << target.string() << ", outside the recording; copy its images into it");
}

/// `tum:`.
Recording list_tum_recording(const fs::path& folder) {
  Recording recording = associate_tum(folder, read_list(folder / "rgb.txt"), read_list(folder / "depth.txt"));
  for (const RecordedFrame& frame : recording.frames)
    for (const fs::path& path : {frame.color, frame.depth}) check_inside(folder, path);
  read_camera_of(recording);
  return recording;
}

/// Delivers the frames of a recording, decoded when they are asked for or beforehand.
class FileSource : public FrameSource {
 public:
  FileSource(Recording recording, const SourceOptions& options)
      : recording_(std::move(recording)), loop_(options.loop) {
    FW_CHECK(!recording_.frames.empty(), Data,
             recording_.folder.string() << ": the recording has no frame; name a folder that holds some");
    if (options.max_decoded == 0) return;
    recording_.frames.resize(std::min(options.max_decoded, recording_.frames.size()));
    for (const RecordedFrame& files : recording_.frames) decoded_.push_back(decode(files));
  }

  std::optional<CapturedFrame> next() override {
    if (next_ == recording_.frames.size() && loop_) next_ = 0;
    if (stopped_ || next_ == recording_.frames.size()) return std::nullopt;
    const std::size_t index = next_++;
    return decoded_.empty() ? decode(recording_.frames[index]) : decoded_[index];
  }
  void stop() override { stopped_ = true; }
  bool has_color() const override { return !recording_.frames.front().color.empty(); }
  bool has_depth() const override { return !recording_.frames.front().depth.empty(); }
  std::size_t num_maps() const override {
    const fs::path& maps = recording_.frames.front().maps;
    return maps.empty() ? 0 : read_maps(maps).num_maps;
  }
  bool has_camera() const override { return recording_.reading.camera.has_value(); }
  bool is_live() const override { return false; }
  std::vector<std::string> warnings() const override { return recording_.warnings; }
  std::string name() const override { return recording_.folder.string(); }

 private:
  CapturedFrame decode(const RecordedFrame& files) const {
    auto frame = std::make_shared<image::Frame>(
        read_frame_files({files.color, files.depth, files.up, files.maps}, recording_.reading));
    return {std::move(frame), files.time_s, files.name};
  }

  Recording recording_;
  bool loop_;
  std::vector<CapturedFrame> decoded_;  // empty, or all
  std::size_t next_ = 0;
  std::atomic<bool> stopped_ = false;
};

using OpenSource = FrameSource*(const char*, const SourceOptions*);
constexpr const char* kOpenSource = "fernwood_open_source";

/// The kinds of sources of this build, for messages.
std::string known_sources() {
  std::string text = "frames:DIR, tum:DIR, mcap:FILE, rosbag:FILE";
  for (const std::string& plugin : plugins_with(kOpenSource))
    text += plugin == "video" ? ", video:FILE, video:0 (a camera of the system)" : ", " + plugin + ":";
  return text;
}

std::string lower_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), to_lower);
  return extension;
}

/// The URL of a source that is given as a path, by what is there: "frames:rooms" of a folder, "video:0" of /dev/video0.
/// @throws Error(kUsage) for anything else.
std::string url_of_path(const std::string& path) {
  constexpr std::string_view kCamera = "/dev/video";
  if (path.starts_with(kCamera)) return "video:" + path.substr(kCamera.size());
  if (path.find("://") != std::string::npos) return "video:" + path;  // a camera of the network
  // Topics may be named behind the last question mark.
  if (is_bag(path) || is_bag(path.substr(0, path.rfind('?')))) return "rosbag:" + path;
  std::error_code unreadable;
  if (fs::is_directory(path, unreadable))
    return (fs::exists(fs::path(path) / "rgb.txt", unreadable) ? "tum:" : "frames:") + path;
  const std::string extension = lower_extension(path);
  static constexpr std::array kVideos = {".mp4", ".avi", ".mkv", ".mov", ".webm", ".mpg", ".mpeg", ".m4v"};
  if (std::ranges::find(kVideos, extension) != kVideos.end()) return "video:" + path;
  if (extension == ".oni") return "openni2:" + path;
  FW_CHECK(
      !fs::exists(path, unreadable), Usage,
      "the source "
          << path
          << " is a file that is neither a video nor a recording of ROS; give a folder of frames, a video, or one of "
          << known_sources() << "; a single picture is labelled by fernwood predict --color");
  throw Error(ErrorKind::kUsage, "the source " + path +
                                     " does not exist; give a folder of frames, a video, /dev/video0, "
                                     "or one of " +
                                     known_sources());
}

}  // namespace

std::unique_ptr<FrameSource> open_source(const std::string& url, const SourceOptions& options) {
  const std::size_t colon = url.find(':');
  const std::string kind = url.substr(0, colon);
  const std::string place = colon == std::string::npos ? "" : url.substr(colon + 1);
  if (colon != std::string::npos && kind == "frames")
    return std::make_unique<FileSource>(list_frames_recording(place), options);
  if (colon != std::string::npos && kind == "tum")
    return std::make_unique<FileSource>(list_tum_recording(place), options);
  if (colon != std::string::npos && (kind == "mcap" || kind == "rosbag")) return open_bag_source(place, options);
  std::error_code unreadable;
  if (colon == std::string::npos || place.starts_with("//") || fs::exists(url, unreadable))
    return open_source(url_of_path(url), options);
  OpenSource* const open = find_plugin<OpenSource>(kind, kOpenSource);
  FW_CHECK(open != nullptr, Usage,
           "this build of fernwood has no source \"" << kind << ":\" (there is no plug-in fernwood_" << kind
                                                     << ".so); it has " << known_sources());
  return std::unique_ptr<FrameSource>(open(place.c_str(), &options));
}

}  // namespace fernwood::dataset
