// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "records/import/source_model.h"

namespace fernwood::records {

namespace {

/// The condition for going left, by one of Treelite's operators.
UpToTest read_test(const JsonField& node, bool is_float32) {
  const std::string& operation = node.at("comparison_op").text();
  double threshold = node.at("threshold").number();
  if (is_float32) threshold = static_cast<float>(threshold);
  const auto opposite = [](UpToTest test) { return UpToTest{test.threshold, !test.swapped, test.wide}; };
  if (operation == "<") return below(threshold);
  if (operation == "<=") return up_to(threshold);
  if (operation == ">") return opposite(up_to(threshold));
  if (operation == ">=") return opposite(below(threshold));
  node.at("comparison_op").fail("<, <=, > or >=", "; train with such tests");
}

struct TreeReader {
  const ErrorContext& place;
  bool is_float32;                    ///< Thresholds have 32 bits.
  std::uint32_t width;                ///< Number of values in a leaf.
  const std::vector<double>& scales;  ///< [output] Factors of leaf values.

  void read_leaf(const JsonField& value, SourceNode& node, SourceTree& tree) const {
    std::vector<double> values = width == 1 ? std::vector<double>{value.number()} : value.numbers(width, width);
    for (std::size_t k = 0; k < width; ++k) values[k] *= scales[tree.first_output + k];
    tree.add_leaf(node, values.data());
  }

  void read_node(const JsonField& field, SourceNode& node, SourceTree& tree) const {
    // Sums of curvatures, or of weights in scikit-learn's trees; numbers of records in LightGBM's.
    for (const char* cover : {"data_count", "sum_hess"})
      if (field.has(cover)) node.cover = field.at(cover).number();
    if (field.has("leaf_value")) return read_leaf(field.at("leaf_value"), node, tree);
    node.left = static_cast<std::int32_t>(field.at("left_child").whole(0, kMaxNodes));
    node.right = static_cast<std::int32_t>(field.at("right_child").whole(0, kMaxNodes));
    node.attribute = static_cast<std::uint32_t>(field.at("split_feature_id").whole(0, kMaxAttributes - 1));
    const JsonField kind = field.at("node_type");
    if (kind.text() == "categorical_test_node") return read_categories(field, node, tree);
    if (kind.text() != "numerical_test_node") kind.fail("numerical_test_node or categorical_test_node");
    node.test = read_test(field, is_float32);
    node.nan_left = field.at("default_left").flag();
  }

  /// Fractions are dropped; negative, too large or unlisted values do not match.
  void read_categories(const JsonField& field, SourceNode& node, SourceTree& tree) const {
    const bool matching_right = field.at("category_list_right_child").flag();
    const JsonField categories = field.at("category_list");
    CategorySet set;
    for (std::size_t i = 0; i < categories.size(0, kMaxNamedCategories); ++i)
      set.add(static_cast<std::uint32_t>(categories.at(i).whole(0, kMaxNamedCategories - 1)));
    set.bounds.unknown_in = field.at("default_left").flag() != matching_right;
    tree.ask_set(node, std::move(set), matching_right);
  }

