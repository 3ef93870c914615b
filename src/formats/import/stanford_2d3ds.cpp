// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// 2D-3D-S: areas with rgb, depth and semantic, whose colours are numbers of instances.

#include "fernwood/core/error.h"
#include "fernwood/dataset/image_io.h"
#include "formats/import/annotations.h"
#include "formats/import/formats.h"

namespace fernwood::formats {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// [number in semantic_labels.json] Class: the text before the first "_" of the instance's name.
std::vector<std::string> read_semantic_names(const fs::path& file) {
  std::vector<std::string> names;
  const json root = read_json(file);
  FW_CHECK(root.is_array(), Data, file.string() << " is not a list of names; copy it again from its source");
  for (const json& item : root) {
    const std::string name = item.is_string() ? item.get<std::string>() : "";
    names.push_back(name.substr(0, name.find('_')));
  }
  return names;
}

image::LabelImage semantic_labels(const fs::path& file, const std::vector<std::string>& names,
                                  const ClassNames& classes) {
  const Array2<image::Rgb> colors = dataset::read_color(file);
  image::LabelImage labels(colors.rows(), colors.cols(), image::kVoid);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const image::Rgb color = colors.data()[i];
    if (color == image::Rgb{13, 13, 13}) continue;  // missing
    const std::size_t number = 65536u * color.r + 256u * color.g + color.b;
    if (number >= names.size()) continue;
    if (const auto label = classes.find(names[number])) labels.data()[i] = *label;
  }
  return labels;
}

}  // namespace

ImportPlan plan_2d3ds(const ImportOptions& options) {
  ImportPlan plan;
  plan.config.depth_scale_to_mm = 1000.0 / 512;
  plan.config.depth_missing = 65535;
  std::vector<std::string> semantics;
  for (fs::path folder = fs::absolute(options.in); semantics.empty() && folder.has_relative_path();
       folder = folder.parent_path())
    for (const char* file : {"semantic_labels.json", "assets/semantic_labels.json"})
      if (fs::exists(folder / file)) semantics = read_semantic_names(folder / file);
  ClassNames names;
  for (const std::string& name : semantics)
    if (name != "<UNK>" && !name.empty()) names.add(name);  // unknown
  plan.config.classes = names.classes();
  for (const fs::path& folder : folders_with(options.in, "rgb")) {
    const dataset::FilesByName truth = files_if_any(folder, {"semantic/{}_domain_semantic.png"});
    for (ImportedFrame& frame : add_sequence("", files_if_any(folder, {"rgb/{}_domain_rgb.png"}),
                                             files_if_any(folder, {"depth/{}_domain_depth.png"}), plan)) {
      if (const std::size_t room = frame.name.find("_frame_"); room != std::string::npos) {
        const std::size_t begin = frame.name.find('_', frame.name.find('_') + 1);  // after camera_UUID
        frame.group = frame.name.substr(begin + 1, room - begin - 1);
      }
      const auto file = truth.find(frame.name);
      if (file != truth.end() && !semantics.empty())
        frame.truth = [path = file->second, semantics, names](const dataset::FrameSize&) {
          return semantic_labels(path, semantics, names);
        };
    }
  }
  check_found(plan, options.in, "area_N/data with rgb/, depth/ and semantic/");
  if (semantics.empty())
    plan.notes.push_back("semantic_labels.json is not next to the areas (nor in assets/), so frames have no labels");
  settle_names(options.in, plan.frames);
  return plan;
}

}  // namespace fernwood::formats
