// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <set>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "records/import/onnx_ensemble.h"
#include "records/import/source_model.h"

namespace fernwood::records {

namespace {

constexpr std::string_view kEnsembles[] = {"TreeEnsembleClassifier", "TreeEnsembleRegressor", "TreeEnsemble"};
// Operators allowed around the trees, because they change no number: casts, labels and maps made of scores.
constexpr std::string_view kHarmless[] = {"Cast", "Identity", "ZipMap", "ArgMax", "ArrayFeatureExtractor", "Reshape"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// Whether an operator multiplies by ones.
bool multiplies_by_one(const OnnxOperator& operation, const OnnxModel& model) {
  if (operation.type != "Mul" || operation.inputs.size() != 2) return false;
  const auto found = model.constants.find(operation.inputs[1]);
  return found != model.constants.end() && !found->second.reals.empty() &&
         std::ranges::all_of(found->second.reals, [](double value) { return value == 1; });
}

/// The only operator of trees. @throws Error(kModel) for any other operator that changes the predictions of the trees.
const OnnxOperator& find_ensemble(const OnnxModel& model, const ErrorContext& place) {
  const OnnxOperator* found = nullptr;
  std::size_t num_ensembles = 0;
  for (const OnnxOperator& operation : model.operators)
    if (is_one_of(operation.type, kEnsembles)) {
      found = &operation;
      ++num_ensembles;
    }
  FW_CHECK(num_ensembles == 1, Model,
           place.file << " has " << num_ensembles << " operators of trees (" << join(kEnsembles)
                      << "); models with one can be imported");
  for (const OnnxOperator& operation : model.operators)
    FW_CHECK(&operation == found || is_one_of(operation.type, kHarmless) || multiplies_by_one(operation, model) ||
                 operation.type == "Normalizer",
             Model,
             place.file
                 << " has the operator " << operation.type
                 << " in addition to its trees; convert the model of trees by itself, without what is done before and "
                 << "after it");
  return *found;
}

bool has_operator(const OnnxModel& model, std::string_view type) {
  return std::ranges::any_of(model.operators, [&](const OnnxOperator& operation) { return operation.type == type; });
}

/// Number of columns of the graph's input; where the file does not state it, the number that the trees use.
std::size_t count_columns(const OnnxModel& model, const std::vector<SourceTree>& trees) {
  std::uint64_t columns = 0;
  for (const auto& [name, size] : model.inputs)
    if (!model.constants.contains(name)) columns = std::max(columns, size.value_or(0));
  if (columns > 0) return static_cast<std::size_t>(columns);
  for (const SourceTree& tree : trees)
    for (const SourceNode& node : tree.nodes)
      if (!node.is_leaf()) columns = std::max<std::uint64_t>(columns, node.attribute + 1);
  return std::max<std::size_t>(1, static_cast<std::size_t>(columns));
}

bool are_all_positive(const SourceModel& model) {
  const auto is_positive = [](double value) { return value >= 0; };
  return std::ranges::all_of(model.sums.bias, is_positive) && std::ranges::all_of(model.trees, [&](const auto& tree) {
           return std::ranges::all_of(tree.leaf_values, is_positive);
         });
}

/// Adds the first class to leaves that only have the probability of the second: the rest of the tree's share of 1.
void add_first_class(SourceModel& model, const ErrorContext& place) {
  std::vector<double> shares;
  double total = 0;
  for (const SourceTree& tree : model.trees) total += shares.emplace_back(*std::ranges::max_element(tree.leaf_values));
  constexpr double kRounding = 1e-3;
  FW_CHECK(total <= 1 + kRounding, Model,
           place.file << " has scores of a class that reach " << total << " and are not probabilities" << place.remedy);
  const double left = std::max(0.0, 1 - total) / static_cast<double>(model.trees.size());
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    SourceTree& tree = model.trees[t];
    std::vector<double> both;
    for (const double value : tree.leaf_values) both.insert(both.end(), {shares[t] + left - value, value});
    tree.leaf_values = std::move(both);
    tree.width = 2;
    tree.first_output = 0;
  }
  model.sums.base.assign(2, 0.0);
}

/// How predictions follow from the sums.
void choose_link(const EnsembleFacts& facts, SourceModel& model, const ErrorContext& place) {
  const std::string& transform = facts.post_transform;
  if (!facts.is_classifier) {
    // By the specification LOGISTIC applies to one target, too; onnxruntime omits it there.
    FW_CHECK(transform == "NONE" || (transform == "LOGISTIC" && facts.num_predicted > 1), Model,
             place.file << " has the post_transform " << transform << " and " << facts.num_predicted
                        << (facts.num_predicted == 1 ? " target" : " targets")
                        << "; NONE and, of several targets, LOGISTIC can be imported");
    model.link = transform == "NONE" ? Link::kIdentity : Link::kSigmoid;
    return;
  }
  FW_CHECK(transform == "NONE" || transform == "LOGISTIC" || transform == "SOFTMAX", Model,
           place.file << " has the post_transform " << transform
                      << "; of classes NONE, LOGISTIC and SOFTMAX can be imported");
  const bool are_probabilities = transform == "NONE" && are_all_positive(model);
  if (facts.is_binary && are_probabilities && model.sums.bias.empty() && !model.trees.empty())
    add_first_class(model, place);
  if (are_probabilities)
    model.link = model.sums.base.size() == model.num_classes ? Link::kMean : Link::kLogistic;
  else if (facts.is_binary)
    model.link = Link::kLogistic;
  else
    model.link = transform == "LOGISTIC" ? Link::kSigmoid : Link::kSoftmax;
  if (transform == "NONE" && model.link != Link::kMean)
    model.note = place.file +
                 " has scores of classes that are not probabilities; what fernwood gives as such are the " +
                 (facts.is_binary ? "sigmoid" : "softmax") + " of them";
}

}  // namespace

SourceModel read_onnx(std::string_view bytes, const ErrorContext& place) {
  const OnnxModel file = read_onnx_model(bytes, place);
  const OnnxOperator& operation = find_ensemble(file, place);
  const EnsembleFacts facts = read_facts(operation, place);
  SourceModel model;
  model.version = file.producer;
  model.objective = std::string(operation.type) + " " + facts.post_transform;
  model.classes = facts.classes;
  model.trees_per_iteration = 0;
  (facts.is_classifier ? model.num_classes : model.num_targets) = facts.num_predicted;
  model.trees = read_ensemble(operation, facts, place);
  model.num_attributes = count_columns(file, model.trees);
  const std::size_t num_outputs = facts.is_binary ? 1 : facts.num_predicted;
  model.sums.is_single = !facts.is_double;
  model.is_wide = facts.is_double;
  model.sums.base.assign(num_outputs, 0.0);
  model.sums.bias = facts.base_values;
  if (facts.is_average) model.sums.divisor = static_cast<double>(std::max<std::size_t>(1, model.trees.size()));
  choose_link(facts, model, place);
  FW_CHECK(!has_operator(file, "Normalizer") || model.link == Link::kMean, Model,
           place.file << " has the operator Normalizer behind scores that are not averaged probabilities; convert the "
                      << "model of trees by itself");
  return model;
}

}  // namespace fernwood::records