  SourceTree read(const JsonField& nodes, std::uint32_t first_output) const {
    SourceTree tree;
    tree.first_output = first_output;
    tree.width = width;
    tree.nodes.resize(nodes.size(1, kMaxNodes));
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const JsonField node = nodes.at(i);
      node.at("node_id").must_be(i);
      read_node(node, tree.nodes[i], tree);
    }
    return tree;
  }
};

/// Reads how predictions follow from sums over trees. @return A factor of the sums.
double read_postprocessor(const JsonField& root, std::size_t num_outputs, SourceModel& model,
                          const ErrorContext& place) {
  model.objective = root.at("postprocessor").text();
  if (num_outputs == 1) {
    FW_CHECK(model.objective == "sigmoid" || model.objective == "identity", Model,
             place.file << " has the postprocessor " << model.objective
                        << "; of two classes with one output sigmoid and identity can be imported");
    model.link = Link::kLogistic;
    return model.objective == "sigmoid" ? root.at("sigmoid_alpha").number() : 1.0;
  }
  const bool is_mean = model.objective == "identity_multiclass";
  FW_CHECK(is_mean || model.objective == "softmax" || model.objective == "max_index", Model,
           place.file << " has the postprocessor " << model.objective
                      << "; of several outputs softmax, max_index and identity_multiclass can be imported");
  model.link = is_mean ? Link::kMean : Link::kSoftmax;
  return 1.0;
}

/// Output of each tree, or -1 for trees with a vector in each leaf.
std::vector<std::int32_t> read_outputs(const JsonField& field, std::size_t num_trees, std::size_t num_outputs,
                                       bool is_vector) {
  field.size(num_trees, num_trees);
  std::vector<std::int32_t> outputs;
  for (std::size_t t = 0; t < num_trees; ++t) {
    outputs.push_back(field.at(t).integer());
    const bool fits = outputs[t] >= 0 && outputs[t] < static_cast<std::int32_t>(num_outputs);
    if (is_vector ? outputs[t] != -1 : !fits) field.at(t).fail(is_vector ? "-1" : "an output");
  }
  return outputs;
}

/// Factors for averaging over trees: divided by the number of trees of each output.
std::vector<double> average_scales(const std::vector<std::int32_t>& outputs, std::vector<double> scales) {
  std::vector<double> counts(scales.size(), 0.0);
  for (const std::int32_t output : outputs)
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += output < 0 || static_cast<std::size_t>(output) == k;
  for (std::size_t k = 0; k < counts.size(); ++k) scales[k] /= std::max(counts[k], 1.0);
  return scales;
}

/// How a model that predicts values converts its sums.
struct TreelitePostprocessor {
  const char* name;
  Link link;
};
constexpr TreelitePostprocessor kTreelitePostprocessors[] = {{"identity", Link::kIdentity},
                                                             {"exponential", Link::kExponential},
                                                             {"sigmoid", Link::kSigmoid},
                                                             {"signed_square", Link::kSignedSquare},
                                                             {"logarithm_one_plus_exp", Link::kSoftplus},
                                                             {"exponential_standard_ratio", Link::kIsolation}};

Link value_link(const std::string& postprocessor, const ErrorContext& place) {
  const auto* found = std::ranges::find(kTreelitePostprocessors, postprocessor, &TreelitePostprocessor::name);
  if (found == std::end(kTreelitePostprocessors))
    throw Error(ErrorKind::kModel,
                place.file + " has the postprocessor " + postprocessor + "; of values " +
                    join(kTreelitePostprocessors, ", ", [](const TreelitePostprocessor& known) { return known.name; }) +
                    " can be imported");
  return found->link;
}

/// Number of trees of each output, over which sums are averaged.
double count_of_each(const std::vector<std::int32_t>& outputs, std::size_t num_outputs, const JsonField& field) {
  std::vector<double> counts = average_scales(outputs, std::vector<double>(num_outputs, 1.0));
  if (std::ranges::any_of(counts, [&](double scale) { return scale != counts[0]; }))
    field.fail("false, since targets have different numbers of trees");
  return std::max(1.0, static_cast<double>(outputs.size()) /
                           static_cast<double>(outputs.empty() || outputs[0] < 0 ? 1 : num_outputs));
}

/// Reads regressors, rankers and isolation forests: base scores are added last.
SourceModel read_values(const JsonField& root, const ErrorContext& place) {
  SourceModel model;
  model.leaf_numbers = LeafNumbers::kNodes;
  model.trees_per_iteration = 0;
  const std::size_t num_targets = model.num_targets = root.at("num_target").whole(1, kMaxClasses);
  for (const double num_classes : root.at("num_class").numbers(num_targets, num_targets))
    if (num_classes != 1) root.at("num_class").fail("1 for each target");
  model.num_attributes = root.at("num_feature").whole(1, kMaxNodes);
  check_attribute_count(model.num_attributes, place);
  model.objective = root.at("postprocessor").text();
  model.link = value_link(model.objective, place);
  if (model.link == Link::kSigmoid) model.slope = root.at("sigmoid_alpha").number();
  model.sums.is_single = root.at("leaf_output_type").text() == "float32";
  model.sums.base.assign(num_targets, 0.0);
  model.sums.bias = root.at("base_scores").numbers(num_targets, num_targets);
  if (model.link == Link::kIsolation) model.sums.scale = 1 / root.at("ratio_c").number();
  const JsonField shape = root.at("leaf_vector_shape"), trees = root.at("trees"),
                  average = root.at("average_tree_output");
  shape.size(2, 2);
  shape.at(1).must_be(1);
  const std::uint64_t width = shape.at(std::size_t{0}).whole(1, num_targets);
  if (width != 1 && width != num_targets) shape.at(std::size_t{0}).fail("1 or the number of targets");
  const std::size_t num_trees = trees.size(0, kMaxTrees);
  const std::vector<std::int32_t> outputs =
      read_outputs(root.at("target_id"), num_trees, num_targets, width == num_targets && num_targets > 1);
  if (average.flag()) model.sums.divisor = count_of_each(outputs, num_targets, average);
  const std::vector<double> scales(num_targets, 1.0);
  model.is_wide = root.at("threshold_type").text() != "float32";
  const TreeReader reader{place, !model.is_wide, static_cast<std::uint32_t>(width), scales};
  for (std::size_t t = 0; t < num_trees; ++t)
    model.trees.push_back(reader.read(trees.at(t).at("nodes"), static_cast<std::uint32_t>(std::max(outputs[t], 0))));
  return model;
}

/// Whether it predicts values. So do LightGBM's models of cross_entropy_lambda, which Treelite treats as classifiers.
bool predicts_values(const JsonField& root) {
  const std::string& task = root.at("task_type").text();
  return task == "kRegressor" || task == "kLearningToRank" || task == "kIsolationForest" ||
         root.at("postprocessor").text() == "logarithm_one_plus_exp";
}

std::size_t read_num_outputs(const JsonField& root, const ErrorContext& place) {
  const std::string& task = root.at("task_type").text();
  FW_CHECK(task == "kBinaryClf" || task == "kMultiClf", Model,
           place.file << " is a model of " << task
                      << "; kBinaryClf, kMultiClf, kRegressor, kLearningToRank and kIsolationForest can be imported");
  FW_CHECK(root.at("num_target").whole(1, kMaxClasses) == 1, Model,
           place.file << " has several targets; import a model of one");
  root.at("num_class").size(1, 1);
  return root.at("num_class").at(std::size_t{0}).whole(1, kMaxClasses);
}

}  // namespace

