// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/json_text.h"
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
    field.fail("an integer up to " + std::to_string(max));
  return static_cast<std::size_t>(value);
}

/// Meaning of base_score in the file.
enum class BaseScore {
  kMargin,       ///< A summand.
  kProbability,  ///< Sums begin at its log-odds,
  kMean          ///< or at its logarithm.
};

/// How predictions follow from the sums, which XGBoost calls margins.
struct XgboostObjective {
  const char* name;
  Link link;
  BaseScore base_score = BaseScore::kMargin;
  ClassRule class_rule = ClassRule::kProbability;
};
constexpr XgboostObjective kXgboostObjectives[] = {
    {"binary:logistic", Link::kLogistic, BaseScore::kProbability},
    {"binary:logitraw", Link::kLogistic},
    {"binary:hinge", Link::kLogistic, BaseScore::kMargin, ClassRule::kSum},
    {"multi:softprob", Link::kSoftmax},
    {"multi:softmax", Link::kSoftmax},
    {"reg:squarederror", Link::kIdentity},
    {"reg:squaredlogerror", Link::kIdentity},
    {"reg:absoluteerror", Link::kIdentity},
    {"reg:pseudohubererror", Link::kIdentity},
    {"reg:quantileerror", Link::kIdentity},
    {"reg:expectileerror", Link::kIdentity},
    {"reg:logistic", Link::kSigmoid, BaseScore::kProbability},
    {"count:poisson", Link::kExponential, BaseScore::kMean},
    {"reg:gamma", Link::kExponential, BaseScore::kMean},
    {"reg:tweedie", Link::kExponential, BaseScore::kMean},
    {"survival:cox", Link::kExponential, BaseScore::kMean},
    {"survival:aft", Link::kExponential, BaseScore::kMean},
    {"rank:ndcg", Link::kIdentity},
    {"rank:map", Link::kIdentity},
    {"rank:pairwise", Link::kIdentity}};

const XgboostObjective& find_objective(const std::string& name, const ErrorContext& place) {
  const auto* found = std::ranges::find(kXgboostObjectives, name, &XgboostObjective::name);
  if (found == std::end(kXgboostObjectives))
    throw Error(ErrorKind::kModel,
                place.file + " has the objective " + name + "; those that can be imported are " +
                    join(kXgboostObjectives, ", ", [](const XgboostObjective& known) { return known.name; }));
  return *found;
}

/// Parses a text of JSON: "5E-1", or since version 3.1 "[5E-1]" with a number for each output.
std::vector<double> base_scores(const JsonField& field, const ErrorContext& place) {
  const nlohmann::json document = parse_json(field.text(), 1, "base_score", place);
  const JsonField scores(document, "base_score", place);
  return document.is_array() ? scores.numbers(1, kMaxClasses) : std::vector<double>{scores.number()};
}

/// Start of the sums, in 32 bits as XGBoost computes it.
double margin_of(double base_score, BaseScore kind, const ErrorContext& place) {
  const auto score = static_cast<float>(base_score);
  if (kind == BaseScore::kMargin) return score;
  const bool is_probability = kind == BaseScore::kProbability;
  FW_CHECK(score > 0 && (score < 1 || !is_probability), Model,
           place.file << " has the base_score " << score << ", as it was trained on records of one class, or on "
                      << "targets that are all 0, for which its sums are not defined; train with "
                      << (is_probability ? "two classes" : "targets above 0"));
  return is_probability ? -std::log(1.0f / score - 1.0f) : std::log(score);
}

std::vector<double> read_base(const JsonField& field, BaseScore kind, std::size_t num_outputs,
                              const ErrorContext& place) {
  std::vector<double> base = base_scores(field, place);
  for (double& score : base) score = margin_of(score, kind, place);
  if (base.size() == 1) base.assign(num_outputs, base[0]);
  if (base.size() != num_outputs) field.fail("one number or one for each output");
  return base;
}

/// Names for several quantiles: "quantile 0.1"; otherwise empty.
std::vector<std::string> quantile_names(const JsonField& objective, const ErrorContext& place) {
  if (!objective.has("quantile_loss_param")) return {};
  const JsonField field = objective.at("quantile_loss_param").at("quantile_alpha");
  const nlohmann::json document = parse_json(field.text(), 1, "quantile_alpha", place);
  if (!document.is_array()) return {};
  std::vector<std::string> names;
  for (const nlohmann::json& quantile : document) names.push_back("quantile " + json_text(quantile));
  return names;
}

