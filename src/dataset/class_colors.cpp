// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/index_labels.h"
#include "dataset/nyu_class_maps.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"

// Visualisation of labels and depth.

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
                       "dataset.toml, or pass a list of classes when importing; else list the colours as classes");
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

namespace {

// The range of indoor depth cameras, on a logarithmic scale. It is fixed, so that frames are comparable and videos do
// not flicker.
constexpr double kNearMm = 400, kFarMm = 10000;

std::uint8_t mix(double a, double b, double share_of_b) {
  return static_cast<std::uint8_t>(std::lround(a + (b - a) * share_of_b));
}

image::Rgb mix(image::Rgb a, image::Rgb b, double share_of_b) {
  return {mix(a.r, b.r, share_of_b), mix(a.g, b.g, share_of_b), mix(a.b, b.b, share_of_b)};
}

image::Rgb warm_to_cool(double rank) {
  static const std::array<image::Rgb, 6> kStops = {
      {{190, 30, 30}, {240, 140, 40}, {245, 220, 90}, {110, 200, 130}, {40, 150, 190}, {40, 60, 150}}};
  const double place = rank * (kStops.size() - 1);
  const auto stop = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
  return mix(kStops[stop], kStops[stop + 1], place - static_cast<double>(stop));
}

image::Rgb bright_to_dark(double rank) {
  const auto grey = static_cast<std::uint8_t>(std::lround(235 - 195 * rank));
  return {grey, grey, grey};
}

/// Colours of known depths; black for others. @param color_of_rank  0 for near, 1 for far.
template <typename ColorOfRank>
std::vector<image::Rgb> make_table(const ColorOfRank& color_of_rank) {
  std::vector<image::Rgb> table(65536);
  for (std::size_t depth_mm = 0; depth_mm < table.size(); ++depth_mm) {
    if (!image::is_known_depth(depth_mm)) continue;
    const double clamped = std::clamp(static_cast<double>(depth_mm), kNearMm, kFarMm);
    table[depth_mm] = color_of_rank(std::log(clamped / kNearMm) / std::log(kFarMm / kNearMm));
  }
  return table;
}

Array2<image::Rgb> apply(const std::vector<image::Rgb>& table, const Array2<std::uint16_t>& depth_mm) {
  Array2<image::Rgb> image(depth_mm.rows(), depth_mm.cols());
  std::transform(depth_mm.begin(), depth_mm.end(), image.begin(), [&](std::uint16_t d) { return table[d]; });
  return image;
}

/// @throws Error(kUsage) for a label that is neither void nor a class.
void check_is_class(std::uint16_t label, const image::ClassMap& classes) {
  FW_CHECK(label == image::kVoid || label < classes.size(), Usage,
           "label " << label << " is not a class of the " << classes.size()
                    << " given; pass the classes that the labels were made with");
}

image::Rgb color_of(std::uint16_t label, const image::ClassMap& classes) {
  check_is_class(label, classes);
  return label == image::kVoid ? image::Rgb{} : classes.classes[label].color;
}

using LabelPalette = std::array<image::Rgb, 256>;

LabelPalette palette_of(const image::ClassMap& classes, const image::Rgb& void_color) {
  LabelPalette palette{};
  palette[kVoidIndex] = void_color;
  for (std::size_t i = 0; i < classes.size(); ++i) palette[i] = classes.classes[i].color;
  return palette;
}

/// Bytes of a file's palette, none if it has RGB pixels; nullopt for a file that cannot be read as an image.
std::optional<std::vector<std::uint8_t>> read_palette_bytes(const std::filesystem::path& path) {
  try {
    const std::vector<std::uint8_t> bytes = read_file(path);
    return inspect_image(path, bytes).is_palette ? png_content(bytes, "PLTE") : std::vector<std::uint8_t>();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Array2<image::Rgb> colorize_labels(const image::LabelImage& labels, const image::ClassMap& classes) {
  Array2<image::Rgb> image(labels.rows(), labels.cols());
  std::transform(labels.begin(), labels.end(), image.begin(), [&](std::uint16_t l) { return color_of(l, classes); });
  return image;
}

void write_labels(const std::filesystem::path& path, const image::LabelImage& labels, const image::ClassMap& classes,
                  const image::Rgb& void_color) {
  if (classes.size() > kVoidIndex) return write_png(path, colorize_labels(labels, classes));
  Array2<std::uint8_t> indices(labels.rows(), labels.cols());
  std::transform(labels.begin(), labels.end(), indices.begin(), [&](std::uint16_t label) {
    check_is_class(label, classes);
    return label == image::kVoid ? kVoidIndex : static_cast<std::uint8_t>(label);
  });
  write_palette_png(path, indices, palette_of(classes, void_color));
}

void check_same_palette(const std::filesystem::path& folder, const image::ClassMap& classes) {
  std::vector<std::uint8_t> wanted;  // empty: the files have no palette
  if (classes.size() <= kVoidIndex) {
    const LabelPalette palette = palette_of(classes, {});
    wanted.resize(sizeof palette);
    std::memcpy(wanted.data(), palette.data(), sizeof palette);
  }
  std::error_code failure;  // a folder that does not exist or cannot be listed is for its writer to report
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    // A link is not from an earlier run, and is replaced.
    const bool is_file = std::filesystem::is_regular_file(entry->symlink_status(failure));
    if (!entry->path().filename().string().ends_with("_labels.png") || !is_file) continue;
    const std::optional<std::vector<std::uint8_t>> found = read_palette_bytes(entry->path());
    if (!found) continue;
    FW_CHECK(found->empty() || *found == wanted, Usage,
             entry->path().string() << " has the palette of other classes than those of the model ("
                                    << to_string(classes.classes)
                                    << "), and labels of both would mix; choose a new folder, or remove this one");
    return;
  }
}

Array2<image::Rgb> colorize_depth(const Array2<std::uint16_t>& depth_mm) {
  static const std::vector<image::Rgb> table = make_table(warm_to_cool);
  return apply(table, depth_mm);
}

Array2<image::Rgb> overlay_labels(const image::Frame& frame, const image::LabelImage& labels,
                                  const image::ClassMap& classes, float opacity) {
  static const std::vector<image::Rgb> grey_table = make_table(bright_to_dark);
  FW_CHECK(opacity >= 0 && opacity <= 1, Usage, "the opacity is " << opacity << "; use a number from 0 to 1");
  FW_CHECK(frame.rows() == labels.rows() && frame.cols() == labels.cols(), Usage,
           "the frame is " << size_text(frame.cols(), frame.rows()) << " pixels, the labels are "
                           << size_text(labels.cols(), labels.rows()) << "; pass the labels of this frame");
  Array2<image::Rgb> image = frame.color.empty() ? apply(grey_table, frame.depth_mm) : frame.color;
  for (std::size_t i = 0; i < image.size(); ++i)
    if (const std::uint16_t label = labels.data()[i]; label != image::kVoid)
      image.data()[i] = mix(image.data()[i], color_of(label, classes), opacity);
  return image;
}

}  // namespace fernwood::dataset
