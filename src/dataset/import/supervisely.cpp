// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Supervisely: meta.json with the classes, and a folder for each data set with ann/PICTURE.json and img/PICTURE.

#include <algorithm>

#include "dataset/files/image_file.h"
#include "dataset/files/zlib_stream.h"
#include "dataset/import/annotations.h"
#include "dataset/import/formats.h"
#include "dataset/import/json_file.h"
#include "dataset/label_runs.h"
#include "fernwood/core/error.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::optional<image::Rgb> color_of_hex(const std::string& text) {
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text.substr(1)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<std::uint32_t>(digit);
  }
  return image::Rgb{static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8),
                    static_cast<std::uint8_t>(value)};
}

/// The PNG file in a zlib stream. @throws Error(kData) for damage.
std::vector<std::uint8_t> inflated(const std::string& bytes, const std::string& what) {
  constexpr std::size_t kMost = std::size_t{1} << 26;
  auto file = decompress_zlib({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, kMost);
  FW_CHECK(file, Data, what << ": a bitmap is damaged (its zlib stream is broken); export it again");
  return std::move(*file);
}

/// A PNG whose alpha channel, or whose numbers, are above 0 inside.
Mask bitmap_mask(const json& bitmap, const std::string& what) {
  const std::vector<std::uint8_t> file = inflated(from_base64(text_at(bitmap, "data"), what), what);
  const ImageHeader header = inspect_image(what, file);
  FW_CHECK(header.is_png, Data, what << ": a bitmap is not a PNG; export it again");
  std::vector<bool> inside(header.width * header.height);
  if (header.is_grey() || header.is_palette) {
    Array2<std::uint16_t> indices(header.height, header.width);
    decode_png_indices(what, file, header, &indices);
    for (std::size_t i = 0; i < inside.size(); ++i) inside[i] = indices.data()[i] > 0;
  } else {
    Array2<image::Rgb> colors(header.height, header.width);
    decode_png(what, file, header, &colors);
    for (std::size_t i = 0; i < inside.size(); ++i) inside[i] = colors.data()[i] != image::Rgb{};
  }
  const Polygon origin = polygon_of(member(bitmap, "origin"), what);
  FW_CHECK(origin.size() == 1, Data, what << ": a bitmap has no origin [x, y]; export it again");
  return {run_lengths(inside.size(), [&](std::size_t i) { return bool{inside[i]}; }),
          false,
          static_cast<std::int64_t>(origin[0].x),
          static_cast<std::int64_t>(origin[0].y),
          header.width,
          header.height};
}

Shape shape_of_object(const json& object, std::uint16_t label, const std::string& what) {
  Shape shape{label};
  if (member(object, "bitmap").is_object()) {
    shape.masks.push_back(bitmap_mask(member(object, "bitmap"), what));
    return shape;
  }
  const json& points = member(object, "points");
  const Polygon exterior = polygon_of(member(points, "exterior"), what);
  if (text_at(object, "geometryType") == "rectangle" && exterior.size() == 2)
    shape.outlines.push_back(
        {exterior[0], {exterior[1].x, exterior[0].y}, exterior[1], {exterior[0].x, exterior[1].y}});
  else if (text_at(object, "geometryType") != "line" && text_at(object, "geometryType") != "point")
    shape.outlines.push_back(exterior);
  for (const json& interior : member(points, "interior")) shape.holes.push_back(polygon_of(interior, what));
  return shape;
}

}  // namespace

ImportPlan plan_supervisely(const ImportOptions& options) {
  const fs::path meta = options.in / "meta.json";
  FW_CHECK(fs::is_regular_file(meta), Data,
           options.in.string() << ": has no meta.json; name the folder of a project that Supervisely exported");
  ClassNames names;
  const json project = read_json(meta);
  for (const json& entry : member(project, "classes"))
    names.add(text_at(entry, "title"), color_of_hex(text_at(entry, "color")));
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(options.in))
    if (entry.is_regular_file() && entry.path().extension() == ".json" &&
        entry.path().parent_path().filename() == "ann")
      files.push_back(entry.path());
  std::ranges::sort(files);
  FW_CHECK(!files.empty(), Data,
           options.in.string()
               << ": no folder of it holds ann/PICTURE.json; name the folder of a project that Supervisely exported");
  std::vector<AnnotatedPicture> pictures;
  for (const fs::path& path : files) {
    const json file = read_json(path);
    AnnotatedPicture picture;
    const fs::path image = path.parent_path().parent_path() / "img" / path.stem();
    picture.file = image.lexically_normal().lexically_relative(options.in.lexically_normal()).string();
    picture.width = size_at(member(file, "size"), "width");
    picture.height = size_at(member(file, "size"), "height");
    for (const json& object : member(file, "objects")) {
      const std::string title = text_at(object, "classTitle");
      picture.shapes.push_back(shape_of_object(object, names.add(title), path.string() + ": the object " + title));
    }
    pictures.push_back(std::move(picture));
  }
  return plan_of(options, options.in, std::move(pictures), names);
}

}  // namespace fernwood::dataset