void read_objective(const JsonField& learner, SourceModel& model, const ErrorContext& place) {
  model.objective = learner.at("objective").at("name").text();
  const XgboostObjective& objective = find_objective(model.objective, place);
  const JsonField parameters = learner.at("learner_model_param");
  // Files before version 1.6 lack this field, and 0 stands for 1.
  model.num_targets =
      parameters.has("num_target") ? std::max<std::size_t>(1, count_in(parameters.at("num_target"), kMaxClasses)) : 1;
  model.link = objective.link;
  std::size_t num_outputs = model.num_targets;
  if (objective.link == Link::kLogistic && model.num_targets > 1) {  // labels, each with its own probability
    model.link = objective.base_score == BaseScore::kProbability ? Link::kSigmoid : Link::kIdentity;
  } else if (objective.link == Link::kLogistic) {
    model.num_classes = 2;
    model.class_rule = objective.class_rule;
  } else if (objective.link == Link::kSoftmax) {
    model.num_classes = num_outputs = count_in(parameters.at("num_class"), kMaxClasses);
    if (model.num_classes < 1) parameters.at("num_class").fail("at least 1");
  }
  if (model.num_classes == 0) model.targets = quantile_names(learner.at("objective"), place);
  FW_CHECK(model.objective != "binary:hinge" || num_outputs == 1, Model,
           place.file << " predicts " << num_outputs << " labels by binary:hinge; train a model for each label");
  FW_CHECK(model.objective != "reg:expectileerror" || num_outputs == 1, Model,
           place.file << " predicts " << num_outputs << " expectiles, each but the first as a distance from the one "
                      << "before, which no link of fernwood is; train a model for each expectile");
  model.num_attributes = count_in(parameters.at("num_feature"), kMaxNodes);
  check_attribute_count(model.num_attributes, place);
  model.sums.is_single = true;
  model.sums.base = read_base(parameters.at("base_score"), objective.base_score, num_outputs, place);
}

/// Leaf values of a tree. Version 2.0 introduced vectors in leaves as base_weights[node][output]; since 3.2 leaves have
/// their own rows, leaf_weights[row][output], and store the row in place of a right child.
struct XgboostLeaves {
  std::uint32_t width = 1;
  std::vector<double> values;
  bool has_rows = false;

  XgboostLeaves(const JsonField& tree, std::size_t num_nodes, std::size_t num_outputs) {
    const JsonField parameters = tree.at("tree_param");
    const std::size_t size =
        parameters.has("size_leaf_vector") ? count_in(parameters.at("size_leaf_vector"), kMaxClasses) : 1;
    if (size <= 1) return;
    if (size != num_outputs) parameters.at("size_leaf_vector").fail("1 or the number of outputs");
    width = static_cast<std::uint32_t>(size);
    has_rows = tree.has("leaf_weights");
    values = tree.at(has_rows ? "leaf_weights" : "base_weights").numbers(size, size * num_nodes);
  }

  const double* row(std::int64_t row, const ErrorContext& place) const {
    FW_CHECK(row >= 0 && (static_cast<std::size_t>(row) + 1) * width <= values.size(), Model,
             place.file << " has a leaf with the values " << row << ", but values of " << values.size() / width
                        << " leaves" << place.remedy);
    return values.data() + static_cast<std::size_t>(row) * width;
  }
};

