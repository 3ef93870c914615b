// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/shap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "devices.h"
#include "fernwood/core/error.h"
#include "fernwood/records/evaluator.h"
#include "records/explain/exact_sum.h"
#include "records/explain/gauss_rule.h"
#include "records/explain/shap_block.h"
#include "records/explain/shap_formula.h"
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

/// A record, and one background record or none, as a game of players.
struct Game {
  const RecordForest& forest;
  std::vector<ShapPlayer> players;     ///< Different ones.
  std::vector<std::size_t> player_of;  ///< [column]
  std::vector<float> own, others;      ///< [column]; others: empty without background.

  Game(const RecordForest& of, const float* record, const float* background) : forest(of) {
    for (const ShapPlayer& player : players_of_columns(forest)) {
      const auto known = std::ranges::find(players, player);
      player_of.push_back(static_cast<std::size_t>(known - players.begin()));
      if (known == players.end()) players.push_back(player);
    }
    own = columns_of(record);
    if (background) others = columns_of(background);
  }
  std::vector<float> columns_of(const float* record) const {
    std::vector<float> columns(forest.num_columns());
    read_columns(forest.columns, records_by_rows(record, 1, forest.attributes.size()), columns.data());
    return columns;
  }

  std::vector<double> value_of_leaf(const RecordTree& tree, std::size_t leaf, std::uint32_t known) const {
    if (tree.linear_leaves.empty()) return leaf_values(forest, tree, leaf);
    double sum = tree.linear_leaves[leaf].constant;
    for (const LinearLeaf::Term& term : tree.linear_leaves[leaf].terms) {
      const bool is_known = known >> player_of[term.attribute] & 1;
      const float value = is_known ? own[term.attribute] : others.empty() ? not_a_number() : others[term.attribute];
      if (is_nan(value)) return leaf_values(forest, tree, leaf);
      sum += term.coefficient * static_cast<double>(std::abs(value) <= forest.linear_zero ? 0 : value);
    }
    return {sum};
  }

  /// Prediction of a tree if the players in `known` (bit set) are known: EXPVALUE of the paper.
  std::vector<double> value(const RecordTree& tree, std::uint32_t known, std::size_t index = 0) const {
    const RecordNode& node = tree.nodes[index];
    if (node.is_leaf()) return value_of_leaf(tree, static_cast<std::size_t>(node.leaf_index()), known);
    const auto child = static_cast<std::size_t>(node.child);
    const bool is_known = known >> player_of[node.attribute] & 1;
    if (is_known || !others.empty())
      return value(tree, known,
                   child + static_cast<std::size_t>(side_of(node, (is_known ? own : others)[node.attribute])));
    std::vector<double> sum(tree.width(), 0.0);
    if (tree.covers[index] == 0) return sum;  // has weight 0
    for (const std::size_t side : {child, child + 1}) {
      const std::vector<double> below = value(tree, known, side);
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += tree.covers[side] / tree.covers[index] * below[k];
    }
    return sum;
  }
};

/// [s] s! (n - s - 1)! / n!
std::vector<double> subset_weights(std::size_t n) {
  std::vector<double> weights(n);
  for (std::size_t s = 0; s < n; ++s)
    weights[s] = std::exp(std::lgamma(s + 1.0) + std::lgamma(static_cast<double>(n - s)) - std::lgamma(n + 1.0));
  return weights;
}

/// Shapley values by definition, over all subsets of the players: [output][attribute + 1].
std::vector<double> shapley_values(const RecordForest& forest, const float* record, const float* background = nullptr) {
  const Game game(forest, record, background);
  const std::size_t n = game.players.size(), row = forest.attributes.size() + 1;
  std::vector<double> found(forest.num_outputs() * row, 0.0);
  const std::vector<double> weights = subset_weights(n);
  for (const RecordTree& tree : forest.trees) {
    std::vector<std::vector<double>> values;
    for (std::uint32_t known = 0; known < 1u << n; ++known) values.push_back(game.value(tree, known));
    for (std::size_t k = 0; k < tree.width(); ++k) {
      double* of_output = &found[(tree.first_output + k) * row];
      of_output[row - 1] += values[0][k];
      for (std::size_t p = 0; p < n; ++p)
        for (std::uint32_t known = 0; known < 1u << n; ++known)
          if ((known >> p & 1) == 0)
            for (const std::uint16_t attribute : game.players[p])
              of_output[attribute] += weights[static_cast<std::size_t>(std::popcount(known))] *
                                      (values[known | 1u << p][k] - values[known][k]) /
                                      static_cast<double>(game.players[p].size());
    }
  }
  for (std::size_t k = 0; k < forest.num_outputs(); ++k) {
    double* of_output = &found[k * row];
    const FloatSums sums = forest.float_sums.value_or(FloatSums{});
    of_output[row - 1] += forest.float_sums ? sums.base[k] : std::ldexp(forest.base[k], -forest.fraction_bits);
    for (std::size_t a = 0; a < row; ++a) of_output[a] = of_output[a] / sums.divisor * sums.scale;
    if (!sums.bias.empty()) of_output[row - 1] += sums.bias[k];
  }
  return found;
}