SourceModel read_treelite(const JsonField& root, const ErrorContext& place) {
  if (predicts_values(root)) return read_values(root, place);
  SourceModel model;
  model.leaf_numbers = LeafNumbers::kNodes;
  model.trees_per_iteration = 0;
  const std::size_t num_outputs = read_num_outputs(root, place);
  model.num_classes = num_outputs == 1 ? 2 : num_outputs;
  model.num_attributes = root.at("num_feature").whole(1, kMaxNodes);
  check_attribute_count(model.num_attributes, place);
  std::vector<double> scales(num_outputs, read_postprocessor(root, num_outputs, model, place));
  model.sums.base = root.at("base_scores").numbers(num_outputs, num_outputs);
  for (std::size_t k = 0; k < num_outputs; ++k) model.sums.base[k] *= scales[k];
  const JsonField shape = root.at("leaf_vector_shape"), trees = root.at("trees");
  shape.size(2, 2);
  shape.at(std::size_t{0}).must_be(1);
  const std::uint64_t width = shape.at(1).whole(1, num_outputs);
  if (width != 1 && width != num_outputs) shape.at(1).fail("1 or the number of outputs");
  const std::size_t num_trees = trees.size(0, kMaxTrees);
  const std::vector<std::int32_t> outputs =
      read_outputs(root.at("class_id"), num_trees, num_outputs, width == num_outputs && num_outputs > 1);
  if (root.at("average_tree_output").flag()) scales = average_scales(outputs, std::move(scales));
  model.is_wide = root.at("threshold_type").text() != "float32";
  const TreeReader reader{place, !model.is_wide, static_cast<std::uint32_t>(width), scales};
  for (std::size_t t = 0; t < num_trees; ++t)
    model.trees.push_back(reader.read(trees.at(t).at("nodes"), static_cast<std::uint32_t>(std::max(outputs[t], 0))));
  return model;
}

}  // namespace fernwood::records
