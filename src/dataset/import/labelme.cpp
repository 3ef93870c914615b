// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// labelme: a JSON file beside each picture.

#include <algorithm>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/import/annotations.h"
#include "dataset/import/formats.h"
#include "dataset/import/json_file.h"
#include "dataset/label_runs.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// labelme's reserved words for ignored pixels and for background.
constexpr const char* kIgnore = "__ignore__";
constexpr const char* kBackground = "_background_";

/// A mask of zeros and positive numbers, whose upper left corner is the shape's first point.
Mask placed_mask(const json& shape, const Polygon& points, const std::string& what) {
  const std::string bytes = from_base64(text_at(shape, "mask"), what);
  const fs::path name = what;
  DatasetConfig grey;
  const std::vector<std::uint8_t> file(bytes.begin(), bytes.end());
  const ImageHeader header = inspect_image(name, file);
  FW_CHECK(header.is_png && header.is_grey(), Data, what << ": a mask is not a grey PNG; export it again");
  Array2<std::uint16_t> mask(header.height, header.width);
  decode_png_indices(name, file, header, &mask);
  FW_CHECK(!points.empty(), Data, what << ": a mask has no place; export it again");
  const auto whole = [](double at) { return static_cast<std::int64_t>(at + 0.5 - (at < -0.5 ? 1 : 0)); };
  return {run_lengths(mask.size(), [&](std::size_t i) { return mask.data()[i] > 0; }),
          false,
          whole(points[0].x),
          whole(points[0].y),
          mask.cols(),
          mask.rows()};
}

/// Reads an outline or a mask; false for points and lines, which have no pixels.
bool read_shape(const json& entry, const std::string& what, Shape* shape) {
  const std::string type = text_at(entry, "shape_type");
  const Polygon points = polygon_of(member(entry, "points"), what);
  if (type.empty() || type == "polygon" || type == "null") {
    shape->outlines.push_back(points);
    return points.size() >= 3;
  }
  if (type == "mask") {
    shape->masks.push_back(placed_mask(entry, points, what));
    return true;
  }
  if (type == "rectangle" && points.size() == 2) {
    shape->outlines.push_back({points[0], {points[1].x, points[0].y}, points[1], {points[0].x, points[1].y}});
    return true;
  }
  if (type == "rectangle") {
    shape->outlines.push_back(points);
    return points.size() >= 3;
  }
  if (type == "circle" && points.size() == 2) {
    const double x = points[1].x - points[0].x, y = points[1].y - points[0].y, radius = std::sqrt(x * x + y * y);
    shape->outlines.push_back(ellipse_outline(points[0], radius, radius, 0));
    return true;
  }
  return false;
}

/// The path of a picture below the first of the folders that it is in.
std::string name_below(const std::vector<fs::path>& roots, const fs::path& picture) {
  fs::path name;
  for (const fs::path& root : roots) {
    name = full_path(picture).lexically_relative(full_path(root));
    if (!name.empty() && *name.begin() != "..") break;
  }
  return name.string();
}

/// @param roots  Folders of the pictures.
AnnotatedPicture read_file_of(const fs::path& path, const std::vector<fs::path>& roots, ClassNames* names,
                              std::size_t* num_lines) {
  const json file = read_json(path);
  FW_CHECK(member(file, "shapes").is_array(), Data,
           path.string() << ": is not a file of labelme, which has a list \"shapes\"; is it of another format?");
  AnnotatedPicture picture;
  // Paths are often those of another machine: the file of that name beside the JSON file is used, else one with the
  // name of the JSON file.
  std::string name = text_at(file, "imagePath");
  std::ranges::replace(name, '\\', '/');
  const fs::path beside = path.parent_path() / fs::path(name).filename();
  fs::path found = !name.empty() && fs::is_regular_file(path.parent_path() / name) ? path.parent_path() / name
                   : fs::is_regular_file(beside)                                   ? beside
                                                                                   : fs::path();
  for (const char* extension : {".png", ".jpg", ".jpeg", ".PNG", ".JPG", ".JPEG"})
    if (fs::path same = fs::path(path).replace_extension(extension); found.empty() && fs::is_regular_file(same))
      found = same;
  picture.file = found.empty() ? fs::path(name).filename().string() : name_below(roots, found);
  if (picture.file.empty()) picture.file = path.stem().string() + ".png";
  if (found.empty() && member(file, "imageData").is_string()) {
    picture.embedded = from_base64(member(file, "imageData").get_ref<const std::string&>(), path.string());
    picture.file = path.stem().string() + ".png";
  }
  picture.width = size_at(file, "imageWidth");
  picture.height = size_at(file, "imageHeight");
  for (const json& entry : member(file, "shapes")) {
    const std::string label = text_at(entry, "label"), what = path.string() + ": the shape " + label;
    Shape shape;
    if (!read_shape(entry, what, &shape)) {
      ++*num_lines;
      continue;
    }
    shape.label = label == kIgnore ? image::kVoid : names->add(label == kBackground ? "background" : label);
    picture.shapes.push_back(std::move(shape));
  }
  return picture;
}

}  // namespace

ImportPlan plan_labelme(const ImportOptions& options) {
  std::vector<fs::path> files;
  if (fs::is_directory(options.in)) {
    for (const auto& entry : fs::recursive_directory_iterator(options.in))
      if (entry.is_regular_file() && entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
  } else {
    files.push_back(options.in);
  }
  FW_CHECK(!files.empty(), Data,
           options.in.string() << ": holds no JSON file; name the folder into which labelme wrote");
  const fs::path root = fs::is_directory(options.in) ? options.in : folder_of(options.in);
  std::vector<fs::path> roots = {root};
  if (!options.images.empty()) roots.insert(roots.begin(), options.images);
  ClassNames names;
  std::size_t num_lines = 0;
  std::vector<AnnotatedPicture> pictures;
  for (const fs::path& file : files) pictures.push_back(read_file_of(file, roots, &names, &num_lines));
  std::vector<std::string> notes;
  if (num_lines > 0)
    notes.push_back(std::to_string(num_lines) + " shapes are points or lines, which cover no pixel, and are left out");
  return plan_of(options, root, std::move(pictures), names, std::move(notes));
}

}  // namespace fernwood::dataset
