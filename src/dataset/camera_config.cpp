// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/camera_config.h"

#include <array>
#include <locale>
#include <sstream>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::dataset {

namespace {

constexpr std::array<std::string_view, 6> kCameraKeys = {"width", "height", "fx", "fy", "cx", "cy"};
constexpr const char* kCameraExample =
    "camera = {width = 640, height = 480, fx = 525, fy = 525, cx = 319.5, cy = 239.5}";

image::Camera sensor(const ConfigFile& file, const toml::node& node) {
  std::vector<std::string_view> names;
  for (const image::KnownSensor& known : image::known_sensors()) names.push_back(known.name);
  const auto name = node.value_exact<std::string>();
  if (!name) file.fail(node, "sensor is not a text; write sensor = \"" + std::string(names.front()) + "\"");
  if (const image::KnownSensor* found = image::find_sensor(*name)) return found->camera;
  file.fail(node, "the sensor \"" + *name + "\" is unknown" + known_names(*name, names) + "; for another one write " +
                      kCameraExample);
}

const toml::node& value_of(const ConfigFile& file, const toml::table& entry, std::string_view key) {
  const toml::node* node = entry.get(key);
  if (node == nullptr) file.fail(entry, "camera has no " + std::string(key) + "; write " + kCameraExample);
  return *node;
}

/// Of 32 bits: what is beyond is no side of a frame anyway, and must not wrap around.
int side(const ConfigFile& file, const toml::table& entry, std::string_view key) {
  const toml::node& node = value_of(file, entry, key);
  const auto value = node.value_exact<std::int64_t>();
  if (!value || *value != static_cast<std::int32_t>(*value))
    file.fail(node, std::string(key) + " is not a whole number of pixels; write " + kCameraExample);
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

}  // namespace

std::optional<image::Camera> read_camera(const ConfigFile& file, const toml::table& table) {
  const toml::node *name = table.get("sensor"), *numbers = table.get("camera");
  if (name && numbers) file.fail(*numbers, "sensor and camera are both given, which say the same; remove one of them");
  if (name) return sensor(file, *name);
  if (numbers) return camera(file, *numbers);
  return std::nullopt;
}

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

image::Vector3 read_up_file(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  std::istringstream text(std::string(bytes.begin(), bytes.end()));
  text.imbue(std::locale::classic());
  image::Vector3 up;
  std::string more;
  FW_CHECK((text >> up.x >> up.y >> up.z) && !(text >> more) && image::is_direction(up), Data,
           path.string() << ": is not a direction; it must have three numbers (x right, y down, z ahead) that are not "
                            "all 0, such as 0 -1 0 for a camera held upright, and nothing else");
  return up;
}

}  // namespace fernwood::dataset
