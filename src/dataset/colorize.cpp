// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Visualisation of labels and depth.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

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

/// Palette of label files for up to 255 classes.
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
             entry->path().string() << ": has the palette of other classes than those of the model ("
                                    << to_string(classes.classes)
                                    << "), and labels of both would mix; name a new folder, or remove this one");
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
  FW_CHECK(opacity >= 0 && opacity <= 1, Usage, "the opacity is " << opacity << "; give a number from 0 to 1");
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