/// Interactions of different attributes by definition, halved: [output][attribute + 1][attribute + 1], else 0.
std::vector<double> interactions(const RecordForest& forest, const float* record) {
  const Game game(forest, record, nullptr);
  const std::size_t n = game.players.size(), row = forest.attributes.size() + 1;
  const FloatSums sums = forest.float_sums.value_or(FloatSums{});
  const std::vector<double> weights = subset_weights(n - 1);
  std::vector<double> found(forest.num_outputs() * row * row, 0.0);
  for (const RecordTree& tree : forest.trees) {
    std::vector<std::vector<double>> values;
    for (std::uint32_t known = 0; known < 1u << n; ++known) values.push_back(game.value(tree, known));
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = 0; q < n; ++q)
        for (std::uint32_t known = 0; q != p && known < 1u << n; ++known) {
          if ((known >> p & 1) != 0 || (known >> q & 1) != 0) continue;
          for (std::size_t k = 0; k < tree.width(); ++k) {
            const double change = values[known | 1u << p | 1u << q][k] - values[known | 1u << p][k] -
                                  values[known | 1u << q][k] + values[known][k];
            const double share = weights[static_cast<std::size_t>(std::popcount(known))] * change / 2 /
                                 static_cast<double>(game.players[p].size() * game.players[q].size());
            for (const std::uint16_t a : game.players[p])
              for (const std::uint16_t c : game.players[q])
                if (a != c) found[((tree.first_output + k) * row + a) * row + c] += share / sums.divisor * sums.scale;
          }
        }
  }
  return found;
}

/// SHAP values: [record][output][attribute + 1]
std::vector<double> found_values(const RecordForest& forest, const RecordView& records, int threads = 2,
                                 const RecordView& background = {}) {
  std::vector<double> values(records.num_records * forest.num_outputs() * (forest.attributes.size() + 1), -1.0);
  ShapEvaluator(forest, threads, background).find(records, values.data());
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
  add("categories", {.trees = 6, .depth = 6, .attributes = 6, .growth = 0.9, .nan = 2, .seed = 9, .sets = 9});
  add("statistics", {.trees = 6, .depth = 5, .attributes = 4, .nan = 2, .seed = 10, .missing = 2, .tables = 4});
  const RandomForestShape boosted = {
      .trees = 6, .depth = 5, .attributes = 6, .link = Link::kLogistic, .growth = 0.8, .nan = 2, .seed = 11, .sets = 3};
  cases.push_back({"linear", with_linear_leaves(with_covers(with_float_sums(random_forest(boosted), {})))});
  return cases;
}

/// Records without infinite values, of which linear functions have no finite value.
std::vector<float> finite_records(const RecordForest& forest, std::size_t num_records, std::uint32_t seed) {
  std::vector<float> values = tricky_records(forest, num_records, seed);
  for (float& value : values) value = std::clamp(value, -50.0f, 50.0f);
  return values;
}

void expect_near(std::span<const double> found, const std::vector<double>& expected, const std::string& about) {
  ASSERT_EQ(found.size(), expected.size());
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t j = 0; j < expected.size(); ++j)
    ASSERT_NEAR(found[j], expected[j], 1e-12 * largest) << about << ", value " << j;
}

std::vector<double> margins_of(const RecordForest& forest, const RecordView& view) {
  std::vector<double> margins(view.num_records * forest.num_outputs());
  ValueEvaluator(forest, {.device = "cpu", .threads = 1, .remember = false}).find_margins(view, margins.data());
  return margins;
}

