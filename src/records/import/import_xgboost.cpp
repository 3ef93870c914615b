// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "records/import/source_model.h"

namespace fernwood::records {

namespace {

/// XGBoost writes its parameters as texts, "4" or "5E-1".
double number_in(const JsonField& field) {
  const std::string& text = field.text();
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) field.fail("a number");
  return value;
}

std::size_t count_in(const JsonField& field, std::size_t max) {
  const double value = number_in(field);
  if (!(value >= 0 && value <= static_cast<double>(max) && value == std::floor(value)))
    field.fail("a whole number up to " + std::to_string(max));
  return static_cast<std::size_t>(value);
}

/// A text of JSON: "5E-1", or since version 3.1 "[5E-1]" with a number for each output.
std::vector<double> base_scores(const JsonField& field, const ErrorContext& place) {
  const nlohmann::json document = parse_json(field.text(), 1, "base_score", place);
  const JsonField scores(document, "base_score", place);
  return document.is_array() ? scores.numbers(1, kMostClasses) : std::vector<double>{scores.number()};
}

/// What sums begin with; for binary:logistic the file has a probability.
std::vector<double> read_base(const JsonField& field, const SourceModel& model, const ErrorContext& place) {
  std::vector<double> base = base_scores(field, place);
  if (model.objective == "binary:logistic") {
    if (base.size() != 1 || !(base[0] > 0 && base[0] < 1)) field.fail("a probability above 0 and below 1");
    return {-std::log(1.0 / base[0] - 1.0)};
  }
  const std::size_t num_outputs = model.link == Link::kLogistic ? 1 : model.num_classes;
  if (base.size() == 1) base.assign(num_outputs, base[0]);
  if (base.size() != num_outputs) field.fail("one number or one for each class");
  return base;
}

void read_objective(const JsonField& learner, SourceModel& model, const ErrorContext& place) {
  model.objective = learner.at("objective").at("name").text();
  const bool is_binary = model.objective == "binary:logistic" || model.objective == "binary:logitraw";
  const bool is_multi = model.objective == "multi:softmax" || model.objective == "multi:softprob";
  FW_CHECK(is_binary || is_multi, Model,
           place.file << ": has the objective " << model.objective
                      << "; classifiers of binary:logistic, binary:logitraw, multi:softprob and multi:softmax can be "
                      << "imported");
  const JsonField parameters = learner.at("learner_model_param");
  model.link = is_binary ? Link::kLogistic : Link::kSoftmax;
  model.num_classes = is_binary ? 2 : count_in(parameters.at("num_class"), kMostClasses);
  if (model.num_classes < 1) parameters.at("num_class").fail("at least 1");
  FW_CHECK(!parameters.has("num_target") || count_in(parameters.at("num_target"), kMostClasses) <= 1, Model,
           place.file << ": has several outputs (multi-label); train a model for each label");
  model.num_attributes = count_in(parameters.at("num_feature"), kMostAttributes);
  model.base = read_base(parameters.at("base_score"), model, place);
}

/// @param scale  Weight of the tree.
SourceTree read_tree(const JsonField& field, double scale, const ErrorContext& place) {
  if (field.at("tree_param").has("size_leaf_vector"))
    FW_CHECK(count_in(field.at("tree_param").at("size_leaf_vector"), kMostClasses) <= 1, Model,
             place.file << ": has trees with a vector in each leaf; train with multi_strategy one_output_per_tree");
  const std::vector<double> left = field.at("left_children").numbers(1, kMostNodes);
  const std::size_t num_nodes = left.size();
  const std::vector<double> right = field.at("right_children").numbers(num_nodes, num_nodes);
  const std::vector<double> attribute = field.at("split_indices").numbers(num_nodes, num_nodes);
  const std::vector<double> condition = field.at("split_conditions").numbers(num_nodes, num_nodes);
  const std::vector<bool> default_left = field.at("default_left").flags(num_nodes);
  const std::vector<double> type =
      field.has("split_type") ? field.at("split_type").numbers(0, num_nodes) : std::vector<double>();
  FW_CHECK(std::ranges::all_of(type, [](double t) { return t == 0; }), Model,
           place.file << ": has categorical splits, which forests over numbers cannot hold; encode the categories as "
                      << "numbers of their own (one-hot) and train again");
  SourceTree tree;
  for (std::size_t i = 0; i < num_nodes; ++i) {
    SourceNode& node = tree.nodes.emplace_back();
    node.left = whole_number(left[i], "a child", place);
    const double value = scale * static_cast<float>(condition[i]);
    if (node.is_leaf()) {
      tree.add_leaf(node, &value);
      continue;
    }
    node.right = whole_number(right[i], "a child", place);
    node.attribute = static_cast<std::uint32_t>(whole_number(attribute[i], "a feature", place));
    // XGBoost compares records of 32 bits with thresholds of 32.
    node.test = below(static_cast<float>(condition[i]));
    node.nan_left = default_left[i];
  }
  return tree;
}

/// [round] Its first tree, and behind the last round the number of trees. Files before version 2.0 do not say it.
std::vector<std::size_t> round_offsets(const JsonField& forest, std::size_t num_trees, const SourceModel& model) {
  std::vector<std::size_t> firsts;
  if (forest.has("iteration_indptr")) {
    for (const double first : forest.at("iteration_indptr").numbers(1, num_trees + 1))
      firsts.push_back(static_cast<std::size_t>(std::clamp(first, 0.0, static_cast<double>(num_trees))));
    return firsts;
  }
  const JsonField parameters = forest.at("gbtree_model_param");
  const std::size_t parallel =
      parameters.has("num_parallel_tree") ? count_in(parameters.at("num_parallel_tree"), kMostTrees) : 1;
  const std::size_t step = std::max<std::size_t>(1, parallel) * model.base.size();
  for (std::size_t first = 0; first <= num_trees; first += step) firsts.push_back(first);
  return firsts;
}

/// Trees up to the round at which the model's own predict() ends; the others were grown before training stopped early.
std::size_t count_taken(const JsonField& learner, const JsonField& forest, std::size_t num_trees, Rounds rounds,
                        SourceModel& model, const ErrorContext& place) {
  if (!learner.has("attributes") || !learner.at("attributes").has("best_iteration")) return num_trees;
  const JsonField attributes = learner.at("attributes");
  const std::size_t best = count_in(attributes.at("best_iteration"), kMostTrees);
  const std::vector<std::size_t> firsts = round_offsets(forest, num_trees, model);
  const std::size_t num_rounds = firsts.size() - 1;
  if (best + 1 >= num_rounds) return num_trees;
  const bool stops = rounds == Rounds::kBest || (rounds == Rounds::kAuto && attributes.has("scikit_learn"));
  model.note =
      place.file + ": " + (stops ? "the first " + std::to_string(best + 1) + " of " : "all ") +
      std::to_string(num_rounds) + " rounds are taken, as " + (stops ? "XGBClassifier" : "Booster") +
      ".predict does; training stopped early, with the best iteration " + std::to_string(best) +
      (rounds == Rounds::kAuto ? std::string(" (--rounds ") + (stops ? "all" : "best") + " takes the others)" : "");
  return stops ? firsts[best + 1] : num_trees;
}

}  // namespace

