// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Hypersim: rendered rooms, whose depth and labels are HDF5 files.

#include <algorithm>
#include <cmath>
#include <set>

#include "dataset/files/user_text.h"
#include "dataset/nyu_class_maps.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/image_io.h"
#include "formats/import/formats.h"
#include "formats/import/mat_file.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

namespace {

constexpr image::Camera kRenderCamera = {1024, 768, 886.81f, 886.81f, 511.5f, 383.5f};  // a field of view of 60 degrees

/// An image [row][col] of a file.
Hdf5Numbers read_render(const fs::path& file) {
  Hdf5Numbers numbers = read_hdf5(file, "dataset");
  FW_CHECK(numbers.shape.size() == 2, Data,
           file.string() << ": the array \"dataset\" has " << numbers.shape.size()
                         << " dimensions, and rows and columns are expected; unpack it again");
  return numbers;
}

/// Files store the distance from the camera's centre, frames the depth along its axis.
Array2<std::uint16_t> read_ray_depth(const fs::path& file) {
  const Hdf5Numbers distances = read_render(file);
  Array2<std::uint16_t> depth_mm(distances.shape[0], distances.shape[1]);
  const image::Camera camera = scaled(kRenderCamera, depth_mm.cols(), depth_mm.rows());
  for (std::size_t row = 0; row < depth_mm.rows(); ++row) {
    const double y = (static_cast<double>(row) - camera.cy) / camera.fy;
    for (std::size_t col = 0; col < depth_mm.cols(); ++col) {
      const double x = (static_cast<double>(col) - camera.cx) / camera.fx;
      const double distance_m = distances.values[row * depth_mm.cols() + col];
      depth_mm(row, col) = image::round_depth_mm(1000 * distance_m / std::sqrt(1 + x * x + y * y));
    }
  }
  return depth_mm;
}

image::LabelImage render_labels(const fs::path& file, std::size_t num_classes) {
  const Hdf5Numbers numbers = read_render(file);
  image::LabelImage labels(numbers.shape[0], numbers.shape[1], image::kVoid);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const float number = numbers.values[i];
    if (number == -1 || number == 0) continue;
    FW_CHECK(number >= 1 && number <= static_cast<float>(num_classes) && number == std::floor(number), Data,
             file.string() << ": pixel (" << i % labels.cols() << ", " << i / labels.cols() << ") has the number "
                           << number << ", which is none of the " << num_classes << " classes of NYU; unpack it again");
    labels.data()[i] = static_cast<std::uint16_t>(number - 1);
  }
  return labels;
}

/// [scene] Split, from the table in the data set's repository: scene, camera, frame, whether it is public, why not,
/// split.
std::map<std::string, std::string> read_scene_splits(const fs::path& root) {
  constexpr std::size_t kNumCells = 6;
  std::map<std::string, std::string> splits;
  for (const fs::path& folder : {root, root / ".."}) {
    const fs::path file = folder / "metadata_images_split_scene_v1.csv";
    if (!fs::exists(file)) continue;
    TextInput lines(dataset::read_user_text(file));
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (static_cast<std::size_t>(std::ranges::count(line, ',')) + 1 != kNumCells) continue;
      const std::string split = line.substr(line.rfind(',') + 1);
      if (split == "train" || split == "val" || split == "test") splits.emplace(line.substr(0, line.find(',')), split);
    }
    return splits;
  }
  return splits;
}

/// Cameras of a scene, such as cam_00, by the folders of their images.
std::vector<std::string> cameras_in(const fs::path& images) {
  std::vector<std::string> cameras;
  const std::string before = "scene_", after = "_final_preview";
  for (const auto& entry : fs::directory_iterator(images)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && name.starts_with(before) && name.ends_with(after) &&
        name.size() > before.size() + after.size())
      cameras.push_back(name.substr(before.size(), name.size() - before.size() - after.size()));
  }
  std::ranges::sort(cameras, dataset::NaturalOrder());
  return cameras;
}

void add_render_camera(const fs::path& images, const std::string& scene, const std::string& camera, ImportPlan& plan) {
  const fs::path pictures = images / ("scene_" + camera + "_final_preview"),
                 geometry = images / ("scene_" + camera + "_geometry_hdf5");
  const std::string sequence = scene + "_" + camera;
  for (ImportedFrame& frame :
       add_sequence(sequence, files_if_any(pictures, {"frame.{}.tonemap.jpg", "frame.{}.color.jpg"}),
                    files_if_any(geometry, {"frame.{}.depth_meters.hdf5"}), plan)) {
    frame.group = scene;
    if (!frame.depth.empty()) {
      check_hdf5_reader(frame.depth);
      frame.read_depth_mm = [file = frame.depth] { return read_ray_depth(file); };
    }
    const std::string number = frame.name.substr(sequence.size() + 1);
    const fs::path labels = geometry / ("frame." + number + ".semantic.hdf5");
    if (!fs::exists(labels)) continue;
    check_hdf5_reader(labels);
    frame.truth = [labels, num_classes = plan.config.classes.size()](const dataset::FrameSize&) {
      return render_labels(labels, num_classes);
    };
  }
}

}  // namespace

ImportPlan plan_hypersim(const ImportOptions& options) {
  constexpr int kNumClasses = 40;
  ImportPlan plan;
  ClassNames names;
  const dataset::NyuClasses nyu = dataset::nyu_classes(kNumClasses);
  for (const image::ClassInfo& info : nyu.classes) names.add(info.name, info.color);
  plan.config.classes = names.classes();
  plan.config.camera = kRenderCamera;
  const std::map<std::string, std::string> splits = read_scene_splits(options.in);
  std::set<std::string> unlisted;
  for (const fs::path& folder : folders_with(options.in, "images")) {
    const std::string scene = folder_name(folder);
    const std::size_t first = plan.frames.size();
    for (const std::string& camera : cameras_in(folder / "images"))
      add_render_camera(folder / "images", scene, camera, plan);
    const auto split = splits.find(scene);
    if (split == splits.end() && !splits.empty() && plan.frames.size() > first) unlisted.insert(scene);
    for (std::size_t i = first; i < plan.frames.size() && split != splits.end(); ++i)
      plan.frames[i].split = split->second;
  }
  check_found(plan, options.in,
              "scenes such as ai_001_001 with images/scene_cam_00_final_preview and images/scene_cam_00_geometry_hdf5");
  if (!unlisted.empty()) {
    std::erase_if(plan.frames, [&](const ImportedFrame& frame) { return unlisted.contains(frame.group); });
    plan.notes.push_back("scenes of no split, and left out: " + dataset::some_of({unlisted.begin(), unlisted.end()}));
    check_found(plan, options.in, "scenes that metadata_images_split_scene_v1.csv lists");
  }
  plan.notes.push_back(
      "the camera is the usual one, 60 degrees wide; a few scenes were rendered by a camera with a shifted lens, for "
      "which depth is not exact");
  settle_names(options.in, plan.frames);
  return plan;
}

}  // namespace fernwood::formats
