// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "records/import/catboost_features.h"

namespace fernwood::records {

namespace {

constexpr std::size_t kMaxSplits = 24;  // CatBoost has 16 at most

/// How predictions follow from the sums, which CatBoost calls RawFormulaVal.
struct CatboostLoss {
  const char* name;
  Link link = Link::kIdentity;
  bool has_classes = false;
};
constexpr CatboostLoss kCatboostLosses[] = {{"Logloss", Link::kLogistic, true},
                                            {"CrossEntropy", Link::kLogistic, true},
                                            {"Focal", Link::kLogistic, true},
                                            {"MultiClass", Link::kSoftmax, true},
                                            {"MultiClassOneVsAll", Link::kSigmoid, true},
                                            {"MultiLogloss", Link::kSigmoid},
                                            {"MultiCrossEntropy", Link::kSigmoid},
                                            {"Poisson", Link::kExponential},
                                            {"Tweedie", Link::kExponential},
                                            {"RMSE"},
                                            {"MultiRMSE"},
                                            {"MultiRMSEWithMissingValues"},
                                            {"MAE"},
                                            {"MAPE"},
                                            {"Quantile"},
                                            {"MultiQuantile"},
                                            {"GroupQuantile"},
                                            {"LogLinQuantile"},
                                            {"Expectile"},
                                            {"Huber"},
                                            {"LogCosh"},
                                            {"Lq"},
                                            {"Cox"},
                                            {"SurvivalAft"},
                                            {"QueryRMSE"},
                                            {"QuerySoftMax"},
                                            {"QueryCrossEntropy"},
                                            {"PairLogit"},
                                            {"PairLogitPairwise"},
                                            {"YetiRank"},
                                            {"YetiRankPairwise"},
                                            {"LambdaMart"},
                                            {"StochasticRank"},
                                            {"StochasticFilter"}};

const CatboostLoss& find_loss(const std::string& name, const ErrorContext& place) {
  const auto* found = std::ranges::find(kCatboostLosses, name, &CatboostLoss::name);
  if (found == std::end(kCatboostLosses))
    throw Error(ErrorKind::kModel,
                place.file + " has the loss function " + name + "; those that can be imported are " +
                    join(kCatboostLosses, ", ", [](const CatboostLoss& known) { return known.name; }));
  return *found;
}

/// Number of levels of a tree; CatBoost writes null for none.
std::size_t count_levels(const JsonField& splits) { return splits.is_null() ? 0 : splits.size(0, kMaxSplits); }

/// Reads trees and converts their tests: "value > border" leads right.
struct CatboostTrees {
  const CatboostFeatures& features;
  std::size_t width;  ///< Number of values in a leaf.

  /// All tests of a level are the same: the file has one for each level and 2^levels leaves; bit i of a leaf's number
  /// is the outcome of test i. CatBoost's SHAP values are those of the last test at the root.
  SourceTree read_oblivious(const JsonField& field) const {
    const JsonField splits = field.at("splits");
    const std::size_t num_levels = count_levels(splits), num_leaves = std::size_t{1} << num_levels;
    const std::vector<double> values = field.at("leaf_values").numbers(num_leaves * width, num_leaves * width);
    SourceTree tree;
    tree.width = static_cast<std::uint32_t>(width);
    tree.nodes.resize(2 * num_leaves - 1);
    for (std::size_t level = 0; level < num_levels; ++level) {
      SourceNode test;
      features.read_split(splits.at(num_levels - 1 - level), test);
      const std::size_t num_nodes = std::size_t{1} << level;
      for (std::size_t i = num_nodes - 1; i < 2 * num_nodes - 1; ++i) {  // in heap order
        test.left = static_cast<std::int32_t>(2 * i + 1);
        test.right = test.left + 1;
        tree.nodes[i] = test;
      }
    }
    for (std::size_t leaf = 0; leaf < num_leaves; ++leaf)
      tree.add_leaf(tree.nodes[num_leaves - 1 + leaf], &values[leaf * width]);
    add_covers(field, tree);
    return tree;
  }

  /// Sets the weights of leaves, and of inner nodes as sums of these. Children come after their parents.
  static void add_covers(const JsonField& field, SourceTree& tree) {
    const std::size_t num_leaves = (tree.nodes.size() + 1) / 2;
    if (!field.has("leaf_weights") || field.at("leaf_weights").size(0, num_leaves) == 0) return;
    const std::vector<double> weights = field.at("leaf_weights").numbers(num_leaves, num_leaves);
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
      SourceNode& node = tree.nodes[i];
      node.cover = node.is_leaf() ? weights[node.leaf]
                                  : tree.nodes[static_cast<std::size_t>(node.left)].cover +
                                        tree.nodes[static_cast<std::size_t>(node.right)].cover;
    }
  }

