// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// COCO: one JSON file; a class of a frame is one region, as compressed run lengths.

#include <nlohmann/json.hpp>

#include "core/json_text.h"
#include "dataset/export/formats.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace {

std::string object(const nlohmann::json& value) { return json_text(value); }

}  // namespace

/// "image, region, region …": a line with the image, then a line per region, because the complete file has them in two
/// lists.
std::string coco_part(const ExportedFrame& frame, std::size_t index, const image::ClassMap& classes) {
  const std::size_t rows = frame.labels.rows(), cols = frame.labels.cols();
  std::string part = object({{"id", index + 1}, {"file_name", frame.file_name}, {"width", cols}, {"height", rows}});
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const ClassBox& box = frame.boxes[c];
    if (box.area == 0) continue;
    part += "\n" +
            object({{"id", index * classes.size() + c + 1},
                    {"image_id", index + 1},
                    {"category_id", c + 1},
                    {"area", box.area},
                    {"bbox", {box.left, box.top, box.width(), box.height()}},
                    {"iscrowd", 0},
                    {"segmentation",
                     {{"size", {rows, cols}}, {"counts", coco_counts(frame.labels, static_cast<std::uint16_t>(c))}}}});
  }
  return part;
}

std::string coco_whole(const std::vector<std::string>& parts, const image::ClassMap& classes) {
  std::vector<std::string> images, regions, categories;
  for (const std::string& part : parts) {
    const std::size_t end = part.find('\n');
    images.push_back(part.substr(0, end));
    if (end == std::string::npos) continue;
    std::string lines = part.substr(end + 1);
    for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; at += 2) lines.replace(at, 1, ",\n");
    regions.push_back(std::move(lines));
  }
  for (std::size_t c = 0; c < classes.size(); ++c)
    categories.push_back(
        object({{"id", c + 1},
                {"name", classes.classes[c].name},
                {"supercategory", ""},
                {"color", {classes.classes[c].color.r, classes.classes[c].color.g, classes.classes[c].color.b}}}));
  return "{\"images\": [\n" + join(images, ",\n") + "\n],\n\"categories\": [\n" + join(categories, ",\n") +
         "\n],\n\"annotations\": [\n" + join(regions, ",\n") + "\n]}\n";
}

}  // namespace fernwood::dataset
