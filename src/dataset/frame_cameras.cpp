// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Cameras that files beside the frames describe.

#include <algorithm>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/files/user_text.h"
#include "dataset/frame_reader.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/align_depth.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

struct FolderCameras {
  std::map<std::string, image::Camera> of_frame = {};  ///< [frame] By frame_cameras.txt.
  std::optional<image::Camera> of_all = {};            ///< By camera-intrinsics.txt.
  fs::path file = {};
};

image::Camera read_camera_matrix(const fs::path& file, const fs::path& picture) {
  const std::vector<double> matrix = numbers_of_file(file, 9);
  FW_CHECK(matrix.size() == 9 || matrix.size() == 16, Data,
           file.string() << " has " << matrix.size() << " numbers; the camera's matrix has 3 rows of 3, or 4 of 4");
  const image::Camera camera = camera_of_matrix(matrix, matrix.size() == 9 ? 3 : 4, size_of_picture(picture));
  const std::string problem = image::problem_of(camera);
  FW_CHECK(problem.empty(), Data,
           file.string() << " is not a camera: " << problem << "; write fx 0 cx, 0 fy cy and 0 0 1, in pixels");
  return camera;
}

/// @param has_common  Whether dataset.toml gives the camera of all frames.
FolderCameras read_folder_cameras(const fs::path& folder, const fs::path& picture, bool has_common) {
  if (const fs::path file = folder / kFrameCameras; fs::is_regular_file(file))
    return {parse_frame_cameras(read_user_text(file), file), {}, file};
  for (const fs::path& place : {folder, full_path(folder).parent_path()})
    if (const fs::path file = place / "camera-intrinsics.txt"; !has_common && fs::is_regular_file(file))
      return {{}, read_camera_matrix(file, picture), file};
  return {};
}

}  // namespace

std::map<std::string, image::Camera> parse_frame_cameras(const std::string& text, const fs::path& path) {
  std::map<std::string, image::Camera> cameras;
  TextInput lines(text);
  std::string line, name, more;
  for (int number = 1; std::getline(lines, line); ++number) {
    TextInput words(line);
    if (!(words >> name) || name.front() == '#') continue;
    image::Camera c;
    const bool is_camera = (words >> c.cols >> c.rows >> c.fx >> c.fy >> c.cx >> c.cy) && !(words >> more);
    const std::string problem = is_camera ? image::problem_of(c) : "is not a frame and its camera";
    FW_CHECK(problem.empty() && cameras.emplace(name, c).second, Data,
             path.string() << ":" << number << ": " << (problem.empty() ? "names " + name + " again" : problem)
                           << "; write NAME WIDTH HEIGHT FX FY CX CY, in pixels, once for a frame");
  }
  return cameras;
}

std::string camera_line(const std::string& frame, const image::Camera& camera) {
  TextOutput line;
  line.precision(std::numeric_limits<float>::max_digits10);
  line << frame << " " << camera.cols << " " << camera.rows << " " << camera.fx << " " << camera.fy << " " << camera.cx
       << " " << camera.cy << "\n";
  return std::move(line).str();
}

void write_frame_cameras(const fs::path& folder, const std::map<std::string, image::Camera>& cameras) {
  std::string lines;
  for (const auto& [frame, camera] : cameras) lines += camera_line(frame, camera);
  if (!lines.empty()) write_file_atomically(folder / kFrameCameras, NamedBy::kFernwood, lines);
}

void find_cameras(const std::vector<FrameFiles>& frames, DatasetConfig& config) {
  std::map<fs::path, FolderCameras> folders;
  for (const FrameFiles& frame : frames) {
    const fs::path& picture = frame.color.empty() ? frame.depth : frame.color;
    if (picture.empty()) continue;
    const fs::path folder = folder_of(picture);
    const auto [place, is_new] = folders.try_emplace(folder);
    FolderCameras& cameras = place->second;
    if (is_new) cameras = read_folder_cameras(folder, picture, config.camera.has_value());
    auto own = cameras.of_frame.find(frame.name);
    const auto file = parse_frame_file_name(picture.filename().string());  // frames of recordings have longer names
    if (own == cameras.of_frame.end() && file) own = cameras.of_frame.find(file->frame);
    const bool has_own = own != cameras.of_frame.end();
    if (!has_own && !cameras.of_all) continue;
    config.frame_cameras.emplace(frame.name, has_own ? own->second : *cameras.of_all);
    config.camera_origin = cameras.file.string();
  }
  settle_cameras(frames.size(), config);
}

