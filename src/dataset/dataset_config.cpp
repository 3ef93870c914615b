// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/dataset_folder.h"
#include "dataset/files/user_text.h"
#include "dataset/index_labels.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace {

/// The end of a message: "; known are a, b", preceded by ", did you mean "a"?" if a word is similar enough.
std::string known_names(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(word, known);
  return (nearest.empty() ? "" : ", did you mean \"" + std::string(nearest) + "\"?") + "; known are " + join(known);
}

/// A dataset.toml, with helpers for its readers. Failures are Error(kData) naming file and line.
class ConfigFile {
 public:
  ConfigFile(std::string_view text, std::filesystem::path path) : text_(text), path_(std::move(path)) {}

  toml::table parse() const {
    if (const std::size_t line = line_of_long_key(text_))
      throw Error(ErrorKind::kData,
                  path_.string() + ":" + std::to_string(line) +
                      ": a key has more than 32 parts; no key has more than two, see docs/reference/datasets.md");
    try {
      return toml::parse(text_);
    } catch (const toml::parse_error& error) {
      throw Error(ErrorKind::kData, path_.string() + ":" + std::to_string(error.source().begin.line) +
                                        " is not valid TOML: " + std::string(error.description()) +
                                        "; see docs/reference/datasets.md");
    }
  }
  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    throw Error(ErrorKind::kData, path_.string() + ":" + std::to_string(node.source().begin.line) + ": " + what);
  }
  /// Fails unless `key` is in `known` or `also_known`; only the former are listed.
  void check_key(const toml::key& key, const toml::node& node, std::span<const std::string_view> known,
                 std::span<const std::string_view> also_known = {}) const {
    for (const auto& names : {known, also_known})
      if (std::ranges::find(names, key.str()) != names.end()) return;
    fail(node, "the key \"" + std::string(key.str()) + "\" is unknown" + known_names(key.str(), known));
  }

 private:
  std::string_view text_;
  std::filesystem::path path_;
};

constexpr std::array<std::string_view, 7> kCameraKeys = {"width", "height", "fx", "fy", "cx", "cy", "distortion"};
constexpr const char* kCameraExample =
    "camera = {width = 640, height = 480, fx = 525, fy = 525, cx = 319.5, cy = 239.5}";

image::Camera sensor(const ConfigFile& file, const toml::node& node) {
  std::vector<std::string_view> names;
  for (const image::KnownSensor& known : image::known_sensors()) names.push_back(known.name);
  const auto name = node.value_exact<std::string>();
  if (!name) file.fail(node, "sensor is not a string; write sensor = \"" + std::string(names.front()) + "\"");
  if (const image::KnownSensor* found = image::find_sensor(*name)) return found->camera;
  file.fail(node, "the sensor \"" + *name + "\" is unknown" + known_names(*name, names) + "; for another one write " +
                      kCameraExample);
}

const toml::node& value_of(const ConfigFile& file, const toml::table& entry, std::string_view key) {
  const toml::node* node = entry.get(key);
  if (node == nullptr) file.fail(entry, "camera has no " + std::string(key) + "; write " + kCameraExample);
  return *node;
}

/// A side of a frame, limited to 32 bits: larger values are invalid anyway, and must not wrap around.
int side(const ConfigFile& file, const toml::table& entry, std::string_view key) {
  const toml::node& node = value_of(file, entry, key);
  const auto value = node.value_exact<std::int64_t>();
  if (!value || *value != static_cast<std::int32_t>(*value))
    file.fail(node, std::string(key) + " is not an integer; write " + kCameraExample);
  return static_cast<int>(*value);
}

float number(const ConfigFile& file, const toml::table& entry, std::string_view key) {
  const toml::node& node = value_of(file, entry, key);
  const auto value = node.value<double>();
  if (!value) file.fail(node, std::string(key) + " is not a number; write " + kCameraExample);
  return static_cast<float>(*value);
}

image::Camera camera(const ConfigFile& file, const toml::node& node) {
  const toml::table* entry = node.as_table();
  if (entry == nullptr) file.fail(node, std::string("camera is not a table; write ") + kCameraExample);
  for (const auto& [key, value] : *entry) file.check_key(key, value, kCameraKeys);
  const image::Camera camera = {side(file, *entry, "width"), side(file, *entry, "height"), number(file, *entry, "fx"),
                                number(file, *entry, "fy"),  number(file, *entry, "cx"),   number(file, *entry, "cy")};
  if (const std::string problem = image::problem_of(camera); !problem.empty()) file.fail(node, "camera: " + problem);
  return camera;
}

