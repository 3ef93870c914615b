// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/shap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "fernwood/core/error.h"
#include "fernwood/records/evaluator.h"
#include "records/explain/gauss_rule.h"
#include "records/explain/shap_block.h"
#include "records/record_models.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

/// Adds consistent covers, split in shares that differ between nodes; some nodes have no training records.
RecordForest with_covers(RecordForest forest, std::uint32_t seed = 1) {
  std::uint32_t next = 0;
  for (RecordTree& tree : forest.trees) {
    tree.covers.assign(tree.nodes.size(), 1000);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      if (tree.nodes[i].is_leaf()) continue;
      const std::uint32_t roll = draw(seed, RngStream::kScene, 3, 0, next++).below(0, 12);
      const double share = roll / 11.0;  // includes 0 and 1
      const auto child = static_cast<std::size_t>(tree.nodes[i].child);
      tree.covers[child] = tree.covers[i] * share;
      tree.covers[child + 1] = tree.covers[i] - tree.covers[child];
    }
  }
  return forest;
}

std::vector<double> leaf_values(const RecordForest& forest, const RecordTree& tree, std::size_t leaf) {
  std::vector<double> values(tree.width());
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] =
        forest.float_sums ? tree.float_values(leaf, k) : std::ldexp(tree.leaf_values(leaf, k), -forest.fraction_bits);
  return values;
}

/// Prediction of a tree for a record of which the attributes in `known` (bit set) are known: EXPVALUE of the paper.
std::vector<double> known_value(const RecordForest& forest, const RecordTree& tree, const float* record,
                                std::uint32_t known, std::size_t index = 0) {
  const RecordNode& node = tree.nodes[index];
  if (node.is_leaf()) return leaf_values(forest, tree, static_cast<std::size_t>(node.leaf_index()));
  const auto child = static_cast<std::size_t>(node.child);
  if (known >> node.attribute & 1)
    return known_value(forest, tree, record, known,
                       child + static_cast<std::size_t>(side_of(node, record[node.attribute])));
  std::vector<double> sum(tree.width(), 0.0);
  if (tree.covers[index] == 0) return sum;  // has weight 0
  for (const std::size_t side : {child, child + 1}) {
    const std::vector<double> below = known_value(forest, tree, record, known, side);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += tree.covers[side] / tree.covers[index] * below[k];
  }
  return sum;
}

/// Shapley values by definition, over all subsets of the attributes: [output][attribute + 1].
std::vector<double> shapley_values(const RecordForest& forest, const float* record) {
  const std::size_t n = forest.attributes.size(), row = n + 1;
  std::vector<double> found(forest.num_outputs() * row, 0.0);
  std::vector<double> weights(n);  // [size s of the subset] s! (n - s - 1)! / n!
  for (std::size_t s = 0; s < n; ++s)
    weights[s] = std::exp(std::lgamma(s + 1.0) + std::lgamma(static_cast<double>(n - s)) - std::lgamma(n + 1.0));
  for (const RecordTree& tree : forest.trees) {
    std::vector<std::vector<double>> values;
    for (std::uint32_t known = 0; known < 1u << n; ++known) values.push_back(known_value(forest, tree, record, known));
    for (std::size_t k = 0; k < tree.width(); ++k) {
      double* of_output = &found[(tree.first_output + k) * row];
      of_output[n] += values[0][k];
      for (std::size_t a = 0; a < n; ++a)
        for (std::uint32_t known = 0; known < 1u << n; ++known)
          if ((known >> a & 1) == 0)
            of_output[a] += weights[static_cast<std::size_t>(std::popcount(known))] *
                            (values[known | 1u << a][k] - values[known][k]);
    }
  }
  for (std::size_t k = 0; k < forest.num_outputs(); ++k) {
    double* of_output = &found[k * row];
    const FloatSums sums = forest.float_sums.value_or(FloatSums{});
    of_output[n] += forest.float_sums ? sums.base[k] : std::ldexp(forest.base[k], -forest.fraction_bits);
    for (std::size_t a = 0; a <= n; ++a) of_output[a] = of_output[a] / sums.divisor * sums.scale;
    if (!sums.bias.empty()) of_output[n] += sums.bias[k];
  }
  return found;
}

/// SHAP values: [record][output][attribute + 1]
std::vector<double> found_values(const RecordForest& forest, const RecordView& records, int threads = 2) {
  std::vector<double> values(records.num_records * forest.num_outputs() * (forest.attributes.size() + 1), -1.0);
  ShapEvaluator(forest, threads).find(records, values.data());
  return values;
}

RecordView by_rows(const std::vector<float>& values, const RecordForest& forest) {
  return records_by_rows(values.data(), values.size() / forest.attributes.size(), forest.attributes.size());
}

struct ShapCase {
  std::string name;
  RecordForest forest;
};

