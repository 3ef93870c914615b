// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/dataset_folder.h"

#include <algorithm>
#include <unordered_map>

#include "dataset/index_labels.h"
#include "dataset/nyu_class_maps.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace {

bool contains(const std::vector<image::Rgb>& colors, image::Rgb color) {
  return std::ranges::find(colors, color) != colors.end();
}

bool is_class(const std::vector<image::ClassInfo>& classes, image::Rgb color) {
  return std::ranges::find(classes, color, &image::ClassInfo::color) != classes.end();
}

bool by_color(const ColorCount& a, const ColorCount& b) { return packed(a.color) < packed(b.color); }

}  // namespace

ColorCount& ColorCount::operator+=(const ColorCount& more) {
  num_pixels += more.num_pixels;
  num_solid += more.num_solid;
  num_tested += more.num_tested;
  num_between += more.num_between;
  num_near += more.num_near;
  return *this;
}

std::uint32_t packed(image::Rgb color) { return std::uint32_t{color.r} << 16 | std::uint32_t{color.g} << 8 | color.b; }

std::string to_hex(image::Rgb color) { return format_text("#%06x", static_cast<unsigned>(packed(color))); }

std::string to_option(image::Rgb color) { return format_text("%d,%d,%d", color.r, color.g, color.b); }

std::string to_string(image::Rgb color) { return format_text("(%d, %d, %d)", color.r, color.g, color.b); }

std::string to_string(const std::vector<image::ClassInfo>& classes) {
  constexpr std::size_t kMaxListed = 12;
  std::string text = join(std::span(classes).first(std::min(classes.size(), kMaxListed)), ", ",
                          [](const image::ClassInfo& info) { return info.name + " " + to_string(info.color); });
  if (classes.size() > kMaxListed) text += " and " + std::to_string(classes.size() - kMaxListed) + " more";
  return text.empty() ? "none" : text;
}

unsigned number_channels(image::Rgb color) {
  const bool r = color.r > 0, g = color.g > 0, b = color.b > 0;
  return (color.r == color.g && color.g == color.b ? 1u : 0u) | (g || b ? 0u : 2u) | (r || b ? 0u : 4u) |
         (r || g ? 0u : 8u);
}

std::string same_color_problem(const std::vector<image::ClassInfo>& classes) {
  std::unordered_map<std::uint32_t, std::string> names;
  for (const image::ClassInfo& info : classes)
    if (const auto [first, is_new] = names.try_emplace(packed(info.color), info.name); !is_new)
      return "the classes " + first->second + " and " + info.name + " have the same colour " + to_string(info.color);
  return "";
}

std::vector<ColorCount> count_colors(const Array2<image::Rgb>& image, bool may_be_blended) {
  std::unordered_map<std::uint32_t, ColorCount> counts;
  const image::Rgb* const end = image.data() + image.size();
  for (const image::Rgb* at = image.data(); at != end && counts.size() <= kMaxDiscoveredColors;) {
    const image::Rgb* const start = at;
    while (at != end && *at == *start) ++at;
    ColorCount& count = counts[packed(*start)];
    count.color = *start;
    count.num_pixels += static_cast<std::uint64_t>(at - start);
  }
  if (may_be_blended && counts.size() <= kMaxDiscoveredColors) find_blends(image, counts);
  std::vector<ColorCount> sorted;
  for (const auto& [key, count] : counts) sorted.push_back(count);
  std::sort(sorted.begin(), sorted.end(), by_color);
  return sorted;
}

void check_few_colors(const std::vector<ColorCount>& counts, const std::filesystem::path& where) {
  FW_CHECK(counts.size() <= kMaxDiscoveredColors, Data,
           where.string() << ": the ground truth has more than " << kMaxDiscoveredColors
                          << " colours; it looks like a photograph, or like labels that were smoothed or stored as "
                             "JPEG: write one flat colour per class, or list the classes in dataset.toml");
}

void add_counts(const std::vector<ColorCount>& more, std::vector<ColorCount>* total) {
  for (const ColorCount& count : more) {
    const auto place = std::lower_bound(total->begin(), total->end(), count, by_color);
    if (place != total->end() && place->color == count.color)
      *place += count;
    else
      total->insert(place, count);
  }
}

std::string class_name_of(image::Rgb color) {
  static const std::vector<image::ClassInfo> kKnown = nyu_classes(4).classes;
  for (const image::ClassInfo& known : kKnown)
    if (known.color == color) return known.name;
  return to_hex(color);
}

std::vector<image::Rgb> void_colors_of(const DatasetConfig& config, const std::vector<image::Rgb>& ignored_colors) {
  std::vector<image::Rgb> colors;
  if (!is_class(config.classes, image::Rgb{})) colors.push_back(image::Rgb{});
  for (const auto* more : {&config.ignored_colors, &ignored_colors})
    for (const image::Rgb color : *more)
      if (!contains(colors, color)) colors.push_back(color);
  if (config.labels == LabelEncoding::kIndex) colors.push_back(kIgnoredIndexColor);
  return colors;
}