/// Numbers of a list; fails unless there are `least` to `most` of them.
std::vector<float> numbers(const ConfigFile& file, const toml::node& node, std::size_t least, std::size_t most,
                           const std::string& remedy) {
  const toml::array* list = node.as_array();
  if (list == nullptr || list->size() < least || list->size() > most) file.fail(node, remedy);
  std::vector<float> values;
  for (const toml::node& item : *list) {
    const auto value = item.value<double>();
    if (!value) file.fail(item, remedy);
    values.push_back(static_cast<float>(*value));
  }
  return values;
}

image::Distortion distortion(const ConfigFile& file, const toml::node& camera) {
  image::Distortion distortion = {};
  const toml::table* entry = camera.as_table();
  const toml::node* node = entry ? entry->get("distortion") : nullptr;
  if (node == nullptr) return distortion;
  const std::vector<float> given =
      numbers(file, *node, 1, distortion.size(),
              "distortion is not a list of 1 to 8 numbers; write k1, k2, p1, p2, k3, k4, k5, k6 of OpenCV");
  std::ranges::copy(given, distortion.begin());
  return distortion;
}

constexpr std::array<std::string_view, 2> kTransformKeys = {"rotation", "translation"};
constexpr const char* kTransformExample =
    "depth_to_color = {rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1], translation = [0.015, 0, 0]}";

/// Reads `depth_camera` and `depth_to_color` beside `camera` or `sensor`; empty without the former.
std::optional<image::CameraPair> read_cameras(const ConfigFile& file, const toml::table& table,
                                              const std::optional<image::Camera>& color) {
  const toml::node *depth = table.get("depth_camera"), *transform = table.get("depth_to_color");
  if (depth == nullptr && transform != nullptr)
    file.fail(*transform, std::string("depth_to_color is given without depth_camera; write depth_") + kCameraExample);
  if (depth == nullptr) return std::nullopt;
  if (!color)
    file.fail(*depth, std::string("depth_camera is given without the camera of colour; write ") + kCameraExample);
  image::CameraPair pair;
  pair.depth = camera(file, *depth);
  pair.depth_distortion = distortion(file, *depth);
  pair.color = *color;
  if (const toml::node* node = table.get("camera")) pair.color_distortion = distortion(file, *node);
  if (transform != nullptr) {
    const toml::table* entry = transform->as_table();
    const std::string remedy = std::string(
                                   "depth_to_color is not a rotation of 9 numbers, row by row, and a "
                                   "translation of 3 in metres; write ") +
                               kTransformExample;
    if (entry == nullptr) file.fail(*transform, remedy);
    for (const auto& [key, value] : *entry) file.check_key(key, value, kTransformKeys);
    if (const toml::node* node = entry->get("rotation"))
      std::ranges::copy(numbers(file, *node, 9, 9, remedy), pair.rotation.begin());
    if (const toml::node* node = entry->get("translation"))
      std::ranges::copy(numbers(file, *node, 3, 3, remedy), pair.translation_m.begin());
  }
  if (const std::string problem = image::problem_of(pair); !problem.empty())
    file.fail(*depth, "depth_camera: " + problem);
  return pair;
}

/// Reads `up`; kImageUp if it is missing. @throws Error(kData) for a value that is not a direction.
image::Vector3 read_up(const ConfigFile& file, const toml::table& table) {
  const toml::node* node = table.get("up");
  if (node == nullptr) return image::kImageUp;
  const toml::array* list = node->as_array();
  std::array<float, 3> parts{};
  bool is_up = list != nullptr && list->size() == parts.size();
  for (std::size_t i = 0; is_up && i < parts.size(); ++i) {
    const auto part = (*list)[i].value<double>();
    is_up = part.has_value();
    if (is_up) parts[i] = static_cast<float>(*part);
  }
  const image::Vector3 up = {parts[0], parts[1], parts[2]};
  if (!is_up || !image::is_direction(up))
    file.fail(*node,
              "up is not a direction; write three numbers (x right, y down, z ahead) that are not all 0, such as "
              "[0, -1, 0] for a camera held upright");
  return up;
}

constexpr std::array<std::string_view, 13> kKeys = {
    "classes", "labels", "ignored_colors", "ignore_index",   "depth_scale", "depth_missing", "background",
    "sensor",  "camera", "depth_camera",   "depth_to_color", "up",          "things"};
// Descriptive keys for users, which are ignored.
constexpr std::array<std::string_view, 4> kNotes = {"name", "description", "license", "source"};
constexpr std::array<std::string_view, 3> kClassKeys = {"name", "color", "index"};
constexpr std::array<std::string_view, 2> kEncodings = {"colors", "index"};

class Reader : ConfigFile {
 public:
  using ConfigFile::ConfigFile;

