// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// COCO: objects with polygons or run lengths in one JSON file, and panoptic PNG files beside one.

#include <cmath>
#include <unordered_map>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "formats/import/annotations.h"
#include "formats/import/formats.h"
#include "formats/label_runs.h"

namespace fernwood::formats {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// [id] Class of a category. Ids may have gaps, and may start at 0 or 1.
using Categories = std::unordered_map<std::string, std::uint16_t>;

std::optional<image::Rgb> color_of(const json& category) {
  const json& color = member(category, "color");
  if (!color.is_array() || color.size() != 3) return std::nullopt;
  std::uint8_t parts[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const auto part = number_of(color[i]);
    if (!part || *part < 0 || *part > 255) return std::nullopt;
    parts[i] = static_cast<std::uint8_t>(*part);
  }
  return image::Rgb{parts[0], parts[1], parts[2]};
}

Mask mask_of(const json& segmentation, const AnnotatedPicture& picture, const std::string& what) {
  const json &size = member(segmentation, "size"), &counts = member(segmentation, "counts");
  const auto side = [&](std::size_t i, std::size_t missing) {
    const double number = size.is_array() && size.size() == 2 ? number_of(size[i]).value_or(-1) : -1;
    return number >= 0 ? static_cast<std::size_t>(number) : missing;
  };
  Mask mask;
  mask.by_columns = true;
  mask.rows = side(0, picture.height);
  mask.cols = side(1, picture.width);
  FW_CHECK(picture.width == 0 || (mask.rows == picture.height && mask.cols == picture.width), Data,
           what << ": run lengths are for " << dataset::size_text(mask.cols, mask.rows) << " pixels, and the image has "
                << dataset::size_text(picture.width, picture.height) << "; \"size\" is [height, width]");
  const bool fits = mask.rows <= kMaxMaskArea && mask.cols <= kMaxMaskArea && mask.rows * mask.cols <= kMaxMaskArea;
  FW_CHECK(
      fits, Data,
      what << ": run lengths are for " << dataset::size_text(mask.cols, mask.rows) << " pixels; export them again");
  std::optional<std::vector<std::uint32_t>> lengths;
  if (counts.is_string()) {
    lengths = parse_coco_counts(counts.get_ref<const std::string&>(), mask.rows * mask.cols);
  } else if (counts.is_array()) {
    lengths.emplace();
    for (const json& count : counts) {
      const auto number = number_of(count);
      FW_CHECK(number && *number >= 0 && *number == std::floor(*number), Data,
               what << ": a run length is not an integer; export them again");
      lengths->push_back(static_cast<std::uint32_t>(*number));
    }
  }
  FW_CHECK(lengths.has_value(), Data,
           what << ": the run lengths are damaged, or longer than " << dataset::size_text(mask.cols, mask.rows)
                << " pixels; export them again");
  mask.lengths = std::move(*lengths);
  return mask;
}

/// Shape of an object: several polygons are its parts. An object with neither polygons nor run lengths becomes its
/// bounding box.
Shape shape_of(const json& annotation, std::uint16_t label, const AnnotatedPicture& picture, const std::string& what,
               ImportReport& report) {
  Shape shape{label};
  const json& segmentation = member(annotation, "segmentation");
  if (segmentation.is_object()) {
    shape.masks.emplace_back([mask = mask_of(segmentation, picture, what)] { return mask; });
  } else if (segmentation.is_array() && !segmentation.empty()) {
    const bool is_flat = number_of(segmentation[0]).has_value();
    if (is_flat)
      shape.outlines.push_back(polygon_of(segmentation, what));
    else
      for (const json& polygon : segmentation) shape.outlines.push_back(polygon_of(polygon, what));
  } else if (member(annotation, "bbox").is_array()) {
    const Polygon box = polygon_of(member(annotation, "bbox"), what);
    FW_CHECK(box.size() == 2, Data, what << ": a box is not [x, y, width, height]; export it again");
    const Point a = box[0], b = {a.x + box[1].x, a.y + box[1].y};
    shape.outlines.push_back({a, {b.x, a.y}, b, {a.x, b.y}});
    report.add("taken for the object: boxes of objects without an outline");
  }
  return shape;
}

/// Whether an annotation is of several objects that nobody told apart.
bool is_crowd(const json& annotation) { return size_at(annotation, "iscrowd") > 0; }

struct Segment {
  std::uint16_t label, instance;
};
using Segments = std::unordered_map<std::uint32_t, Segment>;  ///< [id]

/// Segments of a panoptic image: the number of a pixel is R + 256 G + 65536 B.
ImportedTruth read_panoptic(const fs::path& file, const Segments& segments, const dataset::FrameSize& size,
                            std::uint16_t uncovered) {
  const Array2<image::Rgb> picture = dataset::read_color(file);
  dataset::check_same_size(file, picture.cols(), picture.rows(), "the image", size.cols, size.rows);
  ImportedTruth truth{image::LabelImage(size.rows, size.cols, uncovered),
                      image::InstanceImage(size.rows, size.cols, image::kNoInstance)};
  for (std::size_t i = 0; i < picture.size(); ++i) {
    const image::Rgb color = picture.data()[i];
    const std::uint32_t id = color.r + 256u * color.g + 65536u * color.b;
    if (id == 0) continue;
    const auto found = segments.find(id);
    FW_CHECK(found != segments.end(), Data,
             file.string() << ": the segment " << id << " is not in the JSON file; take both from one export");
    truth.labels.data()[i] = found->second.label;
    truth.instances.data()[i] = found->second.instance;
  }
  return truth;
}

struct PictureTable {
  std::vector<AnnotatedPicture> pictures;
  std::unordered_map<std::string, std::size_t> place_of;  ///< [id]
};

PictureTable pictures_of(const json& root, const std::string& file) {
  PictureTable table;
  for (const json& entry : member(root, "images")) {
    const std::string id = text_at(entry, "id");
    FW_CHECK(table.place_of.emplace(id, table.pictures.size()).second, Data,
             file << ": two images have the id " << id << "; give each its own");
    const std::string name = text_at(entry, "file_name");
    table.pictures.push_back(
        {name.empty() ? text_at(entry, "coco_url") : name, size_at(entry, "width"), size_at(entry, "height")});
  }
  return table;
}

std::uint16_t class_at(const Categories& categories, const json& object, const std::string& what) {
  const std::string id = text_at(object, "category_id");
  const auto found = categories.find(id);
  FW_CHECK(found != categories.end(), Data,
           what << ": the category " << id << " is not listed under \"categories\"; export the file again");
  return found->second;
}

/// Panoptic PNG files are in a folder with the name of the JSON file, or anywhere below its folder.
void add_panoptic(const fs::path& in, const json& annotations, const Categories& categories, PictureTable* table) {
  const std::string file = in.string();
  const PictureFolder folder(dataset::folder_of(in));
  for (const json& annotation : annotations) {
    const auto place = table->place_of.find(text_at(annotation, "image_id"));
    FW_CHECK(place != table->place_of.end(), Data,
             file << ": an annotation is of the image " << text_at(annotation, "image_id")
                  << ", which is not listed under \"images\"; export the file again");
    Segments segments;
    InstanceNumbers numbers;
    for (const json& segment : member(annotation, "segments_info"))
      segments[static_cast<std::uint32_t>(size_at(segment, "id"))] = {
          class_at(categories, segment, file), is_crowd(segment) ? image::kNoInstance : numbers.add()};
    const std::string name = text_at(annotation, "file_name");
    const fs::path mask = folder.find(in.stem().string() + "/" + name);
    FW_CHECK(!mask.empty(), Data,
             file << ": the panoptic image " << name << " is not next to it; unpack it into a folder named "
                  << in.stem().string());
    table->pictures[place->second].read_truth = [mask, segments = std::move(segments)](const dataset::FrameSize& size,
                                                                                       std::uint16_t uncovered) {
      return read_panoptic(mask, segments, size, uncovered);
    };
  }
}

}  // namespace

