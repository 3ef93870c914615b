// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Supervisely: a project with one data set; a class of a frame is a bitmap.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base64.h"
#include "core/json_text.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "formats/export/formats.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

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
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const ClassBox& box = frame.boxes[c];
    if (box.area == 0) continue;
    // Supervisely's encoding of bitmaps: a PNG file in a zlib stream in Base64.
    const std::vector<std::uint8_t> packed =
        dataset::compress_zlib(mask_png(frame, static_cast<std::uint16_t>(c), 255), dataset::kFastZlib);
    objects.push_back({{"classId", c + 1},
                       {"classTitle", classes.classes[c].name},
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

}  // namespace fernwood::formats