  /// Reads trees of other policies than SymmetricTree, whose nodes are nested; parse_json() limits the depth.
  /// @return  The node's cover; negative: unknown.
  double read_nested(const JsonField& field, std::size_t index, SourceTree& tree) const {
    double cover = field.has("weight") ? field.at("weight").number() : -1;
    if (field.has("split")) {
      const std::size_t left = tree.nodes.size();
      tree.nodes.resize(left + 2);
      features.read_split(field.at("split"), tree.nodes[index]);
      tree.nodes[index].left = static_cast<std::int32_t>(left);
      tree.nodes[index].right = static_cast<std::int32_t>(left + 1);
      // CatBoost numbers leaves in this order, but a leaf on the right before the leaves of a subtree on the left.
      const JsonField of_left = field.at("left"), of_right = field.at("right");
      const bool right_first = of_left.has("split") && !of_right.has("split");
      double left_cover = -1, right_cover = -1;
      if (right_first) right_cover = read_nested(of_right, left + 1, tree);
      left_cover = read_nested(of_left, left, tree);
      if (!right_first) right_cover = read_nested(of_right, left + 1, tree);
      cover = left_cover < 0 || right_cover < 0 ? -1 : left_cover + right_cover;
    } else {
      const std::vector<double> values =
          width == 1 ? std::vector<double>{field.at("value").number()} : field.at("value").numbers(width, width);
      tree.add_leaf(tree.nodes[index], values.data());
    }
    return tree.nodes[index].cover = cover;
  }
};

/// The loss function's name; files of summed models have it as a text of JSON.
std::string read_loss(const JsonField& info, const ErrorContext& place) {
  if (info.has("params")) return info.at("params").at("loss_function").at("type").text();
  const nlohmann::json document = parse_json(info.at("loss_function").text(), 4, "loss_function", place);
  return JsonField(document, "loss_function", place).at("type").text();
}

/// The version in a text about the library's build, "... tags/v1.2.10 ..."; empty if the text has another form.
std::string read_version(const JsonField& info) {
  constexpr std::string_view kBefore = "tags/v";
  if (!info.has("catboost_version_info")) return {};
  const std::string& text = info.at("catboost_version_info").text();
  const std::size_t at = text.find(kBefore);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kBefore.size();
  return text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
}

/// Names of classes, which may be numbers, or of quantiles.
void read_names(const JsonField& info, bool has_classes, SourceModel& model) {
  if (has_classes && info.has("class_params") && info.at("class_params").has("class_names")) {
    const JsonField names = info.at("class_params").at("class_names");
    const std::size_t count = names.size(0, kMaxClasses);
    for (std::size_t c = 0; c < count; ++c) model.classes.push_back(names.at(c).text_or_number());
  }
  if (model.objective != "MultiQuantile") return;
  const std::string alpha = info.at("params").at("loss_function").at("params").at("alpha").text();
  for (std::size_t begin = 0; begin < alpha.size();) {
    const std::size_t end = std::min(alpha.find(',', begin), alpha.size());
    model.targets.push_back("quantile " + alpha.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// Whether the training options have statistics of one type with several ranges of the target.
bool have_several_borders(const nlohmann::json& ctrs) {
  std::map<std::string, nlohmann::json> binarization_of;
  for (const nlohmann::json& ctr : ctrs) {
    if (!ctr.is_object() || !ctr.contains("ctr_type") || !ctr.contains("target_binarization")) continue;
    const auto [known, is_new] = binarization_of.emplace(json_text(ctr["ctr_type"]), ctr["target_binarization"]);
    if (!is_new && known->second != ctr["target_binarization"]) return true;
  }
  return false;
}

/// The file identifies tables of statistics by their features only, not by the target or its ranges that they count.
void check_statistics(const CatboostFeatures& features, const SourceModel& model, const JsonField& info,
                      const ErrorContext& place) {
  if (!features.has_shared_statistics()) return;
  bool has_several = model.num_targets > 1 && model.objective != "MultiQuantile";
  if (info.has("params") && info.at("params").has("cat_feature_params")) {
    const nlohmann::json options = nlohmann::json::parse(info.at("params").at("cat_feature_params").object());
    for (const char* key : {"simple_ctrs", "combinations_ctrs"})
      has_several |= options.contains(key) && have_several_borders(options[key]);
    if (options.contains("per_feature_ctrs"))
      for (const nlohmann::json& of_feature : options["per_feature_ctrs"])
        has_several |= have_several_borders(of_feature);
  }
  FW_CHECK(!has_several, Model,
           place.file << " has statistics of categories for several targets or numbers of target borders, which "
                      << "CatBoost's JSON does not tell apart; train with simple_ctr and combinations_ctr of one "
                      << "TargetBorderCount, or of Counter, or with a larger one_hot_max_size");
}

/// The sum above which set_probability_threshold() decides for class 1, as CatBoost computes it.
double read_class_threshold(const JsonField& info, const ErrorContext& place) {
  constexpr const char* kName = "binclass_probability_threshold";
  if (!info.has(kName)) return 0;
  const nlohmann::json document = parse_json(info.at(kName).text(), 1, kName, place);
  const double share = JsonField(document, kName, place).number();
  if (!(share > 0 && share < 1)) info.at(kName).fail("a probability above 0 and below 1");
  return -std::log(1 / share - 1);
}

/// Sums begin at 0; they are scaled and shifted at the end.
void read_scale(const JsonField& field, std::size_t num_outputs, SourceModel& model) {
  field.size(2, 2);
  model.sums.base.assign(num_outputs, 0.0);
  model.sums.scale = field.at(std::size_t{0}).number();
  const JsonField bias = field.at(1);  // versions before 0.26 have a number
  model.sums.bias = bias.is_array() ? bias.numbers(num_outputs, num_outputs) : std::vector(num_outputs, bias.number());
}

/// Number of values in a leaf, from the first tree.
std::size_t count_outputs(const JsonField& root, bool is_nested) {
  const JsonField trees = root.at(is_nested ? "trees" : "oblivious_trees");
  if (trees.size(0, kMaxTrees) == 0) trees.fail("at least one tree");
  if (!is_nested) {
    const JsonField first = trees.at(std::size_t{0});
    return std::max<std::size_t>(1, first.at("leaf_values").size(1, kMaxNodes) >> count_levels(first.at("splits")));
  }
  JsonField node = trees.at(std::size_t{0});
  while (node.has("split")) node = node.at("left");
  return node.at("value").is_array() ? node.at("value").size(1, kMaxClasses) : 1;
}

}  // namespace

SourceModel read_catboost(const JsonField& root, const ErrorContext& place) {
  SourceModel model;
  const JsonField info = root.at("model_info");
  model.version = read_version(info);
  model.objective = read_loss(info, place);
  const CatboostLoss& loss = find_loss(model.objective, place);
  const bool is_nested = root.has("trees");
  const std::size_t num_outputs = count_outputs(root, is_nested);
  model.link = loss.link;
  if (loss.link == Link::kLogistic && num_outputs != 1)
    root.at("scale_and_bias").fail("of one output with the loss " + model.objective);
  if (loss.has_classes) model.class_rule = ClassRule::kSum;
  if (loss.has_classes)
    model.num_classes = loss.link == Link::kLogistic ? 2 : num_outputs;
  else
    model.num_targets = num_outputs;
  if (loss.link == Link::kLogistic) model.class_threshold = read_class_threshold(info, place);
  read_names(info, loss.has_classes, model);
  read_scale(root.at("scale_and_bias"), num_outputs, model);
  CatboostFeatures features(root, place);
  check_statistics(features, model, info, place);
  model.leaf_numbers = LeafNumbers::kRows;
  model.num_attributes = features.names().size();
  const bool are_named = std::ranges::none_of(features.names(), [](const std::string& name) { return name.empty(); });
  if (are_named) model.attributes = features.names();
  const JsonField trees = root.at(is_nested ? "trees" : "oblivious_trees");
  const std::size_t num_trees = trees.size(0, kMaxTrees);
  const CatboostTrees reader{features, num_outputs};
  for (std::size_t t = 0; t < num_trees; ++t) {
    if (!is_nested) {
      model.trees.push_back(reader.read_oblivious(trees.at(t)));
      continue;
    }
    SourceTree tree;
    tree.width = static_cast<std::uint32_t>(num_outputs);
    tree.nodes.resize(1);
    reader.read_nested(trees.at(t), 0, tree);
    model.trees.push_back(std::move(tree));
  }
  features.move_tables_to(model);
  return model;
}

}  // namespace fernwood::records
