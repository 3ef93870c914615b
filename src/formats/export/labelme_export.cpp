// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// labelme: a JSON file for each picture, a class of a frame is a mask. The files name the pictures by their path.

#include <nlohmann/json.hpp>

#include "core/base64.h"
#include "core/json_text.h"
#include "dataset/export/formats.h"
#include "fernwood/core/file.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

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
  write_file_atomically(path, NamedBy::kFernwood, [&](std::ostream& stream) { stream << text << "\n"; });
}

}  // namespace fernwood::dataset
