// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cmath>
#include <sstream>

#include "fuzz/tables_targets.h"
#include "records/evaluate/strategy.h"
#include "records/record_bytes_of.h"

namespace fernwood::fuzz {

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