/// Forests of every kind: attributes that repeat on paths (3 at depth 7), more attributes than a group has bits (11 at
/// depth 11), unknown values to either side, leaves at all depths, several outputs, sums of every rule, and only
/// leaves.
std::vector<ShapCase> shap_cases() {
  std::vector<ShapCase> cases;
  const auto add = [&](const std::string& name, const RandomForestShape& shape) {
    cases.push_back({name, with_covers(random_forest(shape), shape.seed)});
  };
  add("stump", {.depth = 1, .attributes = 2});
  add("repeated", {.trees = 5, .depth = 7, .classes = 3, .attributes = 3, .nan = 2, .seed = 2});
  add("one attribute", {.trees = 3, .depth = 5, .attributes = 1, .link = Link::kLogistic, .nan = 2, .seed = 3});
  add("logistic", {.trees = 9, .depth = 5, .attributes = 8, .link = Link::kLogistic, .growth = 0.8, .seed = 4});
  add("softmax", {.trees = 9, .depth = 6, .classes = 4, .link = Link::kSoftmax, .growth = 0.9, .nan = 1, .seed = 5});
  add("deep", {.trees = 3, .depth = 11, .growth = 0.8, .nan = 2, .seed = 6});
  add("leaves", {.trees = 4, .depth = 0, .classes = 3, .seed = 7});
  const RandomForestShape mixed = {.trees = 6, .depth = 6, .classes = 3, .growth = 0.9, .nan = 2, .seed = 8};
  for (const bool has_classes : {true, false})
    for (const bool has_bias : {true, false}) {
      const FloatSumsShape sums = {.has_classes = has_classes, .has_bias = has_bias};
      const RecordForest forest = with_float_sums(random_forest(mixed), sums);
      cases.push_back({"covers that do not add up", forest});
      cases.push_back({"floating point", with_covers(forest)});
    }
  return cases;
}

TEST(Shap, IsTheDefinitionOverAllSubsets) {
  for (const auto& [name, forest] : shap_cases()) {
    const std::vector<float> records = tricky_records(forest, 6, 3);
    const std::vector<double> found = found_values(forest, by_rows(records, forest));
    const std::size_t size = found.size() / 6;
    for (std::size_t i = 0; i < 6; ++i) {
      const std::vector<double> expected = shapley_values(forest, &records[i * forest.attributes.size()]);
      ASSERT_EQ(expected.size(), size);
      double largest = 0;
      for (const double value : expected) largest = std::max(largest, std::abs(value));
      for (std::size_t j = 0; j < size; ++j)
        ASSERT_NEAR(found[i * size + j], expected[j], 1e-12 * largest) << name << ", record " << i << ", value " << j;
    }
  }
}

TEST(Shap, ValuesAndExpectedValueAddUpToTheMargin) {
  std::vector<ShapCase> cases = shap_cases();
  cases.push_back({"many attributes", with_covers(random_forest({.trees = 3,
                                                                 .depth = 24,
                                                                 .classes = 2,
                                                                 .attributes = 300,
                                                                 .link = Link::kLogistic,
                                                                 .growth = 0.8,
                                                                 .most_nodes = 2001,
                                                                 .nan = 2}))});
  cases.push_back({"missing values", with_covers(random_forest({.trees = 5, .depth = 5, .nan = 2, .missing = 8}))});
  for (const auto& [name, forest] : cases) {
    const std::vector<float> records = tricky_records(forest, 300, 4);
    const RecordView view = by_rows(records, forest);
    const std::vector<double> found = found_values(forest, view);
    std::vector<double> margins(view.num_records * forest.num_outputs());
    ValueEvaluator(forest, {.device = "cpu", .threads = 1, .remember = false}).find_margins(view, margins.data());
    const std::size_t row = forest.attributes.size() + 1;
    for (std::size_t i = 0; i < margins.size(); ++i) {
      double sum = 0, magnitude = 1;
      for (std::size_t a = 0; a < row; ++a) sum += found[i * row + a], magnitude += std::abs(found[i * row + a]);
      ASSERT_NEAR(sum, margins[i], 1e-12 * magnitude) << name << ", record and output " << i;
    }
  }
}

/// A path of 64 attributes, each tested once, in which only the last leaf is not 0. Where all z are 1/2 and all o are
/// 1, the values v (o_j - z_j) have a closed form: v (1 - 2^-64) / 64 each.
TEST(Shap, APathMayAskSixtyFourAttributes) {
  constexpr std::size_t kAttributes = 65;
  const auto chain = [](std::size_t length) {
    RecordForest forest;
    forest.targets = {"value"};
    forest.link = Link::kIdentity;
    forest.float_sums = FloatSums{.base = {0}};
    for (std::size_t a = 0; a < kAttributes; ++a) forest.attributes.push_back(std::to_string(a));
    RecordTree& tree = forest.trees.emplace_back();
    double cover = std::ldexp(1.0, 70);
    tree.nodes.push_back({});
    tree.covers = {cover};
    for (std::size_t a = 0; a < length; ++a) {
      tree.nodes.back() = {0, static_cast<std::int32_t>(2 * a + 1), static_cast<std::uint16_t>(a), 0};
      tree.nodes.push_back({0, ~static_cast<std::int32_t>(a), 0, 0});
      tree.nodes.push_back({0, ~static_cast<std::int32_t>(a + 1), 0, 0});
      cover /= 2;
      tree.covers.insert(tree.covers.end(), {cover, cover});
    }
    tree.float_values = Array2<double>(length + 1, 1);
    tree.float_values(length, 0) = 6400;
    return forest;
  };
  const RecordForest forest = chain(64);
  const std::vector<float> record(kAttributes, 1.0f);
  const std::vector<double> found = found_values(forest, by_rows(record, forest));
  for (std::size_t a = 0; a < 64; ++a) EXPECT_NEAR(found[a], 100, 1e-11) << a;
  EXPECT_EQ(found[64], 0);
  EXPECT_DOUBLE_EQ(found[65], std::ldexp(6400, -64));
  try {
    ShapEvaluator evaluator(chain(65));
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    EXPECT_STREQ(error.what(),
                 "tree 0 has a test below those of 64 attributes; Shapley values are found for paths of "
                 "up to 64, train with a smaller depth or fewer attributes");
  }
}