/// The sum of numbers without rounding, then rounded once.
double exact_sum(std::span<const double> numbers) {
  std::vector<double> parts;  // without common bits, ascending: Shewchuk, Discrete & Computational Geometry 18, 1997
  for (double number : numbers) {
    std::size_t kept = 0;
    for (double part : parts) {
      if (std::abs(number) < std::abs(part)) std::swap(number, part);
      const double sum = number + part, rest = part - (sum - number);
      if (rest != 0) parts[kept++] = rest;
      number = sum;
    }
    parts.resize(kept);
    parts.push_back(number);
  }
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

TEST(Shap, IsTheDefinitionOverAllSubsets) {
  for (const auto& [name, forest] : shap_cases()) {
    const std::size_t width = forest.attributes.size();
    const std::vector<float> records = finite_records(forest, 3, 3);
    const std::vector<double> found = found_values(forest, by_rows(records, forest));
    const std::size_t size = found.size() / 3, row = width + 1;
    std::vector<double> pairs(size * row * 3);
    ShapEvaluator(forest, 2).find_interactions(by_rows(records, forest), pairs.data());
    for (std::size_t i = 0; i < 3; ++i) {
      const float* const record = &records[i * width];
      const std::span<const double> of_record(&found[i * size], size);
      expect_near(of_record, shapley_values(forest, record), name + ", record " + std::to_string(i));
      if (i > 0) continue;
      std::vector<double> expected = interactions(forest, record);
      for (std::size_t r = 0; r < size; ++r) {  // what is left of the attribute's value
        double left = of_record[r];
        for (std::size_t c = 0; c < row; ++c) left -= expected[r * row + c];
        expected[r * row + r % row] = left;
      }
      expect_near({&pairs[i * size * row], size * row}, expected, name + ", interactions of " + std::to_string(i));
    }
  }
}

TEST(Shap, BackgroundRecordsStandForUnknownAttributes) {
  for (auto& [name, forest] : shap_cases()) {
    const std::size_t width = forest.attributes.size();
    const std::vector<float> records = finite_records(forest, 2, 3), background = finite_records(forest, 3, 12);
    std::vector<double> expected;
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<double> mean(forest.num_outputs() * (width + 1), 0.0);
      for (std::size_t b = 0; b < 3; ++b) {
        const std::vector<double> of_one = shapley_values(forest, &records[i * width], &background[b * width]);
        for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += of_one[j] / 3;
      }
      expected.insert(expected.end(), mean.begin(), mean.end());
    }
    for (RecordTree& tree : forest.trees) tree.covers.clear();  // not needed
    expect_near(found_values(forest, by_rows(records, forest), 2, by_rows(background, forest)), expected, name);
  }
}

/// Half the distance to the next larger double.
double half_unit(double number) { return (std::nextafter(number, HUGE_VAL) - number) / 2; }

/// Checks thousands of sums: one may miss its margin only by less than the last bit of the smallest contribution.
TEST(Shap, ExactSumsAreTheMargins) {
  std::vector<ShapCase> cases = shap_cases();
  const RandomForestShape large = {.trees = 50, .depth = 6, .classes = 3, .link = Link::kSoftmax, .nan = 2, .seed = 12};
  for (const bool is_single : {true, false})
    cases.push_back({"floating point", with_covers(with_float_sums(random_forest(large), {.is_single = is_single}))});
  std::size_t num_missed = 0, num_sums = 0;
  for (const auto& [name, forest] : cases) {
    const std::vector<float> records = finite_records(forest, 200, 4), background = finite_records(forest, 7, 13);
    const RecordView view = by_rows(records, forest), few = view.part(0, 10);
    const std::vector<double> margins = margins_of(forest, view);
    const std::size_t row = forest.attributes.size() + 1;
    const auto check = [&, &about = name](const std::vector<double>& found, std::size_t size, std::size_t step) {
      for (std::size_t i = 0; i < found.size() / size; ++i, ++num_sums) {
        const std::span<const double> of_one(&found[i * size], size);
        const double missed = std::abs(exact_sum(of_one) - margins[i]);
        if (missed == 0) continue;
        double smallest = HUGE_VAL;
        for (std::size_t j = 0; j + 1 < size; j += step)
          if (of_one[j] != 0) smallest = std::min(smallest, std::abs(of_one[j]));
        ASSERT_LE(missed, half_unit(smallest) + half_unit(margins[i])) << about << ", record and output " << i;
        num_missed += about == "covers that do not add up" ? 0 : 1;  // contributions are 10^12 times as large there
      }
    };
    check(found_values(forest, view), row, 1);
    check(found_values(forest, few, 2, by_rows(background, forest)), row, 1);
    std::vector<double> pairs(few.num_records * forest.num_outputs() * row * row);
    ShapEvaluator(forest, 2).find_interactions(few, pairs.data());
    check(pairs, row * row, row + 1);
  }
  EXPECT_GT(num_sums, 5000u);
  EXPECT_LT(num_missed, num_sums / 50);
}