/// [node] The categories that go right; all other values, including those that are not categories, go left.
std::vector<CategorySet> read_sets(const JsonField& tree, std::size_t num_nodes, const ErrorContext& place) {
  const std::vector<double> categories = tree.at("categories").numbers(0, kMaxNodes);
  const std::vector<double> nodes = tree.at("categories_nodes").numbers(0, num_nodes);
  const std::vector<double> firsts = tree.at("categories_segments").numbers(nodes.size(), nodes.size());
  const std::vector<double> sizes = tree.at("categories_sizes").numbers(nodes.size(), nodes.size());
  const double total = static_cast<double>(categories.size());
  std::vector<CategorySet> sets(num_nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    FW_CHECK(nodes[i] >= 0 && nodes[i] < static_cast<double>(num_nodes) && firsts[i] >= 0 && sizes[i] >= 0 &&
                 firsts[i] + sizes[i] <= total,
             Model,
             place.file << ": node " << nodes[i] << " has the categories from " << firsts[i] << " on, " << sizes[i]
                        << " of " << total << place.remedy);
    CategorySet& set = sets[static_cast<std::size_t>(nodes[i])];
    const auto first = static_cast<std::size_t>(firsts[i]), size = static_cast<std::size_t>(sizes[i]);
    for (std::size_t k = first; k < first + size; ++k) {
      FW_CHECK(categories[k] >= 0 && categories[k] < static_cast<double>(kMaxCategories), Model,
               place.file << " has the category " << categories[k] << "; 0 to " << kMaxCategories - 1 << " are possible"
                          << place.remedy);
      set.add(static_cast<std::uint32_t>(categories[k]));
    }
  }
  return sets;
}

/// @param scale  Weight of the tree.
SourceTree read_tree(const JsonField& field, double scale, std::size_t num_outputs, const ErrorContext& place) {
  const std::vector<double> left = field.at("left_children").numbers(1, kMaxNodes);
  const std::size_t num_nodes = left.size();
  const XgboostLeaves leaves(field, num_nodes, num_outputs);
  const std::vector<double> right = field.at("right_children").numbers(num_nodes, num_nodes);
  const std::vector<double> attribute = field.at("split_indices").numbers(num_nodes, num_nodes);
  const std::vector<double> condition = field.at("split_conditions").numbers(num_nodes, num_nodes);
  const std::vector<bool> default_left = field.at("default_left").flags(num_nodes);
  const std::vector<double> covers =
      field.has("sum_hessian") ? field.at("sum_hessian").numbers(num_nodes, num_nodes) : std::vector<double>();
  const std::vector<double> type =
      field.has("split_type") ? field.at("split_type").numbers(0, num_nodes) : std::vector<double>();
  const bool has_sets = std::ranges::any_of(type, [](double t) { return t != 0; });
  const std::vector<CategorySet> sets = has_sets ? read_sets(field, num_nodes, place) : std::vector<CategorySet>();
  SourceTree tree;
  tree.width = leaves.width;
  std::vector<double> values(leaves.width);
  for (std::size_t i = 0; i < num_nodes; ++i) {
    SourceNode& node = tree.nodes.emplace_back();
    node.left = whole_number(left[i], "a child", place);
    if (!covers.empty()) node.cover = covers[i];
    if (node.is_leaf()) {
      const double* row = &condition[i];
      if (leaves.width > 1)
        row = leaves.row(leaves.has_rows ? whole_number(right[i], "a leaf's row", place) : static_cast<int>(i), place);
      std::transform(row, row + leaves.width, values.begin(),
                     [&](double value) { return static_cast<float>(scale) * static_cast<float>(value); });
      tree.add_leaf(node, values.data());
      continue;
    }
    node.right = whole_number(right[i], "a child", place);
    node.attribute = static_cast<std::uint32_t>(whole_number(attribute[i], "a feature", place));
    if (has_sets && i < type.size() && type[i] != 0) {
      CategorySet set = sets[i];
      set.bounds.unknown_in = !default_left[i];
      tree.ask_set(node, std::move(set), true);
      continue;
    }
    // XGBoost compares records of 32 bits with thresholds of 32 bits.
    node.test = below(static_cast<float>(condition[i]));
    node.nan_left = default_left[i];
  }
  return tree;
}

/// [round] Index of its first tree, and finally the number of trees. Files before version 2.0 lack this.
std::vector<std::size_t> round_offsets(const JsonField& forest, std::size_t num_trees, const SourceModel& model) {
  std::vector<std::size_t> firsts;
  if (forest.has("iteration_indptr")) {
    for (const double first : forest.at("iteration_indptr").numbers(1, num_trees + 1))
      firsts.push_back(static_cast<std::size_t>(std::clamp(first, 0.0, static_cast<double>(num_trees))));
    return firsts;
  }
  const JsonField parameters = forest.at("gbtree_model_param");
  const std::size_t parallel =
      parameters.has("num_parallel_tree") ? count_in(parameters.at("num_parallel_tree"), kMaxTrees) : 1;
  const std::size_t step = std::max<std::size_t>(1, parallel) * model.sums.base.size();
  for (std::size_t first = 0; first <= num_trees; first += step) firsts.push_back(first);
  return firsts;
}