TEST(Shap, HasTheSameBytesForAnyThreadsAndRecordsAtOnce) {
  for (const auto& [name, forest] : shap_cases()) {
    const std::size_t width = forest.attributes.size(), num_records = 5000;
    const std::vector<float> rows = tricky_records(forest, num_records, 5);
    const std::vector<double> expected = found_values(forest, by_rows(rows, forest), 1);
    const auto same = [&](const std::vector<double>& found, std::size_t begin) {
      const std::size_t size = expected.size() / num_records;
      return std::memcmp(found.data(), expected.data() + begin * size, found.size() * sizeof(double)) == 0;
    };
    EXPECT_TRUE(same(found_values(forest, by_rows(rows, forest), 3), 0)) << name;
    for (const std::size_t count : {1, 7, 500}) {
      const RecordView few = by_rows(rows, forest).part(40, count);
      EXPECT_TRUE(same(found_values(forest, few, 2), 40)) << name << ", " << count << " records";
    }
    std::vector<float> columns(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) columns[i % width * num_records + i / width] = rows[i];
    EXPECT_TRUE(same(found_values(forest, records_by_columns(columns.data(), num_records, width)), 0)) << name;
  }
}

TEST(Shap, HasTheSameBytesOnEveryInstructionSet) {
  for (const auto& [name, forest] : shap_cases()) {
    const std::vector<float> rows = tricky_records(forest, 1000, 6);
    const ShapForest model = make_shap_forest(forest);
    std::vector<double> expected;
    for (const Isa isa : available_isas()) {
      ShapBlock block(model, shap_kernels(isa), by_rows(rows, forest));
      ShapScratch scratch(model, shap_kernels(isa), 1000);
      ShapTables tables;
      tables.first_number.assign(model.groups.size(), ShapTables::kNone);
      block.add_trees(0, model.trees.size(), tables, scratch);
      std::vector<double> found;
      for (std::size_t k = 0; k < forest.num_outputs(); ++k)
        for (std::size_t c = 0; c < model.attributes.size(); ++c)
          found.insert(found.end(), block.sums(k, c), block.sums(k, c) + 1000);
      if (isa == available_isas().front()) expected = found;
      EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(found)), std::as_bytes(std::span(expected))))
          << name << ", " << to_string(isa);
    }
  }
}

TEST(Shap, RefusesForestsWithoutCoversAndThoseWithSetsOfCategories) {
  testdata::expect_refused(ErrorKind::kModel, [] { ShapEvaluator evaluator(random_forest({.trees = 2})); });
  const RecordForest sets = with_covers(random_forest({.trees = 2, .sets = 3}));
  testdata::expect_refused(ErrorKind::kModel, [&] { ShapEvaluator evaluator(sets); });
}

TEST(Shap, RefusesRecordsOfOtherAttributes) {
  const RecordForest forest = with_covers(random_forest({.attributes = 3}));
  ShapEvaluator evaluator(forest, 1);
  const float record[4] = {};
  double values[8];
  EXPECT_THROW(evaluator.find(records_by_rows(record, 1, 4), values), Error);
}

TEST(Shap, RefusesLinearLeaves) {
  const RecordForest constant = with_float_sums(random_forest({.link = Link::kSoftmax}), {});
  EXPECT_NO_THROW(ShapEvaluator(constant, 1));
  EXPECT_THROW(ShapEvaluator(with_linear_leaves(constant), 1), Error);
}

TEST(GaussRule, IntegratesPolynomialsOfDegreeTwoNLessOne) {
  const std::vector<GaussRule> rules = gauss_rules(32);
  for (std::size_t n = 1; n <= rules.size(); ++n) {
    const GaussRule& rule = rules[n - 1];
    ASSERT_EQ(rule.points.size(), n);
    for (std::size_t degree = 0; degree < 2 * n; ++degree) {
      double integral = 0;
      for (std::size_t q = 0; q < n; ++q)
        integral += rule.weights[q] * std::pow(rule.points[q], static_cast<double>(degree));
      EXPECT_NEAR(integral, 1 / (static_cast<double>(degree) + 1), 2e-14) << n << " points, degree " << degree;
    }
  }
}

}  // namespace
}  // namespace fernwood::records
