// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "backbone/import/float_network.h"
#include "backbone/import/onnx_files.h"
#include "backbone/import/small_state.h"
#include "backbone/import/state_files.h"
#include "backbone/small_network.h"
#include "fernwood/predict/predictor.h"
#include "forest/model_bytes.h"
#include "forest/model_parts.h"
#include "forest/noise_stages.h"
#include "fuzz/target.h"
#include "records/evaluate/strategy.h"
#include "records/record_bytes_of.h"

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
    reads([&] { backbone::onnx_network(graph, "any", backbone::ColorNormalization::kImageNet, place); });
  backbone::StateDict state;
  if (!reads([&] { state = backbone::read_state({data, size}, place); })) return 0;
  reads([&] { backbone::efficientnet_lite(state, "any", place); });
  return 0;
}

std::vector<Bytes> weights_seeds() {
  const std::vector<backbone::SavedTensor> tensors = {
      {"_conv_stem.weight", {16, 3, 3, 3}, {27, 9, 3, 1}, std::vector<float>(432, 0.5f)},
      {"part", {2}, {1}, {7, 8, 9, 10}, 2}};
  const backbone::FloatNetwork network = backbone::efficientnet_lite(backbone::small_state(1), "any", backbone::kPlace);
  return {backbone::legacy_file(tensors), backbone::archive_file(tensors), backbone::onnx_of(network)};
}

namespace {

/// Checks that an evaluator returns the values that sum_values() defines.
void check_values(const records::RecordForest& forest, const std::vector<float>& values) {
  const std::size_t width = forest.attributes.size(), num_records = values.size() / width;
  const std::size_t num_outputs = forest.num_outputs();
  std::vector<double> found(num_records * num_outputs), expected(num_outputs);
  records::ValueEvaluator(forest, {.strategy = "serial", .device = "cpu", .threads = 1})
      .find_margins(records::records_by_rows(values.data(), num_records, width), found.data());
  for (std::size_t i = 0; i < num_records; ++i) {
    records::sum_values(forest, values.data() + i * width, expected.data());
    for (std::size_t k = 0; k < num_outputs; ++k) {
      const double a = found[i * num_outputs + k], b = expected[k];
      law(a == b || (std::isnan(a) && std::isnan(b)), "an evaluator gives other values than the rule");
    }
  }
}

}  // namespace

int fuzz_record_model(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kRecords = 37;  // two vectors and a remainder
  records::RecordForest forest;
  if (!reads([&] { forest = records::read_records({data, size}, "model"); })) return 0;
  std::ostringstream written;
  records::write_records(forest, "model", written);
  const std::size_t width = forest.attributes.size();
  const std::vector<float> values = records::tricky_records(forest, kRecords, 7);
  if (forest.float_sums) check_values(forest, values);
  if (!forest.has_classes() || forest.float_sums) return 0;
  std::vector<std::int32_t> expected, sums(forest.num_outputs());
  std::vector<float> probabilities(forest.classes.size());
  for (std::size_t i = 0; i < kRecords; ++i) {
    records::sum_trees(forest, values.data() + i * width, sums.data());
    expected.push_back(records::choose_class(forest.link, sums.data(), sums.size()));
    records::probabilities_of(forest, sums.data(), probabilities.data());
    law(std::ranges::none_of(probabilities, [](float p) { return std::isnan(p); }), "a probability is not a number");
  }
  const records::SharedModel model = records::make_evaluation_model(forest);
  for (const records::Strategy& strategy : records::product_strategies().rows())
    for (const records::Values held : records::kValues) {
      if (strategy.on_gpu || (held == records::Values::kRanks && !strategy.has_ranks) ||
          !records::why_unsupported(strategy, *model, held, Device{}).empty())
        continue;
      const auto evaluator = records::product_strategies().make_evaluator({model, strategy.name, held, Device{}, 1});
      std::vector<std::int32_t> classes(kRecords, -7);
      evaluator->classify(records::records_by_rows(values.data(), kRecords, width), classes.data());
      law(classes == expected, "a strategy gives other classes than the rule");
    }
  return 0;
}

std::vector<Bytes> record_model_seeds() {
  using records::Link;
  std::vector<Bytes> seeds = {records::record_bytes(records::mixed_records()),
                              records::record_bytes(records::stumps({{0, 0.5f}, {1, -1.0f}}))};
  for (const records::RandomForestShape& shape :
       {records::RandomForestShape{.trees = 3, .depth = 3, .classes = 3, .seed = 1},
        {.trees = 4, .depth = 4, .classes = 2, .link = Link::kLogistic, .nan = 2, .seed = 2},
        {.trees = 3, .depth = 3, .classes = 3, .link = Link::kSoftmax, .nan = 1, .seed = 3},
        {.trees = 2, .depth = 6, .classes = 40, .attributes = 1, .growth = 0.8, .seed = 4}})
    seeds.push_back(records::record_bytes(records::random_forest(shape)));
  const records::RecordForest values = records::with_float_sums(
      records::random_forest({.trees = 3, .depth = 3, .classes = 2, .link = Link::kSoftmax, .seed = 5, .sets = 2}), {});
  for (const records::RecordForest& forest : {values, records::with_linear_leaves(values)})
    seeds.push_back(records::record_bytes(forest));
  return seeds;
}

}  // namespace fernwood::fuzz
