// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// labelme: a JSON file beside each picture.

#include <algorithm>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "formats/import/annotations.h"
#include "formats/import/formats.h"
#include "formats/label_runs.h"

namespace fernwood::formats {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// labelme's reserved words for ignored pixels and for background.
constexpr const char* kIgnore = "__ignore__";
constexpr const char* kBackground = "_background_";

/// A mask of zeros and positive numbers, whose upper left corner is the shape's first point.
Mask placed_mask(const std::string& text, const Polygon& points, const std::string& what) {
  const std::string bytes = from_base64(text, what);
  const fs::path name = what;
  dataset::DatasetConfig grey;
  const std::vector<std::uint8_t> file(bytes.begin(), bytes.end());
  const dataset::ImageHeader header = dataset::inspect_image(name, file);
  FW_CHECK(header.is_png && header.is_grey(), Data, what << ": a mask is not a grey PNG; export it again");
  Array2<std::uint16_t> mask(header.height, header.width);
  dataset::decode_png_indices(name, file, header, &mask);
  FW_CHECK(!points.empty(), Data, what << ": a mask has no place; export it again");
  const auto whole = [](double at) { return static_cast<std::int64_t>(at + 0.5 - (at < -0.5 ? 1 : 0)); };
  return {run_lengths(mask.size(), [&](std::size_t i) { return mask.data()[i] > 0; }),
          false,
          whole(points[0].x),
          whole(points[0].y),
          mask.cols(),
          mask.rows()};
}

/// Reads an outline or a mask; false for points and lines, which have no area.
bool read_shape(const json& entry, const std::string& type, const std::string& what, Shape* shape) {
  const Polygon points = polygon_of(member(entry, "points"), what);
  if (type == "mask") {
    shape->masks.emplace_back(
        [text = text_at(entry, "mask"), points, what] { return placed_mask(text, points, what); });
  } else if (type == "rectangle" && points.size() == 2) {
    shape->outlines.push_back(turned_box(points[0], points[1], 0));
  } else if (type == "circle" && points.size() == 2) {
    const double x = points[1].x - points[0].x, y = points[1].y - points[0].y, radius = std::sqrt(x * x + y * y);
    shape->outlines.push_back(ellipse_outline(points[0], radius, radius, 0));
  } else if (type.starts_with("cuboid") && points.size() <= 8) {
    shape->outlines = triangles_of(points);
  } else if (type == "point" || type == "points" || type.starts_with("line")) {
    return false;
  } else {  // polygons, and turned boxes by their corners
    shape->outlines.push_back(points);
  }
  return true;
}

/// The picture of a file of labelme by its relative path, which may lead out of the folder, if only to a picture. Paths
/// are often those of another machine: then the picture of that name beside the file, else one with the file's name.
fs::path picture_beside(const fs::path& path, const std::string& name) {
  const fs::path written = path.parent_path() / name, beside = path.parent_path() / fs::path(name).filename();
  if (fs::is_regular_file(written) && !fs::path(name).is_absolute() &&
      dataset::naming_of(dataset::FrameRole::kColor).has(dataset::lower_case(written.extension().string())))
    return written.lexically_normal();
  if (!name.empty() && fs::is_regular_file(beside)) return beside;
  for (const char* extension : {".png", ".jpg", ".jpeg", ".PNG", ".JPG", ".JPEG"})
    if (fs::path same = fs::path(path).replace_extension(extension); fs::is_regular_file(same)) return same;
  return {};
}

/// @param root  Folder of the files.
AnnotatedPicture read_file_of(const fs::path& path, const ImportOptions& options, const fs::path& root,
                              ClassNames* names, ImportReport& report) {
  const json file = read_json(path);
  FW_CHECK(member(file, "shapes").is_array(), Data,
           path.string() << " is not a file of labelme, which has a list \"shapes\"; is it of another format?");
  AnnotatedPicture picture;
  std::string name = text_at(file, "imagePath");
  std::ranges::replace(name, '\\', '/');
  const fs::path found = picture_beside(path, name);
  const bool is_in_file = found.empty() && member(file, "imageData").is_string();
  if (is_in_file)
    picture.embedded = from_base64(member(file, "imageData").get_ref<const std::string&>(), path.string());
  if (options.images.empty()) picture.beside = found;
  if (!picture.beside.empty() && *full_path(found).lexically_relative(full_path(root)).begin() == "..")
    report.add("read outside " + root.string() + ", as the annotations say: images");
  const fs::path file_name = !found.empty()               ? found.filename()
                             : is_in_file || name.empty() ? fs::path(path.stem().string() + ".png")
                                                          : fs::path(name).filename();
  picture.file = (path.parent_path().lexically_relative(root) / file_name).lexically_normal().string();
  picture.width = size_at(file, "imageWidth");
  picture.height = size_at(file, "imageHeight");
  picture.has_instances = true;
  InstanceNumbers numbers;
  for (const json& entry : member(file, "shapes")) {
    const std::string label = text_at(entry, "label"), what = path.string() + ": the shape " + label;
    const std::string type = text_at(entry, "shape_type");
    Shape shape;
    if (!read_shape(entry, type, what, &shape)) {
      report.add(without_area("shapes of the kind " + type));
      continue;
    }
    shape.label = label == kIgnore ? image::kVoid : names->add(label == kBackground ? "background" : label);
    const std::string group = text_at(entry, "group_id");  // of one label, as in labelme's own exports
    if (shape.label != image::kVoid) shape.instance = numbers.add(group.empty() ? "" : label + "\n" + group);
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
           options.in.string() << " holds no JSON file; name the folder into which labelme wrote");
  const fs::path root = fs::is_directory(options.in) ? options.in : dataset::folder_of(options.in);
  ClassNames names;
  const auto report = std::make_shared<ImportReport>();
  std::vector<AnnotatedPicture> pictures;
  for (const fs::path& file : files) pictures.push_back(read_file_of(file, options, root, &names, *report));
  return plan_of(options, root, std::move(pictures), names, report);
}

}  // namespace fernwood::formats