TEST(Shap, ExactSumGoesToTheLargestContributionsFirst) {
  std::vector<double> numbers = {1, -0x1p60, 0, 0x1p60, 0.25};
  settle_sum(numbers.data(), numbers.size(), 1, 1.5 + 0x1p-50);
  EXPECT_EQ(numbers, std::vector<double>({1.25 + 0x1p-50, -0x1p60, 0.0, 0x1p60, 0.25}));
  numbers = {0, 0, 0.5};
  settle_sum(numbers.data(), numbers.size(), 1, 0.75);
  EXPECT_EQ(numbers, std::vector<double>({0, 0, 0.75}));
  numbers = {2, 100, 100, 3, 1};  // contributions are the numbers at 0 and 3
  settle_sum(numbers.data(), numbers.size(), 3, 207);
  EXPECT_EQ(numbers, std::vector<double>({2, 100, 100, 4, 1}));
}

TEST(Shap, ManyAttributesAndMissingValuesAddUpToTheMargin) {
  std::vector<ShapCase> cases;
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
    const std::vector<double> found = found_values(forest, view), margins = margins_of(forest, view);
    const std::size_t row = forest.attributes.size() + 1;
    for (std::size_t i = 0; i < margins.size(); ++i)
      ASSERT_EQ(exact_sum({&found[i * row], row}), margins[i]) << name << ", record and output " << i;
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
    const std::size_t width = forest.attributes.size(), num_records = 2100;
    const std::vector<float> rows = finite_records(forest, num_records, 5);
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
  for (const auto& [name, forest] : shap_cases())
    for (const ShapEffects effects : {ShapEffects::kPlayers, ShapEffects::kPairs}) {
      const std::size_t num_records = effects == ShapEffects::kPlayers ? 1000 : 50;
      const std::vector<float> rows = tricky_records(forest, num_records, 6);
      std::vector<float> columns(forest.num_columns() * num_records);
      read_columns(forest.columns, by_rows(rows, forest), columns.data());
      const RecordView view = records_by_columns(columns.data(), num_records, forest.num_columns());
      const ShapForest model = make_shap_forest(forest);
      std::vector<double> expected;
      for (const Isa isa : available_isas()) {
        ShapBlock block(model, shap_kernels(isa), effects, view);
        ShapScratch scratch(model, shap_kernels(isa), effects, num_records);
        ShapTables tables;
        tables.first_number.assign(model.groups.size(), ShapTables::kNone);
        block.add_trees(0, model.trees.size(), tables, nullptr, scratch);
        std::vector<double> found;
        for (std::size_t k = 0; k < forest.num_outputs(); ++k)
          for (std::size_t e = 0; e < num_effects(effects, model.players.size()); ++e)
            found.insert(found.end(), block.sums(k, e), block.sums(k, e) + num_records);
        if (isa == available_isas().front()) expected = found;
        EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(found)), std::as_bytes(std::span(expected))))
            << name << ", " << to_string(isa);
      }
    }
}

class ShapDevices : public DeviceTest {};

TEST_P(ShapDevices, HaveTheBytesOfTheCpu) {
  for (const auto& [name, forest] : shap_cases()) {
    const std::vector<float> rows = finite_records(forest, 700, 7);
    const RecordView view = by_rows(rows, forest);
    ShapEvaluator expected(forest, 2), found(forest, 2, {}, GetParam());
    const std::size_t width = forest.attributes.size() + 1, size = view.num_records * forest.num_outputs() * width;
    std::vector<double> of_cpu(size), values(size);
    expected.find(view, of_cpu.data());
    found.find(view, values.data());
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(values)), std::as_bytes(std::span(of_cpu)))) << name;
    of_cpu.resize(size * width);
    values.resize(size * width);
    expected.find_interactions(view, of_cpu.data());
    found.find_interactions(view, values.data());
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(values)), std::as_bytes(std::span(of_cpu)))) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ShapDevices, testing::ValuesIn(gpus()), name_of_device);

