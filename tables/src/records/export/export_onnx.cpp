// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/records/record_file.h"
#include "records/export/onnx_graph.h"

namespace fernwood::records {

namespace {

using OnnxName = OnnxGraph::Name;

constexpr std::int64_t kSumOfTrees = 1;     // of attribute aggregate_function
constexpr std::uint8_t kUpToThreshold = 0;  // BRANCH_LEQ of attribute nodes_modes
constexpr std::size_t kExactInFloat = 1u << 24;

template <typename T>
std::vector<T> in_type(const std::vector<double>& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// Operator TreeEnsemble of ai.onnx.ml 5, tree by tree. A leaf adds one number to one sum.
/// @tparam T  Type in which records are compared and sums are computed.
template <typename T>
class OnnxTrees {
 public:
  explicit OnnxTrees(const RecordForest& forest) : num_attributes_(forest.attributes.size()) {}

  /// @param number_of  number_of(leaf): the number that it adds.
  template <typename NumberOf>
  void add(const RecordTree& tree, std::int64_t output, const NumberOf& number_of) {
    if (tree.nodes[0].is_leaf()) return add_constant(output, number_of(std::size_t{0}));
    const auto first_leaf = static_cast<std::int64_t>(leaf_outputs_.size());
    std::vector<std::int64_t> place(tree.nodes.size());  // index of a test among tests, of a leaf among leaves
    auto num_tests = static_cast<std::int64_t>(modes_.size());
    roots_.push_back(num_tests);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i)
      place[i] = tree.nodes[i].is_leaf() ? first_leaf + tree.nodes[i].leaf_index() : num_tests++;
    for (const RecordNode& node : tree.nodes) {
      if (node.is_leaf()) continue;
      const auto left = static_cast<std::size_t>(node.child);
      const std::size_t i = static_cast<std::size_t>(&node - tree.nodes.data());
      const bool is_wide = !tree.wide_thresholds.empty() && node.attribute < num_attributes_;
      add_test(node, static_cast<T>(is_wide ? tree.wide_thresholds[i] : node.threshold),
               {place[left], tree.nodes[left].is_leaf()}, {place[left + 1], tree.nodes[left + 1].is_leaf()});
    }
    for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf) add_leaf(output, number_of(leaf));
  }

  /// Adds a tree without tests, represented in ONNX as a test with the same leaf on both sides.
  void add_constant(std::int64_t output, T number) {
    const Side side = {static_cast<std::int64_t>(leaf_outputs_.size()), true};
    roots_.push_back(static_cast<std::int64_t>(modes_.size()));
    add_test({}, {}, side, side);
    add_leaf(output, number);
  }

  OnnxName write(OnnxGraph& graph, const OnnxName& columns, std::size_t num_outputs) const {
    OperatorAttributes attributes;
    attributes.whole("aggregate_function", kSumOfTrees).whole("n_targets", static_cast<std::int64_t>(num_outputs));
    attributes.wholes("tree_roots", roots_).wholes("nodes_featureids", columns_).tensor("nodes_splits", thresholds_);
    attributes.tensor("nodes_modes", modes_).wholes("nodes_missing_value_tracks_true", unknown_left_);
    attributes.wholes("nodes_truenodeids", left_.places).wholes("nodes_trueleafs", left_.are_leaves);
    attributes.wholes("nodes_falsenodeids", right_.places).wholes("nodes_falseleafs", right_.are_leaves);
    attributes.wholes("leaf_targetids", leaf_outputs_).tensor("leaf_weights", leaf_numbers_);
    return graph.add("TreeEnsemble", {columns}, attributes, "ai.onnx.ml");
  }

 private:
  struct Side {
    std::int64_t place;
    bool is_leaf;
  };
  struct Sides {
    std::vector<std::int64_t> places, are_leaves;
    void add(Side side) {
      places.push_back(side.place);
      are_leaves.push_back(side.is_leaf ? 1 : 0);
    }
  };