  DatasetConfig read() const {
    const toml::table table = parse();
    DatasetConfig config;
    for (const auto& [key, value] : table) check_key(key, value, kKeys, kNotes);
    if (const toml::node* node = table.get("labels")) config.labels = encoding(*node);
    if (const toml::node* node = table.get("ignore_index")) config.ignore_index = ignored_indices(*node);
    if (const toml::node* node = table.get("classes")) read_classes(*node, &config);
    if (const toml::node* node = table.get("things")) read_things(*node, &config.classes);
    if (const toml::node* node = table.get("ignored_colors")) config.ignored_colors = colors(*node);
    if (const toml::node* node = table.get("depth_scale")) config.depth_scale_to_mm = depth_scale(*node);
    if (const toml::node* node = table.get("depth_missing")) config.depth_missing = depth_missing(*node);
    if (const toml::node* node = table.get("background")) config.background = text(*node, "background");
    const toml::node *name = table.get("sensor"), *numbers = table.get("camera");
    if (name && numbers) fail(*numbers, "sensor and camera are both given, which say the same; remove one of them");
    if (name) config.camera = sensor(*this, *name);
    if (numbers) config.camera = camera(*this, *numbers);
    config.cameras = read_cameras(*this, table, config.camera);
    config.up = read_up(*this, table);
    check_consistent(config, table);
    return config;
  }

 private:
  std::string text(const toml::node& node, const std::string& key) const {
    const auto value = node.value_exact<std::string>();
    if (!value || value->empty()) fail(node, key + " is not a string; write " + key + " = \"floor\"");
    return *value;
  }

  double depth_scale(const toml::node& node) const {
    const auto value = node.value<double>();
    if (!value || !std::isfinite(*value) || *value <= 0)
      fail(node, "depth_scale is not a number above 0; set the millimetres per step of the depth images, such as 0.2");
    return *value;
  }

