// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/export/formats.h"

#include <libdeflate.h>
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base64.h"
#include "core/json_text.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/files/user_text.h"
#include "dataset/index_labels.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"

// COCO: one JSON file; a region is an annotation, as compressed run lengths.

// Supervisely: a project with one data set; a region is a bitmap.

// PASCAL VOC: SegmentationClass with palette files, labelmap.txt with the colours, a list in ImageSets.

namespace fernwood::formats {

namespace fs = std::filesystem;

/// "image, region, region …": a line with the image, then a line per region, because the complete file has them in two
/// lists.
std::string coco_part(const ExportedFrame& frame, std::size_t index, const image::ClassMap&) {
  const std::size_t rows = frame.labels.rows(), cols = frame.labels.cols();
  std::string part =
      json_text<nlohmann::json>({{"id", index + 1}, {"file_name", frame.file_name}, {"width", cols}, {"height", rows}});
  for (std::size_t r = 0; r < frame.boxes.size(); ++r) {
    const RegionBox& box = frame.boxes[r];
    if (box.area == 0) continue;
    const std::uint16_t label = frame.region_labels[r];
    part +=
        "\n" + json_text<nlohmann::json>(
                   {{"id", index * kMaxRegions + r + 1},
                    {"image_id", index + 1},
                    {"category_id", label + 1},
                    {"area", box.area},
                    {"bbox", {box.left, box.top, box.width(), box.height()}},
                    {"iscrowd", 0},
                    {"segmentation",
                     {{"size", {rows, cols}}, {"counts", coco_counts(frame.regions, static_cast<std::uint16_t>(r))}}}});
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
  for (std::size_t r = 0; r < frame.boxes.size(); ++r) {
    const RegionBox& box = frame.boxes[r];
    if (box.area == 0) continue;
    const std::uint16_t label = frame.region_labels[r];
    part += "    <mask label=\"" + xml_text(classes.classes[label].name) +
            "\" source=\"manual\" occluded=\"0\" rle=\"" +
            cvat_runs(frame.regions, static_cast<std::uint16_t>(r), box) + "\" left=\"" + std::to_string(box.left) +
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
  for (std::size_t r = 0; r < frame.boxes.size(); ++r) {
    if (frame.boxes[r].area == 0) continue;
    result.push_back({{"id", std::to_string(index) + "-" + std::to_string(r)},
                      {"type", "brushlabels"},
                      {"from_name", "tag"},
                      {"to_name", "image"},
                      {"original_width", frame.labels.cols()},
                      {"original_height", frame.labels.rows()},
                      {"image_rotation", 0},
                      {"value",
                       {{"format", "rle"},
                        {"rle", brush_runs(frame.regions, static_cast<std::uint16_t>(r))},
                        {"brushlabels", {classes.classes[frame.region_labels[r]].name}}}}});
  }
  nlohmann::json task = {{"data", {{"image", frame.file_name}}}};
  if (!result.empty()) task["annotations"] = {{{"result", std::move(result)}}};
  return json_text(task);
}

std::string studio_whole(const std::vector<std::string>& parts, const image::ClassMap&) {
  return "[\n" + join(parts, ",\n") + "\n]\n";
}

// labelme: a JSON file for each picture, a region is a mask. The files name the pictures by their path.

void write_labelme_frame(const fs::path& out, const ExportedFrame& frame, const image::ClassMap& classes) {
  nlohmann::json shapes = nlohmann::json::array();
  for (std::size_t r = 0; r < frame.boxes.size(); ++r) {
    const RegionBox& box = frame.boxes[r];
    if (box.area == 0) continue;
    const std::uint16_t label = frame.region_labels[r];
    shapes.push_back({{"label", classes.classes[label].name},
                      {"points", {{box.left, box.top}, {box.right, box.bottom}}},
                      {"group_id", nullptr},
                      {"description", ""},
                      {"shape_type", "mask"},
                      {"flags", nlohmann::json::object()},
                      {"mask", to_base64(mask_png(frame, static_cast<std::uint16_t>(r), 255))}});
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
  const ErrorContext place{path.string(), "; rename the image's folder", "", ErrorKind::kData};
  const std::string text = exact_json_text(file, place, 1);
  make_folder_within(out, fs::path(frame.file_name).parent_path());
  write_file_atomically(path, NamedBy::kFernwood, text + "\n");
}

constexpr const char* kSuperviselyDataset = "ds0";

std::string supervisely_classes(const image::ClassMap& classes) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t c = 0; c < classes.size(); ++c)
    list.push_back({{"id", c + 1},
                    {"title", classes.classes[c].name},
                    {"shape", "bitmap"},
                    {"color", dataset::to_hex(classes.classes[c].color)},
                    {"geometry_config", nlohmann::json::object()},
                    {"hotkey", ""}});
  const nlohmann::json meta = {
      {"classes", std::move(list)}, {"tags", nlohmann::json::array()}, {"projectType", "images"}};
  return json_text(meta, 1) + "\n";
}

void write_supervisely_lists(const fs::path& out, const std::vector<std::string>&) {
  for (const char* folder : {"ann", "img"}) make_folder_within(out, fs::path(kSuperviselyDataset) / folder);
}

void write_supervisely_frame(const fs::path& out, const ExportedFrame& frame, const image::ClassMap& classes) {
  nlohmann::json objects = nlohmann::json::array();
  for (std::size_t r = 0; r < frame.boxes.size(); ++r) {
    const RegionBox& box = frame.boxes[r];
    if (box.area == 0) continue;
    const std::uint16_t label = frame.region_labels[r];
    // Supervisely's encoding of bitmaps: a PNG file in a zlib stream in Base64.
    const std::vector<std::uint8_t> packed =
        dataset::compress_zlib(mask_png(frame, static_cast<std::uint16_t>(r), 255), dataset::kFastZlib);
    objects.push_back({{"classId", label + 1},
                       {"classTitle", classes.classes[label].name},
                       {"description", ""},
                       {"geometryType", "bitmap"},
                       {"tags", nlohmann::json::array()},
                       {"bitmap", {{"data", to_base64(packed)}, {"origin", {box.left, box.top}}}}});
  }
  const nlohmann::json file = {{"description", ""},
                               {"tags", nlohmann::json::array()},
                               {"size", {{"height", frame.labels.rows()}, {"width", frame.labels.cols()}}},
                               {"objects", std::move(objects)}};
  const fs::path dataset = out / kSuperviselyDataset;
  std::string image = frame.file_name;  // a data set of Supervisely has no folders
  std::ranges::replace(image, '/', '_');
  link_picture(frame, dataset / "img" / image);
  write_file_atomically(dataset / "ann" / (image + ".json"), NamedBy::kFernwood, json_text(file) + "\n");
}

namespace {

/// Colour 255 of VOC's colour map: void.
constexpr image::Rgb kVocVoidColor = dataset::index_color(254);

fs::path label_file(const fs::path& out, const std::string& frame) {
  return out / "SegmentationClass" / (frame + ".png");
}

}  // namespace

std::string voc_problem(const std::string& name) {
  if (name.find_first_of(":\n\r") == std::string::npos && !name.starts_with('#')) return {};
  return "holds a colon or a line break or begins with #, which labelmap.txt cannot; rename it, or take the format "
         "coco";
}

std::string voc_picture_problem(const std::string& name) {
  if (name.find_first_of(" \t\n\r") == std::string::npos) return {};
  return "holds a blank, and the lists of ImageSets part names by blanks; rename it, or take the format coco";
}

std::string voc_classes(const image::ClassMap& classes) {
  std::string text = "# label:color_rgb:parts:actions\n";
  for (const image::ClassInfo& info : classes.classes)
    text += info.name + ":" + dataset::to_option(info.color) + "::\n";
  return text;
}

void write_voc_lists(const fs::path& out, const std::vector<std::string>& frame_names) {
  for (const char* folder : {"JPEGImages", "SegmentationClass", "ImageSets/Segmentation"})
    make_folder_within(out, folder);
  const fs::path list = out / "ImageSets" / "Segmentation" / "trainval.txt";
  std::vector<std::string> names;  // first, of an earlier export, the frames whose labels are still there
  // A link is not from an earlier export.
  TextInput words(fs::is_regular_file(fs::symlink_status(list)) ? dataset::read_user_text(list) : "");
  std::error_code missing;
  for (std::string name; words >> name;)
    if (fs::exists(label_file(out, name), missing)) names.push_back(name);
  std::set<std::string> listed(names.begin(), names.end());
  for (const std::string& name : frame_names)
    if (listed.insert(name).second) names.push_back(name);
  write_file_atomically(list, NamedBy::kFernwood, names.empty() ? "" : join(names, "\n") + "\n");
}

void write_voc_frame(const fs::path& out, const ExportedFrame& frame, const image::ClassMap& classes) {
  link_picture(frame, out / "JPEGImages" / (frame.name + fs::path(frame.file_name).extension().string()));
  dataset::write_labels(label_file(out, frame.name), frame.labels, classes, kVocVoidColor);
}

// A file of class numbers for each frame, beside classes.txt with a name a line.

std::string line_problem(const std::string& name) {
  if (name.find_first_of("\n\r") == std::string::npos) return {};
  return "holds a line break, and classes.txt has a name a line; rename it, or take the format coco";
}

std::string class_names(const image::ClassMap& classes) {
  std::string text;
  for (const image::ClassInfo& info : classes.classes) text += info.name + "\n";
  return text;
}

void write_png_frame(const fs::path& out, const ExportedFrame& frame, const image::ClassMap& classes) {
  dataset::write_labels(out / (frame.name + ".png"), frame.labels, classes);
}

void write_npy_frame(const fs::path& out, const ExportedFrame& frame, const image::ClassMap&) {
  dataset::write_npy(out / (frame.name + ".npy"), frame.labels);
}

namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint32_t kVersion = 20, kNamesAreUtf8 = 0x0800, kFirstDate = 0x0021;  // 1980-01-01, the earliest date

void append(std::string& bytes, std::uint32_t value, int num_bytes) {
  for (int i = 0; i < num_bytes; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

/// Fields that both headers of a file share, from the required version to the length of the name.
void append_file(std::string& bytes, const std::string& name, const std::string& content) {
  const auto size = static_cast<std::uint32_t>(content.size());
  append(bytes, kVersion, 2);
  append(bytes, kNamesAreUtf8, 2);
  append(bytes, 0, 4);  // method: stored; no time
  append(bytes, kFirstDate, 2);
  append(bytes, libdeflate_crc32(0, content.data(), content.size()), 4);
  append(bytes, size, 4);
  append(bytes, size, 4);
  append(bytes, static_cast<std::uint32_t>(name.size()), 2);
  append(bytes, 0, 2);  // no extra field
}

}  // namespace

std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& files) {
  std::uint64_t total_bytes = 0;
  for (const auto& [name, content] : files) total_bytes += 2 * name.size() + content.size() + 100;
  FW_CHECK(files.size() < 0xffff && total_bytes < 0xffffffff, Resource,
           "a ZIP archive has no room for " << files.size() << " files of " << total_bytes
                                            << " bytes; write them to a folder with fernwood dataset export");
  std::string bytes, directory;
  for (const auto& [name, content] : files) {
    append(directory, kCentralHeader, 4);
    append(directory, kVersion, 2);
    append_file(directory, name, content);
    append(directory, 0, 4);  // no comment, the first disk
    append(directory, 0, 2);
    append(directory, 0, 4);
    append(directory, static_cast<std::uint32_t>(bytes.size()), 4);
    directory += name;
    append(bytes, kLocalHeader, 4);
    append_file(bytes, name, content);
    bytes += name;
    bytes += content;
  }
  const auto start = static_cast<std::uint32_t>(bytes.size()), count = static_cast<std::uint32_t>(files.size());
  bytes += directory;
  append(bytes, kEnd, 4);
  append(bytes, 0, 4);  // one disk
  append(bytes, count, 2);
  append(bytes, count, 2);
  append(bytes, static_cast<std::uint32_t>(directory.size()), 4);
  append(bytes, start, 4);
  append(bytes, 0, 2);
  return bytes;
}

}  // namespace fernwood::formats