  void add_test(const RecordNode& node, T threshold, Side left, Side right) {
    columns_.push_back(node.attribute);
    thresholds_.push_back(threshold);
    modes_.push_back(kUpToThreshold);
    unknown_left_.push_back(node.nan_left);
    left_.add(left);
    right_.add(right);
  }
  void add_leaf(std::int64_t output, T number) {
    leaf_outputs_.push_back(output);
    leaf_numbers_.push_back(number);
  }

  const std::size_t num_attributes_;
  std::vector<std::int64_t> roots_, columns_, unknown_left_, leaf_outputs_;
  std::vector<T> thresholds_, leaf_numbers_;
  std::vector<std::uint8_t> modes_;
  Sides left_, right_;
};

/// The columns of all sets from values of attributes, as column_of_set().
template <typename T>
OnnxName add_set_columns(const std::vector<CategorySet>& sets, const OnnxName& values, OnnxGraph& graph) {
  std::vector<std::int64_t> attributes, begins;
  std::vector<T> first, sizes, table, only_whole, exact;
  for (const CategorySet& set : sets) {
    const CategoryBounds& bounds = set.bounds;
    const std::size_t size = 64 * set.words.size();
    attributes.push_back(bounds.attribute);
    begins.push_back(static_cast<std::int64_t>(table.size()));
    first.push_back(bounds.first);
    sizes.push_back(static_cast<T>(size));
    only_whole.push_back(bounds.is_whole ? T{1} : T{0});
    exact.push_back(bounds.is_exact ? T{1} : T{0});
    for (std::uint32_t category = 0; category <= size; ++category)
      table.push_back(column_of_set(bounds, set.words.data(), set.words.size(), category));
    for (const std::uint32_t other : {kUnknownCategory, kNegativeCategory})
      table.push_back(column_of_set(bounds, set.words.data(), set.words.size(), other));
  }
  const std::vector<std::size_t> row = {sets.size()};
  const OnnxName zero = graph.constant(T{0}), one = graph.constant(T{1}), two = graph.constant(T{2});
  const OnnxName size = graph.constant(sizes, row);
  const OnnxName asked =
      graph.add("Gather", {values, graph.constant(attributes, row)}, OperatorAttributes().whole("axis", 1));
  // Unknown values compare false: neither branch of the following operators may depend on them.
  const OnnxName unknown = graph.add("IsNaN", {asked});
  const OnnxName known = graph.add("Where", {unknown, zero, asked});
  const OnnxName whole = graph.add("Floor", {graph.add("Max", {graph.add("Min", {known, size}), zero})});
  const OnnxName is_beyond = graph.add("GreaterOrEqual", {known, graph.constant(static_cast<T>(kMaxCategories))});
  const OnnxName fraction = graph.add("Sub", {known, graph.add("Floor", {known})});
  const auto has_fraction = [&](const std::vector<T>& counts) {  // in sets for which fractions count
    const OnnxName counted = graph.add("Mul", {fraction, graph.constant(counts, row)});
    return graph.add("And", {graph.add("Greater", {counted, zero}), graph.add("Not", {is_beyond})});
  };
  const OnnxName is_nothing = graph.add("Or", {unknown, has_fraction(only_whole)});
  const OnnxName positive = graph.add("Where", {is_nothing, graph.add("Add", {size, one}), whole});
  const OnnxName is_below = graph.add("Less", {known, graph.constant(first, row)});
  const OnnxName is_negative =
      graph.add("And", {graph.add("Or", {is_below, has_fraction(exact)}), graph.add("Not", {unknown})});
  const OnnxName category = graph.add("Where", {is_negative, graph.add("Add", {size, two}), positive});
  const OnnxName place = graph.add("Add", {graph.cast(category, OnnxType::kInt64), graph.constant(begins, row)});
  return graph.add("Gather", {graph.constant(table, {table.size()}), place});
}

/// The columns that tests read: read_columns() as operators. @tparam T  Type of records.
template <typename T>
OnnxName add_columns(const RecordForest& forest, const OnnxName& records, OnnxGraph& graph) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const std::size_t num_attributes = forest.attributes.size();
  OnnxName values = records;
  if (!forest.columns.missing.empty()) {
    std::vector<T> low(num_attributes, kInfinity), high(num_attributes, -kInfinity);
    for (const MissingValues& missing : forest.columns.missing) {
      low[missing.attribute] = missing.low;
      high[missing.attribute] = missing.high;
    }
    const OnnxName above = graph.add("GreaterOrEqual", {values, graph.constant(low, {num_attributes})});
    const OnnxName below = graph.add("LessOrEqual", {values, graph.constant(high, {num_attributes})});
    const OnnxName unknown = graph.constant(std::numeric_limits<T>::quiet_NaN());
    values = graph.add("Where", {graph.add("And", {above, below}), unknown, values});
  }
  if (forest.columns.sets.empty()) return values;
  const OnnxName of_sets = add_set_columns<T>(forest.columns.sets, values, graph);
  return graph.add("Concat", {values, of_sets}, OperatorAttributes().whole("axis", 1));
}

