// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Label Studio: a list of tasks with brush labels.

#include <nlohmann/json.hpp>

#include "core/json_text.h"
#include "dataset/export/formats.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

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

}  // namespace fernwood::dataset
