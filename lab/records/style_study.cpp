// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/records/style_study.h"

#include "core/draw.h"
#include "lab/records/strategies.h"

namespace fernwood::lab {

namespace {

records::RecordTree style_tree(int depth, float shift, std::size_t width) {
  const int num_leaves = 1 << depth;
  records::RecordTree tree;
  for (int level = 0; level < depth; ++level) {
    const int step = num_leaves >> level;
    for (int i = 0; i < 1 << level; ++i) {
      const int middle = i * step + step / 2;
      const float threshold = static_cast<float>(middle) - 0.5f + shift;
      tree.nodes.push_back({threshold, static_cast<std::int32_t>(2 * tree.nodes.size() + 1), 0, 0});
    }
  }
  tree.leaf_values = Array2<std::int32_t>(static_cast<std::size_t>(num_leaves), width, 0);
  for (int leaf = 0; leaf < num_leaves; ++leaf) tree.nodes.push_back({0, ~leaf, 0, 0});
  return tree;
}

std::vector<float> style_values(StyleInput input, int depth, std::size_t count) {
  std::vector<float> values(count, 0.0f);
  const std::uint32_t num_leaves = 1u << depth;
  if (input == StyleInput::kWorst)
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % num_leaves);
  if (input == StyleInput::kRandom)
    for (std::size_t i = 0; i < count; i += 4) {
      const Draw drawn = draw(1, RngStream::kScene, 0, 0, static_cast<std::uint32_t>(i / 4));
      for (std::size_t k = 0; k < 4 && i + k < count; ++k)
        values[i + k] = static_cast<float>(drawn.below(static_cast<int>(k), num_leaves));
    }
  return values;
}

}  // namespace

std::string to_string(StyleInput input) {
  return input == StyleInput::kBest ? "best" : input == StyleInput::kWorst ? "worst" : "random";
}

records::RecordForest style_forest(int depth, int num_trees) {
  const int num_leaves = 1 << depth;
  records::RecordForest forest;
  forest.attributes = {"x"};
  const bool single = num_trees == 1;
  for (int c = 0; c < (single ? num_leaves : 2); ++c) forest.classes.push_back(std::to_string(c));
  forest.link =
      single ? records::Link::kSoftmax : records::Link::kLogistic;  // one tree predicts the leaf, several a sum
  forest.base.assign(forest.num_outputs(), 0);
  for (int t = 0; t < num_trees; ++t) {
    const float shift = static_cast<float>(t) / static_cast<float>(num_trees);
    records::RecordTree& tree = forest.trees.emplace_back(style_tree(depth, shift, forest.num_outputs()));
    for (int leaf = 0; leaf < num_leaves; ++leaf) {
      const auto row = static_cast<std::size_t>(leaf);
      if (single)
        tree.leaf_values(row, row) = 1;
      else
        tree.leaf_values(row, 0) = 2 * leaf + 1 - num_leaves;
    }
  }
  return forest;
}

namespace {

/// The records of one kind of input, on the device and on the host.
struct StyleRecords {
  StyleRecords(StyleInput kind, int depth, const StyleOptions& options)
      : input(kind),
        values(style_values(kind, depth, options.num_records)),
        kept(records::keep_records(options.timing.chosen_device(), view())) {}
  records::RecordView view() const { return records::records_by_rows(values.data(), values.size(), 1); }

  StyleInput input;
  std::vector<float> values;
  records::KeptRecords kept;
};

/// Times all ways for one forest; ways that compile it do so once for all inputs.
void time_forest(int depth, int trees, const std::vector<StyleRecords>& inputs, StyleStudy& study) {
  const StyleOptions& options = study.options;
  const Device device = options.timing.chosen_device();
  const records::RecordForest forest = style_forest(depth, trees);
  std::vector<std::vector<std::int32_t>> expected;
  for (const StyleRecords& records : inputs) expected.push_back(serial_classes(forest, records.view()));
  for (const Way& way : ways_for(forest, device, options.timing.with_compiled)) {
    if (way.strategy.starts_with("speculative") || way.strategy == "windowed") continue;  // part of another study
    const auto evaluator = make_evaluator(forest, way.strategy, way.values, device, options.timing.threads);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const RunTimes times = time_kept(*evaluator, inputs[i].kept, options.timing.repeat, expected[i], way);
      study.times.push_back({way.name(), depth, trees, inputs[i].input, times.mean});
    }
  }
}

}  // namespace

StyleStudy run_style_study(const StyleOptions& options, const ProgressCallback& progress) {
  StyleStudy study{options, 0, {}};
  if (const Device device = options.timing.chosen_device(); !device.is_cpu())
    study.copy_seconds = static_cast<double>(options.num_records) * 8 / gpu_copy_bandwidth(device.gpu);
  const std::size_t total = options.depths.size() * options.trees.size();
  std::size_t done = 0;
  for (const int depth : options.depths) {
    std::vector<StyleRecords> inputs;
    for (const StyleInput input : kStyleInputs) inputs.emplace_back(input, depth, options);
    for (const int trees : options.trees) {
      time_forest(depth, trees, inputs, study);
      progress(++done, total);
    }
  }
  return study;
}

}  // namespace fernwood::lab