/// Sums over trees whose leaves hold one number: in the order of trees, base first.
template <typename T>
OnnxName add_ordered_sums(const RecordForest& forest, const OnnxName& columns, OnnxGraph& graph) {
  OnnxTrees<T> trees(forest);
  for (std::size_t k = 0; k < forest.num_outputs(); ++k)
    if (forest.float_sums->base[k] != 0)
      trees.add_constant(static_cast<std::int64_t>(k), static_cast<T>(forest.float_sums->base[k]));
  for (const RecordTree& tree : forest.trees)
    trees.add(tree, tree.first_output, [&](std::size_t leaf) { return static_cast<T>(tree.float_values(leaf, 0)); });
  const bool is_cast = kOnnxType<T> != OnnxType::kFloat && !forest.is_wide();
  return trees.write(graph, is_cast ? graph.cast(columns, kOnnxType<T>) : columns, forest.num_outputs());
}

/// Sums over trees whose leaves hold several numbers, which ONNX does not support: the indices of leaves are found, and
/// rows of a table are added.
/// @param values_of  values_of(tree)(leaf, k).
template <typename Record, typename T, typename ValuesOf>
OnnxName add_table_sums_as(const RecordForest& forest, const std::vector<T>& base, const ValuesOf& values_of,
                           const OnnxName& columns, OnnxGraph& graph) {
  OnnxTrees<Record> trees(forest);
  std::vector<std::int64_t> begins;
  std::vector<T> table;
  std::size_t num_rows = 0;
  const std::size_t num_outputs = forest.num_outputs();
  for (std::size_t t = 0; t < forest.trees.size(); ++t) {
    const RecordTree& tree = forest.trees[t];
    FW_CHECK(tree.num_leaves() <= kExactInFloat, Model,
             "tree " << t << " has " << tree.num_leaves() << " leaves; ONNX's operator numbers " << kExactInFloat
                     << " exactly, train trees of less depth");
    begins.push_back(static_cast<std::int64_t>(num_rows));
    num_rows += tree.num_leaves();
    table.resize(num_rows * num_outputs, T{});
    T* const rows = table.data() + static_cast<std::size_t>(begins.back()) * num_outputs + tree.first_output;
    for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
      for (std::size_t k = 0; k < tree.width(); ++k)
        rows[leaf * num_outputs + k] = static_cast<T>(values_of(tree)(leaf, k));
    trees.add(tree, static_cast<std::int64_t>(t), [](std::size_t leaf) { return static_cast<Record>(leaf); });
  }
  const OnnxName leaves = graph.cast(trees.write(graph, columns, forest.trees.size()), OnnxType::kInt64);
  const OnnxName places = graph.add("Add", {leaves, graph.constant(begins, {begins.size()})});
  const OnnxName rows = graph.add("Gather", {graph.constant(table, {num_rows, num_outputs}), places});
  const OnnxName over_trees = graph.constant(std::vector<std::int64_t>{1}, {1});
  const OnnxName sums = graph.add("ReduceSum", {rows, over_trees}, OperatorAttributes().whole("keepdims", 0));
  return graph.add("Add", {sums, graph.constant(base, {num_outputs})});
}