/// What a thread of a GPU computes.
TEST(Shap, RowsOfOnePatternHaveTheBitsOfVectors) {
  for (const auto& [name, forest] : shap_cases()) {
    const ShapForest model = make_shap_forest(forest);
    std::vector<const double*> points, weights;
    const std::vector<GaussRule> rules = gauss_rules(kMaxPathElements / 2);
    for (const GaussRule& rule : rules) {
      points.push_back(rule.points.data());
      weights.push_back(rule.weights.data());
    }
    for (const ShapTree& tree : model.trees)
      for (std::size_t g = tree.first_group; g < tree.first_group + tree.num_groups; ++g) {
        const ShapGroup& group = model.groups[g];
        for (const ShapEffects effects : {ShapEffects::kPlayers, ShapEffects::kPairs}) {
          const bool pairs = effects == ShapEffects::kPairs;
          ShapRowFinder finder(model, shap_kernels(available_isas().back()), effects);
          const std::size_t num_sums = num_effects(effects, group.num_slots), padded = padded_to_lanes(num_sums);
          const std::vector<std::uint64_t> patterns = {0, 1, 2, 5, 7, ~std::uint64_t{0}, 6, 3};
          std::vector<double> expected(patterns.size() * finder.row_size(tree, group));
          finder.find(tree, group, {patterns.data(), patterns.size()}, expected.data());
          ShapRowArgs args = {};
          args.leaves = {model.leaves.data() + group.first_leaf, group.num_leaves};
          args.elements = model.elements.data();
          args.leaf_values = model.leaf_values.data();
          args.width = tree.width;
          args.num_sums = num_sums;
          args.points = points.data();
          args.weights = weights.data();
          std::vector<double> row(tree.width * num_sums + 1), scratch(2016);
          for (std::size_t p = 0; p < patterns.size(); ++p) {
            const StridedDoubles to = {row.data(), 1}, between = {scratch.data(), 1};
            (pairs ? find_shap_row<ShapEffects::kPairs> : find_shap_row<ShapEffects::kPlayers>)(args, patterns[p], to,
                                                                                                between);
            for (std::size_t k = 0; k < tree.width; ++k)
              EXPECT_EQ(std::memcmp(row.data() + k * num_sums, expected.data() + (p * tree.width + k) * padded,
                                    num_sums * sizeof(double)),
                        0)
                  << name << ", pattern " << patterns[p];
          }
        }
      }
  }
}

TEST(Shap, RefusesABackgroundOnAGpu) {
  const RecordForest forest = with_covers(random_forest({.attributes = 3}));
  const float record[3] = {};
  testdata::expect_refused(ErrorKind::kUsage,
                           [&] { ShapEvaluator evaluator(forest, 1, records_by_rows(record, 1, 3), Device{0}); });
}

TEST(Shap, RefusesForestsWithoutCovers) {
  testdata::expect_refused(ErrorKind::kModel, [] { ShapEvaluator evaluator(random_forest({.trees = 2})); });
}

TEST(Shap, RefusesRecordsOfOtherAttributes) {
  const RecordForest forest = with_covers(random_forest({.attributes = 3}));
  const float record[4] = {};
  const RecordView other = records_by_rows(record, 1, 4);
  ShapEvaluator evaluator(forest, 1);
  double values[16];
  EXPECT_THROW(evaluator.find(other, values), Error);
  EXPECT_THROW(ShapEvaluator(forest, 1, other), Error);
}

TEST(Shap, RefusesInteractionsWithABackground) {
  const RecordForest forest = with_covers(random_forest({.attributes = 3}));
  const float record[3] = {};
  const RecordView view = records_by_rows(record, 1, 3);
  std::vector<double> values(2 * 4 * 4);
  ShapEvaluator evaluator(forest, 1, view);
  testdata::expect_refused(ErrorKind::kUsage, [&] { evaluator.find_interactions(view, values.data()); });
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