ImportPlan plan_coco(const ImportOptions& options) {
  const json root = read_json(options.in);
  const std::string file = options.in.string();
  const bool is_coco = member(root, "images").is_array() && member(root, "annotations").is_array() &&
                       member(root, "categories").is_array();
  FW_CHECK(is_coco, Data,
           file << " is not a COCO file, which has the lists \"images\", \"annotations\" and \"categories\"; is it of "
                   "another format?");
  ClassNames names;
  Categories categories;
  for (const json& category : member(root, "categories")) {
    const std::string id = text_at(category, "id"), name = text_at(category, "name");
    FW_CHECK(!id.empty() && !name.empty(), Data, file << ": a category has no id or no name; export the file again");
    const std::optional<double> is_thing = number_of(member(category, "isthing"));  // of panoptic files
    categories[id] = names.add(name, color_of(category), is_thing ? std::optional(*is_thing != 0) : std::nullopt);
  }
  PictureTable table = pictures_of(root, file);
  const json& annotations = member(root, "annotations");
  if (!annotations.empty() && member(annotations[0], "segments_info").is_array()) {
    add_panoptic(options.in, annotations, categories, &table);
    return plan_of(options, options.in, std::move(table.pictures), names);
  }
  const auto report = std::make_shared<ImportReport>();
  std::vector<InstanceNumbers> numbers(table.pictures.size());
  for (AnnotatedPicture& picture : table.pictures) picture.has_instances = true;
  for (const json& annotation : annotations) {
    const std::string what = file + ": annotation " + text_at(annotation, "id");
    const auto place = table.place_of.find(text_at(annotation, "image_id"));
    FW_CHECK(place != table.place_of.end(), Data,
             what << " is of the image " << text_at(annotation, "image_id")
                  << ", which is not listed under \"images\"; export the file again");
    AnnotatedPicture& picture = table.pictures[place->second];
    picture.shapes.push_back(shape_of(annotation, class_at(categories, annotation, what), picture, what, *report));
    if (!is_crowd(annotation)) picture.shapes.back().instance = numbers[place->second].add();
    if (!member(annotation, "keypoints").empty()) report->add(without_area("key points of objects"));
  }
  return plan_of(options, options.in, std::move(table.pictures), names, report);
}

}  // namespace fernwood::formats