/// Number of trees in each round; 0: rounds differ.
std::uint32_t trees_of_each(const std::vector<std::size_t>& firsts, std::size_t num_trees) {
  if (firsts.size() < 2) return num_trees == 0 ? 1 : 0;
  const std::size_t step = firsts[1] - firsts[0];
  for (std::size_t round = 0; round < firsts.size(); ++round)
    if (firsts[round] != round * step) return 0;
  return firsts.back() == num_trees ? static_cast<std::uint32_t>(step) : 0;
}

/// Number of trees to import: those up to the best iteration, if `rounds` or the model's own predict() stops there.
/// @param firsts  From round_offsets().
std::size_t count_taken(const JsonField& learner, const std::vector<std::size_t>& firsts, std::size_t num_trees,
                        Rounds rounds, SourceModel& model, const ErrorContext& place) {
  if (!learner.has("attributes") || !learner.at("attributes").has("best_iteration")) return num_trees;
  const JsonField attributes = learner.at("attributes");
  const std::size_t best = count_in(attributes.at("best_iteration"), kMaxTrees);
  const std::size_t num_rounds = firsts.size() - 1;
  if (best + 1 >= num_rounds) return num_trees;
  const bool stops = rounds == Rounds::kBest || (rounds == Rounds::kAuto && attributes.has("scikit_learn"));
  model.note = place.file + ": " + (stops ? "the first " + std::to_string(best + 1) + " of " : "all ") +
               std::to_string(num_rounds) + " rounds are taken, as " +
               (stops ? "predict() of XGBoost's estimators" : "Booster.predict") +
               " does; training stopped early, with the best iteration " + std::to_string(best) +
               (rounds == Rounds::kAuto
                    ? "; " + named_option("rounds", stops ? "all" : "best").on_command_line() + " takes the others"
                    : "");
  return stops ? firsts[best + 1] : num_trees;
}

}  // namespace

SourceModel read_xgboost(const JsonField& root, Rounds rounds, const ErrorContext& place) {
  SourceModel model;
  const JsonField learner = root.at("learner"), booster = learner.at("gradient_booster");
  const std::string& kind = booster.at("name").text();
  FW_CHECK(kind == "gbtree" || kind == "dart", Model,
           place.file << " has the booster " << kind << ", which has no trees; train with gbtree or dart");
  model.version = join(root.at("version").numbers(3, 3), ".",
                       [&](double part) { return std::to_string(whole_number(part, "a version", place)); });
  read_objective(learner, model, place);
  if (learner.has("feature_names")) model.attributes = learner.at("feature_names").texts(0, kMaxAttributes);
  const JsonField forest = kind == "dart" ? booster.at("gbtree").at("model") : booster.at("model");
  const JsonField trees = forest.at("trees");
  const std::size_t num_trees = trees.size(0, kMaxTrees);
  // Of dropout; version 3.3 has it in a gbtree, too, and 3.4 in its model.
  const JsonField& dropout = forest.has("weight_drop") ? forest : booster;
  const std::vector<double> weights = dropout.has("weight_drop")
                                          ? dropout.at("weight_drop").numbers(num_trees, num_trees)
                                          : std::vector<double>(num_trees, 1.0);
  const JsonField outputs = forest.at("tree_info");
  outputs.size(num_trees, num_trees);
  const std::vector<std::size_t> firsts = round_offsets(forest, num_trees, model);
  const std::size_t num_taken = count_taken(learner, firsts, num_trees, rounds, model, place);
  model.leaf_numbers = LeafNumbers::kNodes;
  model.trees_per_iteration = trees_of_each(firsts, num_trees);
  for (std::size_t t = 0; t < num_taken; ++t) {
    SourceTree& tree = model.trees.emplace_back(read_tree(trees.at(t), weights[t], model.sums.base.size(), place));
    tree.first_output = static_cast<std::uint32_t>(outputs.at(t).whole(0, model.sums.base.size() - tree.width));
  }
  return model;
}

}  // namespace fernwood::records