  int depth_missing(const toml::node& node) const {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < 0 || *value > 65535)
      fail(node, "depth_missing is not an integer from 0 to 65535; set the depth value that means unknown");
    return static_cast<int>(*value);
  }

  image::Rgb color(const toml::node& node, const std::string& key) const {
    std::array<std::uint8_t, 3> parts{};
    const toml::array* list = node.as_array();
    bool is_color = list != nullptr && list->size() == 3;
    for (std::size_t i = 0; is_color && i < 3; ++i) {
      const auto part = (*list)[i].value_exact<std::int64_t>();
      is_color = part && *part >= 0 && *part <= 255;
      if (is_color) parts[i] = static_cast<std::uint8_t>(*part);
    }
    if (!is_color) fail(node, key + " is not a colour; write three integers from 0 to 255, such as [7, 54, 66]");
    return {parts[0], parts[1], parts[2]};
  }

  std::vector<image::Rgb> colors(const toml::node& node) const {
    const toml::array* list = node.as_array();
    if (list == nullptr) fail(node, "ignored_colors is not a list of colours; write [[255, 255, 255], [7, 54, 66]]");
    std::vector<image::Rgb> result;
    for (const toml::node& item : *list) result.push_back(color(item, "an entry of ignored_colors"));
    return result;
  }

  LabelEncoding encoding(const toml::node& node) const {
    const std::string word = text(node, "labels");
    if (word == kEncodings[0]) return LabelEncoding::kColors;
    if (word == kEncodings[1]) return LabelEncoding::kIndex;
    fail(node, "labels is \"" + word + "\"" + known_names(word, kEncodings));
  }

  std::uint16_t index(const toml::node& node, const std::string& key) const {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < 0 || *value > 65535)
      fail(node, key + " is not an integer from 0 to 65535; use the number that the label images have");
    return static_cast<std::uint16_t>(*value);
  }

  std::vector<std::uint16_t> ignored_indices(const toml::node& node) const {
    const toml::array* list = node.as_array();
    if (list == nullptr) return {index(node, "ignore_index")};
    std::vector<std::uint16_t> indices;
    for (const toml::node& item : *list) indices.push_back(index(item, "an entry of ignore_index"));
    return indices;
  }

  void read_classes(const toml::node& node, DatasetConfig* config) const {
    const toml::array* list = node.as_array();
    const std::string remedy =
        "write classes = [{name = \"floor\", color = [7, 54, 66]}, ...], or, where labels are numbers, "
        "{name = \"floor\", index = 1}";
    if (list == nullptr) fail(node, "classes is not a list; " + remedy);
    bool has_index = config->labels == LabelEncoding::kIndex;
    for (const toml::node& item : *list) has_index |= item.is_table() && item.as_table()->contains("index");
    if (has_index && config->labels == LabelEncoding::kColors)
      fail(node, "a class has an index, and labels is \"colors\"; write labels = \"index\", or remove the index");
    for (const toml::node& item : *list) {
      const toml::table* entry = item.as_table();
      if (entry == nullptr) fail(item, "an entry of classes is not a table; " + remedy);
      for (const auto& [key, value] : *entry) check_key(key, value, kClassKeys);
      const toml::node *name = entry->get("name"), *rgb = entry->get("color"), *number = entry->get("index");
      if (name == nullptr || (rgb == nullptr && !has_index)) fail(item, "a class has no name or no color; " + remedy);
      const std::uint16_t at =
          number ? index(*number, "index") : static_cast<std::uint16_t>(config->classes.size() & 0xffff);
      config->classes.push_back({text(*name, "name"), rgb ? color(*rgb, "color") : index_color(at)});
      if (has_index) config->class_indices.push_back(at);
    }
    if (has_index) config->labels = LabelEncoding::kIndex;
  }

  void read_things(const toml::node& node, std::vector<image::ClassInfo>* classes) const {
    const toml::array* list = node.as_array();
    const std::string remedy = "write the names of classes, such as [\"chair\", \"box\"]";
    if (list == nullptr) fail(node, "things is not a list; " + remedy);
    std::vector<std::string> things;
    for (const toml::node& item : *list) {
      const auto name = item.value_exact<std::string>();
      if (!name) fail(item, "an entry of things is not a string; " + remedy);
      if (std::ranges::find(*classes, *name, &image::ClassInfo::name) == classes->end())
        fail(item, "things names \"" + *name + "\", which is not a class; " +
                       (classes->empty() ? "list the classes, too" : "the classes are " + to_string(*classes)));
      things.push_back(*name);
    }
    image::state_things(things, *classes);
  }

  void check_indices(const DatasetConfig& config, const toml::table& table) const {
    std::set<std::uint16_t> indices;
    const std::vector<std::uint16_t> ignored = config.ignore_index.value_or(std::vector<std::uint16_t>());
    for (std::size_t c = 0; c < config.class_indices.size(); ++c) {
      const std::uint16_t index = config.class_indices[c];
      const std::string number = "the index " + std::to_string(index);
      if (!indices.insert(index).second) fail(table, "two classes have " + number + "; change or remove one");
      if (std::ranges::find(ignored, index) != ignored.end())
        fail(table, number + " is a class and in ignore_index; remove one of the two");
      if (config.classes[c].color == kIgnoredIndexColor)
        fail(table, "the colour " + to_string(kIgnoredIndexColor) +
                        " means void where labels are numbers; use the "
                        "class " +
                        config.classes[c].name + " another one");
    }
    if (config.ignore_index && config.labels == LabelEncoding::kColors)
      fail(table, "ignore_index is given, and labels is \"colors\"; write ignored_colors");
  }

  void check_consistent(const DatasetConfig& config, const toml::table& table) const {
    check_indices(config, table);
    std::set<std::string> names;
    std::set<std::uint32_t> rgb;
    if (config.classes.size() >= image::kVoid) fail(table, "lists more than 65534 classes; merge some");
    for (const image::ClassInfo& info : config.classes) {
      if (const std::string problem = name_problem(info.name); !problem.empty())
        fail(table, "the name \"" + info.name + "\" of a class " + problem + "; rename it");
      if (!names.insert(info.name).second) fail(table, "two classes are named \"" + info.name + "\"; rename one");
      rgb.insert(packed(info.color));
    }
    if (const std::string problem = same_color_problem(config.classes); !problem.empty())
      fail(table, problem + "; give each its own");
    for (const image::Rgb color : config.ignored_colors)
      if (rgb.count(packed(color)) > 0)
        fail(table, "the colour " + to_string(color) + " is a class and an ignored colour; remove one of the two");
    if (!config.background.empty() && !config.classes.empty() && names.count(config.background) == 0)
      fail(table, "background is \"" + config.background + "\", which is not a class; the classes are " +
                      to_string(config.classes));
  }
};

}  // namespace

DatasetConfig read_dataset_config(const std::filesystem::path& path) {
  return parse_dataset_config(read_user_text(path), path);
}

DatasetConfig parse_dataset_config(std::string_view text, const std::filesystem::path& path) {
  return Reader(text, path).read();
}

image::Vector3 read_up_file(const std::filesystem::path& path) { return parse_up(read_user_text(path), path); }

image::Vector3 parse_up(const std::string& bytes, const std::filesystem::path& path) {
  TextInput text(bytes);
  std::array<double, 3> numbers{};
  const bool are_numbers = std::ranges::all_of(numbers, [&](double& number) { return take_number(text, number); });
  const image::Vector3 up = {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]),
                             static_cast<float>(numbers[2])};
  std::string more;
  FW_CHECK(are_numbers && !(text >> more) && image::is_direction(up), Data,
           path.string() << " is not a direction; it must have three numbers (x right, y down, z ahead) that are not "
                            "all 0, such as 0 -1 0 for a camera held upright, and nothing else");
  return up;
}

}  // namespace fernwood::dataset