namespace {

/// Classes of the colours found, in the order of their numbers or of their colours.
std::vector<image::ClassInfo> discovered(const DatasetConfig& config, const std::vector<ColorCount>& found) {
  std::vector<image::ClassInfo> classes;
  if (config.labels != LabelEncoding::kIndex) {
    for (const ColorCount& count : found) classes.push_back({class_name_of(count.color), count.color});
    return classes;
  }
  std::vector<std::uint32_t> indices;
  for (const ColorCount& count : found)
    if (const auto index = index_of(count.color)) indices.push_back(*index);
  std::ranges::sort(indices);
  for (const std::uint32_t index : indices) classes.push_back({std::to_string(index), index_color(index)});
  return classes;
}

}  // namespace

image::ClassMap make_class_map(const DatasetConfig& config, const std::vector<image::Rgb>& ignored_colors,
                               const std::vector<ColorCount>& found) {
  image::ClassMap map;
  map.void_colors = void_colors_of(config, ignored_colors);
  for (const image::ClassInfo& info : config.classes)
    if (!contains(map.void_colors, info.color)) map.classes.push_back(info);
  if (config.classes.empty()) {
    const bool is_index = config.labels == LabelEncoding::kIndex;
    if (is_index && !config.ignore_index && is_255_void(found)) map.void_colors.push_back(index_color(255));
    for (image::ClassInfo& info : discovered(config, found))
      if (!contains(map.void_colors, info.color)) map.classes.push_back(std::move(info));
  }
  if (config.background.empty()) return map;
  const auto background = std::ranges::find(map.classes, config.background, &image::ClassInfo::name);
  FW_CHECK(background != map.classes.end(), Data,
           "dataset.toml: background is \"" << config.background << "\", which is not a class; the classes are "
                                            << to_string(map.classes));
  map.background = static_cast<std::uint16_t>(background - map.classes.begin());
  return map;
}

std::vector<std::string> discovery_warnings(const image::ClassMap& classes, const std::vector<ColorCount>& found,
                                            const std::filesystem::path& folder) {
  std::vector<std::string> warnings;
  if (const BlendFinding finding = judge_blends(found); !finding.sentence.empty() && !finding.is_error)
    warnings.push_back(folder.string() + ": " + finding.sentence);
  constexpr int kDark = 32;  // so dark that nobody chooses it to tell classes apart
  unsigned channels = number_channels({});
  image::Rgb darkest = {255, 255, 255};
  const auto number_of = [](image::Rgb color) { return std::max({color.r, color.g, color.b}); };
  for (const image::ClassInfo& info : classes.classes) {
    channels &= number_channels(info.color);
    if (number_of(info.color) < number_of(darkest)) darkest = info.color;
  }
  if (channels != 0 && number_of(darkest) < kDark)
    warnings.push_back(folder.string() + ": all colours of the ground truth are of " +
                       (channels == 1 ? "three equal channels" : "one channel alone") + ", such as " +
                       to_string(darkest) +
                       ", and look like class numbers, of which 0 counts as void now; write labels = \"index\" into "
                       "dataset.toml, or give a list of classes when importing; else list the colours as classes");
  constexpr image::Rgb kVocBorder = {224, 224, 192};  // index 255 of PASCAL VOC's palette
  if (is_class(classes.classes, kVocBorder))
    warnings.push_back(folder.string() +
                       ": the colour (224, 224, 192), by which PASCAL VOC marks what is to be ignored, is a class, and "
                       "black, which is VOC's background, means no class; set ignored_colors = [[224, 224, 192]] in "
                       "dataset.toml, and list the classes there, one with color = [0, 0, 0], to learn the background");
  return warnings;
}

ColorLookup::ColorLookup(const image::ClassMap& classes,
                         const std::vector<std::pair<image::Rgb, std::uint16_t>>& first) {
  for (const auto& [color, label] : first) sorted_.emplace_back(packed(color), label);
  for (const image::Rgb color : classes.void_colors) sorted_.emplace_back(packed(color), image::kVoid);
  for (std::size_t i = 0; i < classes.size(); ++i)
    sorted_.emplace_back(packed(classes.classes[i].color), static_cast<std::uint16_t>(i));
  sorted_.emplace_back(packed(image::Rgb{}), image::kVoid);
  // The first entry for a colour counts: `first`, ignored, class, then black as void.
  std::ranges::stable_sort(sorted_, {}, [](const auto& entry) { return entry.first; });
  const auto are_alike = [](const auto& a, const auto& b) { return a.first == b.first; };
  sorted_.erase(std::unique(sorted_.begin(), sorted_.end(), are_alike), sorted_.end());
}

std::optional<std::uint16_t> ColorLookup::find(image::Rgb color) const {
  const std::uint32_t key = packed(color);
  const auto place = std::ranges::lower_bound(sorted_, key, {}, [](const auto& entry) { return entry.first; });
  if (place == sorted_.end() || place->first != key) return std::nullopt;
  return place->second;
}

}  // namespace fernwood::dataset
