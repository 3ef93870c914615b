// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/dataset_config.h"

#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "dataset/camera_config.h"
#include "dataset/class_colors.h"
#include "dataset/config_file.h"

namespace fernwood::dataset {

namespace {

constexpr std::array<std::string_view, 8> kKeys = {"classes",    "ignored_colors", "depth_scale", "depth_missing",
                                                   "background", "sensor",         "camera",      "up"};
// Text about the data that people keep with them; read by nobody here.
constexpr std::array<std::string_view, 4> kNotes = {"name", "description", "license", "source"};
constexpr std::array<std::string_view, 2> kClassKeys = {"name", "color"};

class Reader : ConfigFile {
 public:
  using ConfigFile::ConfigFile;

  DatasetConfig read() const {
    const toml::table table = parse();
    DatasetConfig config;
    for (const auto& [key, value] : table) check_key(key, value, kKeys, kNotes);
    if (const toml::node* node = table.get("classes")) config.classes = classes(*node);
    if (const toml::node* node = table.get("ignored_colors")) config.ignored_colors = colors(*node);
    if (const toml::node* node = table.get("depth_scale")) config.depth_scale_to_mm = depth_scale(*node);
    if (const toml::node* node = table.get("depth_missing")) config.depth_missing = depth_missing(*node);
    if (const toml::node* node = table.get("background")) config.background = text(*node, "background");
    config.camera = read_camera(*this, table);
    config.up = read_up(*this, table);
    check_consistent(config, table);
    return config;
  }

 private:
  std::string text(const toml::node& node, const std::string& key) const {
    const auto value = node.value_exact<std::string>();
    if (!value || value->empty()) fail(node, key + " is not a text; write " + key + " = \"floor\"");
    return *value;
  }

  double depth_scale(const toml::node& node) const {
    const auto value = node.value<double>();
    if (!value || !std::isfinite(*value) || *value <= 0)
      fail(node, "depth_scale is not a number above 0; give the millimetres per step of the depth images, such as 0.2");
    return *value;
  }

  int depth_missing(const toml::node& node) const {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < 0 || *value > 65535)
      fail(node, "depth_missing is not a whole number from 0 to 65535; give the depth value that means unknown");
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
    if (!is_color) fail(node, key + " is not a colour; write three whole numbers from 0 to 255, such as [7, 54, 66]");
    return {parts[0], parts[1], parts[2]};
  }

  std::vector<image::Rgb> colors(const toml::node& node) const {
    const toml::array* list = node.as_array();
    if (list == nullptr) fail(node, "ignored_colors is not a list of colours; write [[255, 255, 255], [7, 54, 66]]");
    std::vector<image::Rgb> result;
    for (const toml::node& item : *list) result.push_back(color(item, "an entry of ignored_colors"));
    return result;
  }

  std::vector<image::ClassInfo> classes(const toml::node& node) const {
    const toml::array* list = node.as_array();
    const std::string remedy = "write classes = [{name = \"floor\", color = [7, 54, 66]}, ...]";
    if (list == nullptr) fail(node, "classes is not a list; " + remedy);
    std::vector<image::ClassInfo> result;
    for (const toml::node& item : *list) {
      const toml::table* entry = item.as_table();
      if (entry == nullptr) fail(item, "an entry of classes is not a table; " + remedy);
      for (const auto& [key, value] : *entry) check_key(key, value, kClassKeys);
      const toml::node *name = entry->get("name"), *rgb = entry->get("color");
      if (name == nullptr || rgb == nullptr) fail(item, "a class has no name or no color; " + remedy);
      result.push_back({text(*name, "name"), color(*rgb, "color")});
    }
    return result;
  }

  void check_consistent(const DatasetConfig& config, const toml::table& table) const {
    std::set<std::string> names;
    std::set<std::uint32_t> rgb;
    if (config.classes.size() >= image::kVoid) fail(table, "lists more than 65534 classes; merge some");
    for (const image::ClassInfo& info : config.classes) {
      if (!names.insert(info.name).second) fail(table, "two classes are named \"" + info.name + "\"; rename one");
      if (!rgb.insert(packed(info.color)).second)
        fail(table, "two classes have the colour " + to_string(info.color) + "; change or remove one");
    }
    for (const image::Rgb color : config.ignored_colors)
      if (rgb.count(packed(color)) > 0)
        fail(table, "the colour " + to_string(color) + " is a class and an ignored colour; remove one of the two");
    if (!config.background.empty() && !config.classes.empty() && names.count(config.background) == 0)
      fail(table, "background is \"" + config.background + "\", which is no class; the classes are " +
                      to_string(config.classes));
  }
};

}  // namespace

DatasetConfig read_dataset_config(const std::filesystem::path& path) { return Reader(path).read(); }

}  // namespace fernwood::dataset