void settle_cameras(std::size_t num_frames, DatasetConfig& config) {
  std::map<std::string, image::Camera>& own = config.frame_cameras;
  const auto is_first = [&](const auto& of_frame) { return of_frame.second == own.begin()->second; };
  if (own.empty() || own.size() < num_frames || !std::ranges::all_of(own, is_first)) return;
  config.camera = own.begin()->second;
  own.clear();
}

DatasetConfig read_folder_config(const fs::path& folder, const std::vector<FrameFiles>& frames) {
  DatasetConfig config;
  if (const auto file = find_config_file(folder)) {
    config = read_dataset_config(*file);
    if (config.camera) config.camera_origin = file->string();
  }
  find_cameras(frames, config);
  return config;
}

std::optional<image::Camera> DatasetConfig::camera_of(const std::string& frame) const {
  const auto own = frame_cameras.find(frame);
  return own == frame_cameras.end() ? camera : own->second;
}

std::string describe_cameras(const std::vector<std::optional<image::Camera>>& cameras, const std::string& origin) {
  std::vector<image::Camera> known;
  for (const auto& camera : cameras)
    if (camera) known.push_back(*camera);
  if (known.empty()) return "";
  const auto [least, most] = std::ranges::minmax_element(known, {}, &image::Camera::fx);
  const bool varies = std::ranges::adjacent_find(known, std::ranges::not_equal_to()) != known.end();
  std::string text = varies ? format_text("varies from frame to frame, fx %g to %g", least->fx, most->fx)
                            : image::to_string(known.front());
  text += origin.empty() ? ", assumed" : ", from " + origin;
  if (const std::size_t num_without = cameras.size() - known.size(); num_without > 0)
    text += "; " + std::to_string(num_without) + " of " + std::to_string(cameras.size()) + " frames have none";
  return text;
}

std::vector<std::string> camera_warnings(const DatasetConfig& config, const std::string& place, const FrameSize& size) {
  std::vector<std::string> warnings;
  const auto judge = [&](const char* whose, const image::Camera& camera) {
    const std::string problem = image::plausibility_problem(camera);
    if (!problem.empty()) warnings.push_back(place + ": the " + whose + " " + problem);
  };
  const auto judge_size = [&](const image::Camera& camera) {
    const auto cols = static_cast<std::size_t>(camera.cols), rows = static_cast<std::size_t>(camera.rows);
    if (size.rows > 0 && !image::have_same_proportions(cols, rows, size.cols, size.rows))
      warnings.push_back(place + ": the camera is for images of " + size_text(cols, rows) + " pixels, the frames are " +
                         size_text(size.cols, size.rows) +
                         ", which have other proportions; if they were cut out and not squeezed, use the camera "
                         "parameters for the frames' own size");
  };
  if (config.has_camera()) {
    const image::Camera& camera = config.camera ? *config.camera : config.frame_cameras.begin()->second;
    judge("camera's", camera);
    judge_size(camera);
  }
  if (config.cameras) judge("depth camera's", config.cameras->depth);
  return warnings;
}

std::vector<std::string> camera_warnings(const DatasetConfig& config, const fs::path& folder, const FrameFiles& first) {
  FrameSize size;
  try {
    if (config.has_camera()) size = size_of_picture(first.color.empty() ? first.depth : first.color);
  } catch (const Error&) {  // reported when the frame is read
  }
  return camera_warnings(config, folder.string(), size);
}

image::Camera camera_of_matrix(const std::vector<double>& matrix, std::size_t stride, const FrameSize& size) {
  return {static_cast<int>(size.cols),   static_cast<int>(size.rows),
          static_cast<float>(matrix[0]), static_cast<float>(matrix[stride + 1]),
          static_cast<float>(matrix[2]), static_cast<float>(matrix[stride + 2])};
}

}  // namespace fernwood::dataset
