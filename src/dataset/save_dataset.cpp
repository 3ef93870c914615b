// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/dataset.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/json_text.h"
#include "dataset/dataset_folder.h"
#include "dataset/folder_in_progress.h"
#include "dataset/frame_file_names.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// The escapes of JSON are valid in TOML, which requires one more, for the last control character.
std::string quoted(const std::string& text) {
  std::string literal = json_text(nlohmann::json(text));
  for (std::size_t at = 0; (at = literal.find('\x7f', at)) != std::string::npos;) literal.replace(at, 1, "\\u007F");
  return literal;
}

/// [frame] File names whose order is that of the frames, since a folder's frames are read in the order of their names.
std::vector<std::string> file_names(const Dataset& data) {
  std::vector<std::string> names = data.names();
  bool are_numbers = true;
  for (std::size_t i = 0; i < names.size(); ++i) are_numbers &= names[i] == std::to_string(i);
  const bool ascend = std::ranges::adjacent_find(names, std::ranges::greater_equal{}) == names.end();
  if (ascend && std::ranges::all_of(names, is_file_name)) return names;
  const int digits = std::max(4, static_cast<int>(std::to_string(data.size() - 1).size()));
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::string number = format_text("%0*zu", digits, i);
    names[i] = are_numbers || !is_file_name(names[i]) ? number : number + "_" + names[i];
  }
  return names;
}

/// Classes of the frames with labels; empty if none has labels.
image::ClassMap classes_of(const Dataset& data, const std::vector<std::uint32_t>& labelled, ThreadPool& pool) {
  if (labelled.empty()) return {};
  image::ClassMap classes = data.with_frames(labelled).scan_truth(pool).classes;
  for (const image::ClassInfo& info : classes.classes)
    FW_CHECK(info.color != image::Rgb{}, Usage,
             "the class " << info.name << " is black, which means no class in a folder; give it another colour");
  return classes;
}

}  // namespace

std::string config_text(const DatasetConfig& config) {
  const DefaultFloats floats;
  TextOutput text;
  text.precision(9);
  if (config.depth_scale_to_mm) text << "depth_scale = " << *config.depth_scale_to_mm << "\n";
  text << "depth_missing = " << config.depth_missing << "\n";
  if (!config.background.empty()) text << "background = " << quoted(config.background) << "\n";
  const auto put = [&](const auto& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) text << (i == 0 ? "[" : ", ") << numbers[i];
    text << "]";
  };
  const auto put_camera = [&](const char* key, const image::Camera& camera, const image::Distortion& distortion) {
    std::string inside = image::to_string(camera);
    inside.pop_back();
    text << key << " = " << inside;
    if (distortion != image::Distortion{}) text << ", distortion = ", put(distortion);
    text << "}\n";
  };
  if (config.camera)
    put_camera("camera", *config.camera, config.cameras ? config.cameras->color_distortion : image::Distortion{});
  if (config.cameras) {
    put_camera("depth_camera", config.cameras->depth, config.cameras->depth_distortion);
    text << "depth_to_color = {rotation = ", put(config.cameras->rotation);
    text << ", translation = ", put(config.cameras->translation_m);
    text << "}\n";
  }
  if (config.up != image::kImageUp)
    text << "up = [" << config.up.x << ", " << config.up.y << ", " << config.up.z << "]\n";
  if (!config.ignored_colors.empty())
    text << "ignored_colors = ["
         << join(config.ignored_colors, ", ", [](image::Rgb c) { return format_text("[%d, %d, %d]", c.r, c.g, c.b); })
         << "]\n";
  if (config.labels == LabelEncoding::kIndex) text << "labels = \"index\"\n";
  if (config.ignore_index)
    text << "ignore_index = ["
         << join(*config.ignore_index, ", ", [](std::uint16_t index) { return std::to_string(index); }) << "]\n";
  if (std::ranges::any_of(config.classes, [](const auto& info) { return info.stated_thing.has_value(); })) {
    std::vector<std::string> things;
    for (const image::ClassInfo& info : config.classes)
      if (info.is_thing()) things.push_back(quoted(info.name));
    text << "things = [" << join(things) << "]\n";
  }
  for (std::size_t c = 0; c < config.classes.size(); ++c) {
    const image::ClassInfo& info = config.classes[c];
    text << "\n[[classes]]\nname = " << quoted(info.name) << "\n";
    if (config.labels == LabelEncoding::kIndex) text << "index = " << config.class_indices[c] << "\n";
    text << "color = [" << int{info.color.r} << ", " << int{info.color.g} << ", " << int{info.color.b} << "]\n";
  }
  return std::move(text).str();
}