template <typename T, typename ValuesOf>
OnnxName add_table_sums(const RecordForest& forest, const std::vector<T>& base, const ValuesOf& values_of,
                        const OnnxName& columns, OnnxGraph& graph) {
  return forest.is_wide() ? add_table_sums_as<double>(forest, base, values_of, columns, graph)
                          : add_table_sums_as<float>(forest, base, values_of, columns, graph);
}

template <typename T>
OnnxName add_sigmoid(double slope, const OnnxName& sums, OnnxGraph& graph) {
  return graph.add("Sigmoid", {graph.add("Mul", {sums, graph.constant(static_cast<T>(slope))})});
}

/// From a column of probabilities of class 1, the columns of both classes.
template <typename T>
OnnxName add_two_shares(const OnnxName& share, OnnxGraph& graph) {
  const OnnxName other = graph.add("Sub", {graph.constant(T{1}), share});
  return graph.add("Concat", {other, share}, OperatorAttributes().whole("axis", 1));
}

/// predict_from_sums() as operators.
template <typename T>
OnnxName add_prediction(Link link, double slope, const OnnxName& sums, OnnxGraph& graph) {
  switch (link) {
    case Link::kLogistic:
      return add_two_shares<T>(add_sigmoid<T>(slope, sums, graph), graph);
    case Link::kSoftmax:
      return graph.add("Softmax", {graph.add("Mul", {sums, graph.constant(static_cast<T>(slope))})},
                       OperatorAttributes().whole("axis", 1));
    case Link::kExponential:
      return graph.add("Exp", {sums});
    case Link::kSigmoid:
      return add_sigmoid<T>(slope, sums, graph);
    case Link::kSoftplus:  // onnxruntime supports the operator Softplus in 32 bits only
      return graph.add("Log", {graph.add("Add", {graph.add("Exp", {sums}), graph.constant(T{1})})});
    case Link::kSignedSquare:
      return graph.add("Mul", {sums, graph.add("Abs", {sums})});
    case Link::kIsolation:
      return graph.add("Pow", {graph.constant(T{2}), graph.add("Neg", {sums})});
    default:
      return sums;
  }
}

template <typename T>
OnnxName add_float_sums(const RecordForest& forest, const OnnxName& columns, OnnxGraph& graph) {
  const FloatSums& rule = *forest.float_sums;
  const bool has_single_numbers =
      std::ranges::all_of(forest.trees, [](const RecordTree& tree) { return tree.float_values.cols() == 1; });
  const auto values_of = [](const RecordTree& tree) -> const Array2<double>& { return tree.float_values; };
  OnnxName sums = has_single_numbers ? add_ordered_sums<T>(forest, columns, graph)
                                     : add_table_sums(forest, in_type<T>(rule.base), values_of, columns, graph);
  if (rule.divisor != 1) sums = graph.add("Div", {sums, graph.constant(static_cast<T>(rule.divisor))});
  if (rule.scale != 1) sums = graph.add("Mul", {sums, graph.constant(static_cast<T>(rule.scale))});
  if (!rule.bias.empty()) sums = graph.add("Add", {sums, graph.constant(in_type<T>(rule.bias), {rule.bias.size()})});
  return sums;
}

OnnxName add_largest(const OnnxName& numbers, OnnxGraph& graph) {
  return graph.add("ArgMax", {numbers}, OperatorAttributes().whole("axis", 1).whole("keepdims", 0));
}

/// The class by the only sum of a record.
template <typename T>
OnnxName add_sign_class(ClassRule rule, double threshold, const OnnxName& sums, OnnxGraph& graph) {
  const OnnxName zero = graph.constant(static_cast<T>(threshold));
  const OnnxName is_one = graph.add(rule == ClassRule::kSumFromZero ? "GreaterOrEqual" : "Greater", {sums, zero});
  const OnnxName column = graph.constant(std::vector<std::int64_t>{1}, {1});
  return graph.add("Squeeze", {graph.cast(is_one, OnnxType::kInt64), column});
}

