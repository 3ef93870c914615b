// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fuzz/target.h"

namespace fernwood::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> table = {
      {"pixel_model", fuzz_pixel_model, pixel_model_seeds, sign_model, damage_model},
      {"backbone", fuzz_backbone, backbone_seeds, sign_model, damage_model},
      {"voxel_map", fuzz_voxel_map, voxel_map_seeds, sign_model, damage_model},
      {"weights", fuzz_weights, weights_seeds},
      {"train_checkpoint", fuzz_train_checkpoint, train_checkpoint_seeds, sign_model, damage_model},
      {"png", fuzz_png, png_seeds, sign_png},
      {"jpeg", fuzz_jpeg, jpeg_seeds},
      {"maps", fuzz_maps, maps_seeds},
      {"mat", fuzz_mat, mat_seeds},
      {"bags", fuzz_bags, bag_seeds},
      {"ros_messages", fuzz_ros_messages, ros_message_seeds},
      {"annotations", fuzz_annotations, annotation_seeds},
      {"dataset_toml", fuzz_dataset_toml, dataset_toml_seeds},
      {"lists", fuzz_lists, list_seeds},
      {"search", fuzz_search, search_seeds},
      {"strokes", fuzz_strokes, stroke_seeds},
      {"project", fuzz_project, project_seeds},
      {"live", fuzz_live, live_seeds},
      {"c_calls", fuzz_c_calls, c_call_seeds}};
  return table;
}

}  // namespace fernwood::fuzz