void save_dataset(const Dataset& data, const std::vector<std::uint32_t>& labelled, const fs::path& folder,
                  ThreadPool& pool, const ProgressCallback& progress) {
  FW_CHECK(!folder.empty(), Usage, "the name of the folder to write is empty; choose a new one");
  const DefaultFloats floats;
  FolderInProgress new_folder(folder);
  const fs::path& place = new_folder.path();
  DatasetConfig config = data.config();
  config.depth_scale_to_mm = 1.0;  // frames are written in millimetres, aligned
  config.depth_missing = 0;
  config.cameras.reset();
  config.labels.reset();
  config.ignored_colors.clear();
  config.ignore_index.reset();
  const image::ClassMap classes = classes_of(data, labelled, pool);
  config.classes = classes.classes;
  config.frame_cameras.clear();
  parse_dataset_config(config_text(config), folder / "dataset.toml");  // checks that the result can be read
  const std::vector<std::string> names = file_names(data);
  const std::vector<std::uint32_t> groups = data.groups();
  std::map<std::string, image::Camera> cameras;

  std::mutex mutex;
  std::size_t done = 0;
  for_each_in_order_of_failure(pool, data.size(), [&](std::size_t i, int) {
    const image::Frame frame = data.read_frame(i);
    write_frame(place, names[i], frame, config.up);
    if (std::ranges::binary_search(labelled, static_cast<std::uint32_t>(i))) {
      write_png(place / (names[i] + "_ground_truth.png"), colorize_labels(data.read_labels(i, classes), classes));
      if (data.has_instances(i)) write_png16(place / (names[i] + "_instances.png"), data.read_instances(i));
    }
    const std::lock_guard lock(mutex);
    if (frame.camera) cameras.emplace(names[i], *frame.camera);
    if (progress) progress(++done, data.size());
  });
  std::string group_lines;
  for (std::size_t i = 0; i < groups.size(); ++i) group_lines += names[i] + " group" + std::to_string(groups[i]) + "\n";
  if (!groups.empty()) write_file_atomically(place / "groups.txt", NamedBy::kFernwood, group_lines);
  config.frame_cameras = std::move(cameras);
  settle_cameras(data.size(), config);
  write_frame_cameras(place, config.frame_cameras);
  write_file_atomically(place / "dataset.toml", NamedBy::kFernwood, config_text(config));
  new_folder.finish();
}

void write_frame(const fs::path& folder, const std::string& name, const image::Frame& frame,
                 const image::Vector3& usual_up) {
  if (!frame.color.empty()) write_png(folder / (name + "_colors.png"), frame.color);
  if (!frame.depth_mm.empty()) write_png16(folder / (name + "_depth.png"), frame.depth_mm);
  if (!frame.maps.empty()) write_maps(folder / (name + "_maps.npy"), frame.maps);
  if (frame.up == usual_up) return;
  const DefaultFloats floats;
  TextOutput text;
  text.precision(std::numeric_limits<float>::max_digits10);
  text << frame.up.x << " " << frame.up.y << " " << frame.up.z << "\n";
  write_file_atomically(folder / (name + "_up.txt"), NamedBy::kFernwood, text.str(), Durability::kProcess);
}

}  // namespace fernwood::dataset