SourceModel read_xgboost(const JsonField& root, Rounds rounds, const ErrorContext& place) {
  SourceModel model;
  const JsonField learner = root.at("learner"), booster = learner.at("gradient_booster");
  const std::string& kind = booster.at("name").text();
  FW_CHECK(kind == "gbtree" || kind == "dart", Model,
           place.file << ": has the booster " << kind << ", which has no trees; train with gbtree or dart");
  read_objective(learner, model, place);
  model.version = join(root.at("version").numbers(3, 3), ".",
                       [&](double part) { return std::to_string(whole_number(part, "a version", place)); });
  if (learner.has("feature_names")) model.attributes = learner.at("feature_names").texts(0, kMostAttributes);
  const JsonField forest = kind == "dart" ? booster.at("gbtree").at("model") : booster.at("model");
  const JsonField trees = forest.at("trees");
  const std::size_t num_trees = trees.size(0, kMostTrees);
  const std::vector<double> weights =
      kind == "dart" ? booster.at("weight_drop").numbers(num_trees, num_trees) : std::vector<double>(num_trees, 1.0);
  const JsonField outputs = forest.at("tree_info");
  outputs.size(num_trees, num_trees);
  const std::size_t num_taken = count_taken(learner, forest, num_trees, rounds, model, place);
  for (std::size_t t = 0; t < num_taken; ++t) {
    model.trees.push_back(read_tree(trees.at(t), weights[t], place));
    model.trees.back().first_output = static_cast<std::uint32_t>(outputs.at(t).whole(0, model.base.size() - 1));
  }
  return model;
}

}  // namespace fernwood::records