/// Outputs of a forest with only whole-number sums: label and probabilities of choose_class() and probabilities_of().
void add_whole_outputs(const RecordForest& forest, const OnnxName& columns, OnnxGraph& graph) {
  const auto values_of = [](const RecordTree& tree) -> const Array2<std::int32_t>& { return tree.leaf_values; };
  const OnnxName whole = graph.cast(add_table_sums(forest, forest.base, values_of, columns, graph), OnnxType::kDouble);
  OnnxName shares;
  if (forest.link == Link::kMean) {
    const OnnxName over_classes = graph.constant(std::vector<std::int64_t>{1}, {1});
    const OnnxName total = graph.add("ReduceSum", {whole, over_classes});
    const OnnxName equal = graph.constant(1.0 / static_cast<double>(forest.classes.size()));
    const OnnxName is_some = graph.add("Greater", {total, graph.constant(0.0)});
    shares = graph.add("Where", {is_some, graph.add("Div", {whole, total}), equal});
  } else {
    const OnnxName sums = graph.add("Mul", {whole, graph.constant(std::ldexp(1.0, -forest.fraction_bits))});
    shares = add_prediction<double>(forest.link, 1, sums, graph);
  }
  const bool is_one_sum = forest.link == Link::kLogistic;
  const OnnxName label =
      is_one_sum ? add_sign_class<double>(ClassRule::kSum, 0, whole, graph) : add_largest(whole, graph);
  graph.output(label, "label", OnnxType::kInt64, 0);
  graph.output(graph.cast(shares, OnnxType::kFloat), "probabilities", OnnxType::kFloat, forest.classes.size());
}

template <typename T>
void add_float_outputs(const RecordForest& forest, const OnnxName& columns, OnnxGraph& graph) {
  const OnnxName sums = add_float_sums<T>(forest, columns, graph);
  const OnnxName predicted = add_prediction<T>(forest.link, forest.slope, sums, graph);
  if (forest.has_classes()) {
    const bool by_sums = forest.class_rule != ClassRule::kProbability;
    const OnnxName label = by_sums && forest.link == Link::kLogistic
                               ? add_sign_class<T>(forest.class_rule, forest.class_threshold, sums, graph)
                               : add_largest(by_sums ? sums : predicted, graph);
    graph.output(label, "label", OnnxType::kInt64, 0);
  }
  graph.output(predicted, forest.has_classes() ? "probabilities" : "values", kOnnxType<T>, forest.num_predicted());
}

}  // namespace

void write_onnx(const RecordForest& forest, std::ostream& out) {
  check_records(forest, "the forest");
  FW_CHECK(!forest.trees.empty(), Model, "the forest has no tree, so that there is nothing to write as ONNX");
  FW_CHECK(
      forest.columns.text_attributes.empty(), Model,
      "the forest has categories that are strings, which are not written as ONNX; train on categories as numbers of "
      "their own (one-hot)");
  FW_CHECK(!forest.has_linear_leaves(), Model,
           "the forest has linear functions in its leaves, which ONNX has no operator for; train with constant leaves");
  OnnxGraph graph;
  const bool is_wide = forest.is_wide();
  const OnnxName records =
      graph.input("records", is_wide ? OnnxType::kDouble : OnnxType::kFloat, forest.attributes.size());
  const OnnxName columns =
      is_wide ? add_columns<double>(forest, records, graph) : add_columns<float>(forest, records, graph);
  if (!forest.float_sums)
    add_whole_outputs(forest, columns, graph);
  else if (forest.float_sums->is_single)
    add_float_outputs<float>(forest, columns, graph);
  else
    add_float_outputs<double>(forest, columns, graph);
  const auto names = [](const std::vector<std::string>& texts) { return json_text(nlohmann::json(texts)); };
  const std::string file = graph.file(
      {{"attributes", names(forest.attributes)},
       {forest.has_classes() ? "classes" : "targets", names(forest.has_classes() ? forest.classes : forest.targets)}});
  constexpr std::size_t kMaxBytes = std::size_t{1} << 31;  // of a message of Protocol Buffers
  FW_CHECK(file.size() < kMaxBytes, Model,
           "the forest takes " << file.size() << " bytes as ONNX, whose files hold less than " << kMaxBytes
                               << "; train fewer trees, or trees of less depth");
  out.write(file.data(), static_cast<std::streamsize>(file.size()));
}

}  // namespace fernwood::records
