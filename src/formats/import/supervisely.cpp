// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Supervisely: meta.json with the classes, and a folder for each data set with ann/PICTURE.json and img/PICTURE.

#include <algorithm>
#include <numbers>

#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "formats/import/annotations.h"
#include "formats/import/formats.h"
#include "formats/label_runs.h"

namespace fernwood::formats {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// The PNG file in a zlib stream. @throws Error(kData) for damage.
std::vector<std::uint8_t> inflated(const std::string& bytes, const std::string& what) {
  constexpr std::size_t kMost = std::size_t{1} << 26;
  auto file = dataset::decompress_zlib({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, kMost);
  FW_CHECK(file, Data, what << ": a bitmap is damaged (its zlib stream is broken); export it again");
  return std::move(*file);
}

/// A PNG whose alpha channel, or whose numbers, are above 0 inside.
Mask bitmap_mask(const std::string& text, const Polygon& origin, const std::string& what) {
  const std::vector<std::uint8_t> file = inflated(from_base64(text, what), what);
  const dataset::ImageHeader header = dataset::inspect_image(what, file);
  FW_CHECK(header.is_png, Data, what << ": a bitmap is not a PNG; export it again");
  std::vector<bool> inside(header.width * header.height);
  if (header.is_grey() || header.is_palette) {
    Array2<std::uint16_t> indices(header.height, header.width);
    dataset::decode_png_indices(what, file, header, &indices);
    for (std::size_t i = 0; i < inside.size(); ++i) inside[i] = indices.data()[i] > 0;
  } else {
    Array2<image::Rgb> colors(header.height, header.width);
    dataset::decode_png(what, file, header, &colors);
    for (std::size_t i = 0; i < inside.size(); ++i) inside[i] = colors.data()[i] != image::Rgb{};
  }
  FW_CHECK(origin.size() == 1, Data, what << ": a bitmap has no origin [x, y]; export it again");
  return {run_lengths(inside.size(), [&](std::size_t i) { return bool{inside[i]}; }),
          false,
          static_cast<std::int64_t>(origin[0].x),
          static_cast<std::int64_t>(origin[0].y),
          header.width,
          header.height};
}

/// The pixels of an object; empty for a kind without area.
Shape shape_of_object(const json& object, std::uint16_t label, const std::string& what) {
  Shape shape{label};
  const std::string kind = text_at(object, "geometryType");
  const json& points = member(object, "points");
  if (member(object, "bitmap").is_object()) {
    const json& bitmap = member(object, "bitmap");
    shape.masks.emplace_back([text = text_at(bitmap, "data"), origin = polygon_of(member(bitmap, "origin"), what),
                              what] { return bitmap_mask(text, origin, what); });
  } else if (kind.starts_with("cuboid") && points.is_array() && points.size() <= 8) {
    shape.outlines = triangles_of(polygon_of(points, what));
  } else if (kind.empty() || kind == "polygon" || kind == "rectangle" || kind == "oriented_bbox") {
    const Polygon exterior = polygon_of(member(points, "exterior"), what);
    if (kind == "polygon" || exterior.size() != 2)
      shape.outlines.push_back(exterior);
    else
      shape.outlines.push_back(turned_box(exterior[0], exterior[1],
                                          number_of(member(object, "angle")).value_or(0) * 180 / std::numbers::pi));
    for (const json& interior : member(points, "interior")) shape.holes.push_back(polygon_of(interior, what));
  }
  return shape;
}

}  // namespace

ImportPlan plan_supervisely(const ImportOptions& options) {
  const fs::path meta = options.in / "meta.json";
  FW_CHECK(fs::is_regular_file(meta), Data,
           options.in.string() << " has no meta.json; name the folder of a project that Supervisely exported");
  ClassNames names;
  const json project = read_json(meta);
  for (const json& entry : member(project, "classes"))
    names.add(text_at(entry, "title"), color_of_text(text_at(entry, "color")));
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
  const auto report = std::make_shared<ImportReport>();
  for (const fs::path& path : files) {
    const json file = read_json(path);
    AnnotatedPicture picture;
    const fs::path image = path.parent_path().parent_path() / "img" / path.stem();
    picture.file = image.lexically_normal().lexically_relative(options.in.lexically_normal()).string();
    picture.width = size_at(member(file, "size"), "width");
    picture.height = size_at(member(file, "size"), "height");
    for (const json& object : member(file, "objects")) {
      const std::string title = text_at(object, "classTitle");
      Shape shape = shape_of_object(object, names.add(title), path.string() + ": the object " + title);
      if (shape.outlines.empty() && shape.masks.empty())
        report->add(without_area(text_at(object, "geometryType")));
      else
        picture.shapes.push_back(std::move(shape));
    }
    pictures.push_back(std::move(picture));
  }
  return plan_of(options, options.in, std::move(pictures), names, report);
}

}  // namespace fernwood::formats
