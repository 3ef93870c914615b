// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// COCO: one JSON file; a class of a frame is one region, as compressed run lengths.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base64.h"
#include "core/json_text.h"
#include "dataset/dataset_folder.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "formats/export/formats.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

/// "image, region, region …": a line with the image, then a line per region, because the complete file has them in two
/// lists.
std::string coco_part(const ExportedFrame& frame, std::size_t index, const image::ClassMap& classes) {
  const std::size_t rows = frame.labels.rows(), cols = frame.labels.cols();
  std::string part =
      json_text<nlohmann::json>({{"id", index + 1}, {"file_name", frame.file_name}, {"width", cols}, {"height", rows}});
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const ClassBox& box = frame.boxes[c];
    if (box.area == 0) continue;
    part +=
        "\n" + json_text<nlohmann::json>(
                   {{"id", index * classes.size() + c + 1},
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
    categories.push_back(json_text<nlohmann::json>(
        {{"id", c + 1},
         {"name", classes.classes[c].name},
         {"supercategory", ""},
         {"color", {classes.classes[c].color.r, classes.classes[c].color.g, classes.classes[c].color.b}}}));
  return "{\"images\": [\n" + join(images, ",\n") + "\n],\n\"categories\": [\n" + join(categories, ",\n") +
         "\n],\n\"annotations\": [\n" + join(regions, ",\n") + "\n]}\n";
}

// CVAT: "CVAT for images 1.1", an XML file with masks.

std::string xml_problem(const std::string& name) {
  const auto is_control = [](unsigned char c) { return c < 0x20 && c != '\t' && c != '\n' && c != '\r'; };
  const auto control = std::ranges::find_if(name, is_control);
  const bool has_noncharacter =
      name.find("\xEF\xBF\xBE") != std::string::npos || name.find("\xEF\xBF\xBF") != std::string::npos;
  if (control == name.end() && !has_noncharacter) return {};
  const auto code = control != name.end() ? static_cast<unsigned>(static_cast<unsigned char>(*control)) : 0xFFFEu;
  return format_text("holds the character U+%04X", code) + (control == name.end() ? " or U+FFFF" : "") +
         ", which XML cannot; rename it, or take the format coco";
}

namespace {

/// Escapes the value of an attribute; XML parsers turn other white space into blanks unless it is a character
/// reference.
std::string xml_text(const std::string& name) {
  std::string text;
  for (const char c : escape(name))
    text += c == '\t' || c == '\n' || c == '\r' ? "&#" + std::to_string(int{c}) + ";" : std::string(1, c);
  return text;
}

}  // namespace

std::string cvat_part(const ExportedFrame& frame, std::size_t index, const image::ClassMap& classes) {
  std::string part = "  <image id=\"" + std::to_string(index) + "\" name=\"" + xml_text(frame.file_name) +
                     "\" width=\"" + std::to_string(frame.labels.cols()) + "\" height=\"" +
                     std::to_string(frame.labels.rows()) + "\">\n";
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const ClassBox& box = frame.boxes[c];
    if (box.area == 0) continue;
    part += "    <mask label=\"" + xml_text(classes.classes[c].name) + "\" source=\"manual\" occluded=\"0\" rle=\"" +
            cvat_runs(frame.labels, static_cast<std::uint16_t>(c), box) + "\" left=\"" + std::to_string(box.left) +
            "\" top=\"" + std::to_string(box.top) + "\" width=\"" + std::to_string(box.width()) + "\" height=\"" +
            std::to_string(box.height()) + "\" z_order=\"0\">\n    </mask>\n";
  }
  return part + "  </image>\n";
}

std::string cvat_whole(const std::vector<std::string>& parts, const image::ClassMap& classes) {
  std::string labels;
  for (const image::ClassInfo& info : classes.classes)
    labels += "        <label>\n          <name>" + xml_text(info.name) + "</name>\n          <color>" +
              dataset::to_hex(info.color) +
              "</color>\n          <type>any</type>\n          <attributes></attributes>\n        </label>\n";
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n  <version>1.1</version>\n  <meta>\n    <task>\n  "
         "    "
         "<labels>\n" +
         labels + "      </labels>\n    </task>\n  </meta>\n" + join(parts, "") + "</annotations>\n";
}

// Label Studio: a list of tasks with brush labels.

std::string studio_part(const ExportedFrame& frame, std::size_t index, const image::ClassMap& classes) {
  nlohmann::json result = nlohmann::json::array();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (frame.boxes[c].area == 0) continue;
    result.push_back({{"id", std::to_string(index) + "-" + std::to_string(c)},
                      {"type", "brushlabels"},
                      {"from_name", "tag"},
                      {"to_name", "image"},
                      {"original_width", frame.labels.cols()},
                      {"original_height", frame.labels.rows()},
                      {"image_rotation", 0},
                      {"value",
                       {{"format", "rle"},
                        {"rle", brush_runs(frame.labels, static_cast<std::uint16_t>(c))},
                        {"brushlabels", {classes.classes[c].name}}}}});
  }
  nlohmann::json task = {{"data", {{"image", frame.file_name}}}};
  if (!result.empty()) task["annotations"] = {{{"result", std::move(result)}}};
  return json_text(task);
}

std::string studio_whole(const std::vector<std::string>& parts, const image::ClassMap&) {
  return "[\n" + join(parts, ",\n") + "\n]\n";
}

// labelme: a JSON file for each picture, a class of a frame is a mask. The files name the pictures by their path.

void write_labelme_frame(const fs::path& out, const ExportedFrame& frame, const image::ClassMap& classes) {
  nlohmann::json shapes = nlohmann::json::array();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const ClassBox& box = frame.boxes[c];
    if (box.area == 0) continue;
    shapes.push_back({{"label", classes.classes[c].name},
                      {"points", {{box.left, box.top}, {box.right, box.bottom}}},
                      {"group_id", nullptr},
                      {"description", ""},
                      {"shape_type", "mask"},
                      {"flags", nlohmann::json::object()},
                      {"mask", to_base64(mask_png(frame, static_cast<std::uint16_t>(c), 255))}});
  }
  // The name under which labelme finds the file beside the image.
  const fs::path path = out / fs::path(frame.file_name).replace_extension(".json");
  fs::path picture = fs::path(frame.file_name).filename();
  if (!frame.picture.empty())
    picture = fs::absolute(frame.picture).lexically_relative(fs::absolute(path.parent_path()));
  const nlohmann::json file = {{"version", "5.5.0"},  // the first labelme version with such masks
                               {"flags", nlohmann::json::object()},
                               {"shapes", std::move(shapes)},
                               {"imagePath", picture.generic_string()},
                               {"imageData", nullptr},
                               {"imageHeight", frame.labels.rows()},
                               {"imageWidth", frame.labels.cols()}};
  const ErrorContext place{path.string(), "; rename the picture's folder", "", ErrorKind::kData};
  const std::string text = exact_json_text(file, place, 1);
  make_folder_within(out, fs::path(frame.file_name).parent_path());
  write_file_atomically(path, NamedBy::kFernwood, text + "\n");
}

}  // namespace fernwood::formats
