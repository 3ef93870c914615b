// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// BOP: scenes of known objects, of each the visible mask.

#include <cmath>
#include <optional>
#include <set>

#include "core/json_text.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "formats/import/annotations.h"
#include "formats/import/formats.h"

namespace fernwood::formats {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// The number of an object in scene_gt.json. @throws Error(kData) for one without a whole number.
std::size_t object_number(const fs::path& scene, const json& object) {
  const json& id = member(object, "obj_id");
  const std::optional<double> number = number_of(id);
  FW_CHECK(number && *number >= 0 && *number == std::floor(*number), Data,
           (scene / "scene_gt.json").string() << ": the obj_id of an object is " << json_text(id).substr(0, 20)
                                              << ", which is not an integer from 0; unpack the scene again");
  return static_cast<std::size_t>(*number);
}

std::string class_of_object(std::size_t number) { return "object " + std::to_string(number); }

/// Draws the masks of the objects of an image, later ones over earlier ones; uncovered pixels are background.
ImportedTruth bop_truth(const fs::path& scene, const std::string& name, const json& objects, const ClassNames& classes,
                        std::uint16_t background, const dataset::FrameSize& size) {
  ImportedTruth truth{image::LabelImage(size.rows, size.cols, background),
                      image::InstanceImage(size.rows, size.cols, image::kNoInstance)};
  InstanceNumbers numbers;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const fs::path mask = scene / "mask_visib" / (name + "_" + format_text("%06zu", i) + ".png");
    FW_CHECK(fs::exists(mask), Data,
             mask.string() << ": the mask of an object of scene_gt.json is missing; unpack the scene again");
    const std::uint16_t label = classes.find(class_of_object(object_number(scene, objects[i]))).value();
    const std::uint16_t instance = numbers.add();
    const image::LabelImage inside =
        labels_by_number(mask, [&](std::uint32_t number) { return static_cast<std::uint16_t>(number > 0 ? 1 : 0); });
    FW_CHECK(inside.rows() == size.rows && inside.cols() == size.cols, Data,
             mask.string() << " is " << dataset::size_text(inside.cols(), inside.rows()) << " pixels, the image is "
                           << dataset::size_text(size.cols, size.rows) << "; unpack the scene again");
    for (std::size_t k = 0; k < inside.size(); ++k)
      if (inside.data()[k] == 1) truth.labels.data()[k] = label, truth.instances.data()[k] = instance;
  }
  return truth;
}

}  // namespace

ImportPlan plan_bop(const ImportOptions& options) {
  ImportPlan plan;
  ClassNames names;
  const std::uint16_t background = names.add(options.background.empty() ? "background" : options.background);
  std::vector<std::pair<fs::path, json>> scenes;
  for (const fs::path& scene : folders_with(options.in, "scene_gt.json"))
    scenes.emplace_back(scene, read_json(scene / "scene_gt.json"));
  std::set<std::size_t> numbers;
  for (const auto& [scene, objects] : scenes)
    for (const json& list : objects)
      if (list.is_array())
        for (const json& object : list) numbers.insert(object_number(scene, object));
  for (const std::size_t number : numbers) names.add(class_of_object(number));
  plan.config.classes = names.classes();
  plan.config.background = names.classes()[background].name;
  for (const auto& [scene, objects] : scenes) {
    const std::span<ImportedFrame> added =
        add_sequence(folder_name(scene), files_if_any(scene, {"rgb/{}.png", "rgb/{}.jpg"}),
                     files_if_any(scene, {"depth/{}.png"}), plan);
    const json cameras =
        fs::exists(scene / "scene_camera.json") ? read_json(scene / "scene_camera.json") : json::object();
    for (ImportedFrame& frame : added) {
      const std::string stem = frame.color.stem().string();
      const std::optional<std::size_t> of_frame = number_of_name(stem);  // "000003" is "3" in the files
      const std::string number = of_frame ? std::to_string(*of_frame) : "";
      const json& camera = member(cameras, number.c_str());
      if (const auto scale = number_of(member(camera, "depth_scale")); scale && *scale > 0) {
        FW_CHECK(!plan.config.depth_scale_to_mm || std::abs(*plan.config.depth_scale_to_mm - *scale) < 1e-9, Data,
                 scene.string() << ": images have several depth_scale; import the scenes of each separately");
        plan.config.depth_scale_to_mm = *scale;
      }
      if (const std::vector<double> matrix = numbers_of(member(camera, "cam_K")); matrix.size() == 9) {
        frame.camera = dataset::camera_of_matrix(matrix, 3, dataset::size_of_picture(frame.color));
        plan.config.camera_origin = (scene / "scene_camera.json").string();
      }
      const json& list = member(objects, number.c_str());
      if (list.is_array())
        frame.truth = [scene = scene, stem, list, names, background](const dataset::FrameSize& size) {
          return bop_truth(scene, stem, list, names, background, size);
        };
    }
  }
  check_found(plan, options.in,
              "folders of scenes with rgb/, depth/, mask_visib/, scene_gt.json and scene_camera.json");
  settle_names(options.in, plan.frames);
  return plan;
}

}  // namespace fernwood::formats
