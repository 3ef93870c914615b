// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/formats/open_source.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "dataset/frame_file_names.h"
#include "fernwood/core/error.h"
#include "fernwood/core/plugin.h"
#include "fernwood/core/text.h"
#include "fernwood/formats/import.h"
#include "formats/import/formats.h"
#include "recordings/bag/bag.h"
#include "recordings/source/recording.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

namespace {

using OpenSource = recordings::FrameSource*(const char*, const recordings::SourceOptions*);
constexpr const char* kOpenSource = "fernwood_open_source";

/// Whether an import format can serve as a source of frames: it works without options of its own, and is not a source
/// already.
bool is_source(const ImportFormat& format) {
  return std::ranges::count(format.own_options, "min-confidence") == std::ssize(format.own_options) &&
         format.name != "tum";
}

std::string known_sources() {
  std::vector<std::string> sources = {"frames:DIR", "tum:DIR", "mcap:FILE", "rosbag:FILE", "ros: (topics of ROS 2)"};
  for (const ImportFormat& format : import_formats())
    if (is_source(format)) sources.push_back(std::string(format.name) + ":DIR");
  for (const std::string& plugin : plugins_with(kOpenSource))
    sources.push_back(plugin == "video" ? "video:FILE, video:0 (a camera of the system)" : plugin + ":");
  return join(sources);
}

constexpr std::string_view kDepthBeside = "?depth=";  // after a video

/// The URL of a source given as a path: "frames:rooms" for a folder, "video:0" for /dev/video0.
/// @throws Error(kUsage) for anything else.
std::string url_of_path(const std::string& path) {
  constexpr std::string_view kCamera = "/dev/video";
  if (path.starts_with(kCamera)) return "video:" + path.substr(kCamera.size());
  if (path.find("://") != std::string::npos) return "video:" + path;  // a network camera
  // Topics may follow the last question mark.
  if (recordings::is_bag(path) || recordings::is_bag(path.substr(0, path.rfind('?')))) return "rosbag:" + path;
  std::error_code unreadable;
  if (path.find(kDepthBeside) != std::string::npos) return "video:" + path;
  if (const std::string format = recording_format_of(path); !format.empty()) return format + ":" + path;
  if (fs::is_directory(path, unreadable))
    return (fs::exists(fs::path(path) / "rgb.txt", unreadable) ? "tum:" : "frames:") + path;
  const std::string extension = dataset::lower_case(fs::path(path).extension().string());
  static constexpr std::array kVideos = {".mp4", ".avi", ".mkv", ".mov", ".webm", ".mpg", ".mpeg", ".m4v"};
  if (std::ranges::find(kVideos, extension) != kVideos.end()) return "video:" + path;
  if (extension == ".oni") return "openni2:" + path;
  FW_CHECK(
      !fs::exists(path, unreadable), Usage,
      "the source "
          << path
          << " is a file that is neither a video nor a recording of ROS; use a folder of frames, a video, or one of "
          << known_sources() << "; a single image is labelled by fernwood predict --color");
  throw Error(ErrorKind::kUsage, "the source " + path +
                                     " does not exist; use a folder of frames, a video, /dev/video0, "
                                     "or one of " +
                                     known_sources());
}

}  // namespace

std::unique_ptr<recordings::FrameSource> open_source(const std::string& url, const recordings::SourceOptions& options) {
  const std::size_t colon = url.find(':');
  const std::string kind = url.substr(0, colon);
  const std::string place = colon == std::string::npos ? "" : url.substr(colon + 1);
  if (colon != std::string::npos)
    if (auto recording = recordings::open_recording(kind, place, options)) return recording;
  for (const ImportFormat& format : import_formats())
    if (colon != std::string::npos && kind == format.name && is_source(format))
      return open_import_source(kind, place, options);
  std::error_code unreadable;
  const std::size_t depth = place.rfind(kDepthBeside);
  if (kind == "video" && depth != std::string::npos && !fs::exists(place, unreadable))
    return open_video_with_depth(place.substr(0, depth), place.substr(depth + kDepthBeside.size()), options);
  if (colon == std::string::npos || place.starts_with("//") || fs::exists(url, unreadable))
    return open_source(url_of_path(url), options);
  OpenSource* const open = find_plugin<OpenSource>(kind, kOpenSource);
  FW_CHECK(open != nullptr, Usage,
           "this build of fernwood has no source \"" << kind << ":\" (there is no plug-in fernwood_" << kind
                                                     << ".so; fernwood doctor shows what it needs); it has "
                                                     << known_sources());
  return recordings::aligned(std::unique_ptr<recordings::FrameSource>(open(place.c_str(), &options)));
}

}  // namespace fernwood::formats
