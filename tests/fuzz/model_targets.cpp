// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "backbone/import/float_network.h"
#include "backbone/import/onnx_files.h"
#include "backbone/import/small_state.h"
#include "backbone/small_network.h"
#include "fernwood/predict/predictor.h"
#include "forest/model_bytes.h"
#include "forest/model_parts.h"
#include "forest/noise_stages.h"
#include "fuzz/target.h"

namespace fernwood::fuzz {

int fuzz_pixel_model(const std::uint8_t* data, std::size_t size) {
  static const image::Frame frame = forest::noise_frame(32, 32, 5);
  forest::Forest read;
  if (!reads([&] { read = forest::read_forest({data, size}, "model"); })) return 0;
  std::ostringstream written;
  forest::write_forest(read, "model", written);  // a model that can be read can be written
  if (read.labelling_trees().empty() || read.preparation.depth_filling == image::DepthFilling::kColorized) return 0;
  image::LabelImage labels;
  for (const std::string& layout : predict::predict_layouts(Device{})) {
    image::LabelImage found;
    const bool labelled = reads([&] {
      found = predict::make_predictor(read, {.device = "cpu", .threads = 1, .layout = layout})->predict(frame).labels;
    });
    if (!labelled) return 0;
    law(labels.empty() || labels == found, "layouts give different labels");
    labels = std::move(found);
    const auto is_class = [&](std::uint16_t label) { return label == image::kVoid || label < read.classes.size(); };
    law(std::ranges::all_of(labels, is_class), "a label is not a class");
  }
  return 0;
}

std::vector<Bytes> pixel_model_seeds() {
  forest::Forest small = forest::small_forest(), deeper = forest::small_forest(), weighted = forest::small_forest();
  deeper.labelling_trees().push_back(forest::heap_tree(9, 3, 5));
  weighted.leaves.class_weights = {1, 2.5f, 0.5f};
  std::vector<Bytes> seeds;
  forest::Forest mapped = forest::small_forest();
  mapped.preparation.maps = backbone::noise_backbone(1, 2);
  mapped.labelling_trees()[0].nodes[0].feature = forest::map_feature(33);
  for (const forest::Forest& forest :
       {small, mapped, deeper, weighted, forest::noise_staged_forest(3, {1, 2}, {"lab", "depth"}, 1),
        forest::noise_staged_ferns(2, {{2}, {3, 1}}, {"lab", "depth"}, 2),
        forest::noise_forest(2, 1, {"lab", "depth", "height", "upright", "facing", "behind", "above"}, 3)})
    seeds.push_back(forest::model_bytes(forest));
  return seeds;
}

int fuzz_backbone(const std::uint8_t* data, std::size_t size) {
  static const backbone::Picture picture = backbone::reduced_picture(forest::noise_frame(17, 20, 5), 1);
  backbone::Network read;
  if (!reads([&] { read = backbone::decode_network({data, size}, "backbone"); })) return 0;
  backbone::encode_network(read, "backbone");  // a network that can be read can be written
  std::vector<std::int16_t> maps;
  for (const backbone::KernelSet& set : backbone::kernel_sets()) {
    std::vector<std::int16_t> found = backbone::NetworkRunner(read, *set.kernels).run(picture, 1, nullptr).values;
    law(maps.empty() || maps == found, "instruction sets give different maps");
    maps = std::move(found);
  }
  return 0;
}

std::vector<Bytes> backbone_seeds() {
  return {backbone::encode_network(backbone::noise_network(1), "seed"),
          backbone::encode_network(backbone::noise_network(2, {{16, 8, 3, 1, false, true}}), "seed")};
}

int fuzz_weights(const std::uint8_t* data, std::size_t size) {
  const ErrorContext place = {"weights", "", "the file", ErrorKind::kData};
  backbone::OnnxGraph graph;
  if (reads([&] { graph = backbone::read_onnx({data, size}, place); }))
    reads([&] { backbone::onnx_network(graph, backbone::ColorNormalization::kImageNet, place); });
  return 0;
}

std::vector<Bytes> weights_seeds() {
  return {backbone::onnx_of(backbone::efficientnet_lite(backbone::small_state(1), backbone::kPlace))};
}

}  // namespace fernwood::fuzz
