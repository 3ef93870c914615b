// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "records/import/source_model.h"

namespace fernwood::records {

namespace {

constexpr std::size_t kMostSplits = 24;  // CatBoost has 16 at most

/// What predictions are of the sums, which CatBoost calls RawFormulaVal.
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
                place.file + ": has the loss function " + name + "; those that can be imported are " +
                    join(kCatboostLosses, ", ", [](const CatboostLoss& known) { return known.name; }));
  return *found;
}

/// A column of numbers.
struct FloatFeature {
  std::uint32_t column = 0;
  bool nan_left = true;  ///< Unknown values are not above the border.
};

/// What trees ask.
struct CatboostFeatures {
  std::vector<FloatFeature> floats;
  std::vector<std::string> categories;  ///< Names of the features that are none of numbers, or their columns.
  std::vector<std::string> names;       ///< [column] Empty where the file has none.
};

/// A feature's column, with its name noted.
std::uint32_t read_column(const JsonField& feature, CatboostFeatures& features) {
  const auto column = static_cast<std::uint32_t>(feature.at("flat_feature_index").whole(0, kMostAttributes - 1));
  features.names.resize(std::max<std::size_t>(features.names.size(), column + 1));
  if (feature.has("feature_id")) features.names[column] = feature.at("feature_id").text();
  return column;
}

CatboostFeatures read_features(const JsonField& info) {
  CatboostFeatures features;
  if (info.has("float_features")) {
    const JsonField list = info.at("float_features");
    const std::size_t count = list.size(0, kMostAttributes);
    for (std::size_t i = 0; i < count; ++i) {
      const JsonField feature = list.at(i);
      const std::string& nan = feature.at("nan_value_treatment").text();
      if (nan != "AsIs" && nan != "AsFalse" && nan != "AsTrue")
        feature.at("nan_value_treatment").fail("AsIs, AsFalse or AsTrue");
      features.floats.push_back({read_column(feature, features), nan != "AsTrue"});
    }
  }
  for (const char* kind : {"categorical_features", "text_features", "embedding_features"}) {
    if (!info.has(kind)) continue;
    const std::size_t count = info.at(kind).size(0, kMostAttributes);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t column = read_column(info.at(kind).at(i), features);
      const std::string& name = features.names[column];
      features.categories.push_back(name.empty() ? "in column " + std::to_string(column) : name);
    }
  }
  return features;
}

/// Trees with their tests made ours: "value > border" leads right.
struct CatboostTrees {
  const ErrorContext& place;
  const CatboostFeatures& features;
  std::size_t width;  ///< Values of a leaf.

  void read_split(const JsonField& split, SourceNode& node) const {
    const std::string& kind = split.at("split_type").text();
    FW_CHECK(kind == "FloatFeature", Model,
             place.file << ": asks for categories, texts or embeddings (" << kind << "; the model has the features "
                        << join(features.categories)
                        << "), which forests over numbers cannot hold; encode them as numbers of their own (one-hot) "
                        << "and train again");
    const std::size_t index = split.at("float_feature_index").whole(0, kMostAttributes - 1);
    if (index >= features.floats.size()) split.at("float_feature_index").fail("a feature of features_info");
    const FloatFeature& feature = features.floats[index];
    node.attribute = feature.column;
    node.nan_left = feature.nan_left;
    node.test = up_to(split.at("border").number());
  }

  /// All tests of a level are the same: the file has them and 2^levels leaves, where bit i of a leaf's number says
  /// whether test i holds.
  SourceTree read_oblivious(const JsonField& field) const {
    const JsonField splits = field.at("splits");
    const std::size_t num_levels = splits.size(0, kMostSplits), num_leaves = std::size_t{1} << num_levels;
    const std::vector<double> values = field.at("leaf_values").numbers(num_leaves * width, num_leaves * width);
    SourceTree tree;
    tree.width = static_cast<std::uint32_t>(width);
    tree.nodes.resize(2 * num_leaves - 1);
    for (std::size_t level = 0; level < num_levels; ++level) {
      SourceNode test;
      read_split(splits.at(level), test);
      const std::size_t num_nodes = std::size_t{1} << level;
      for (std::size_t path = 0; path < num_nodes; ++path) {  // the answers to the tests above, as bits
        test.left = static_cast<std::int32_t>(2 * num_nodes - 1 + path);
        test.right = test.left + static_cast<std::int32_t>(num_nodes);
        tree.nodes[num_nodes - 1 + path] = test;
      }
    }
    for (std::size_t leaf = 0; leaf < num_leaves; ++leaf)
      tree.add_leaf(tree.nodes[num_leaves - 1 + leaf], &values[leaf * width]);
    add_covers(field, tree);
    return tree;
  }

  /// Weights of leaves, of which those above are sums. Children come after their parents.
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

  /// Trees of other policies than SymmetricTree have their nodes within each other; how deep, parse_json() limits.
  /// @return  The node's cover; negative: not known.
  double read_nested(const JsonField& field, std::size_t index, SourceTree& tree) const {
    double cover = field.has("weight") ? field.at("weight").number() : -1;
    if (field.has("split")) {
      const std::size_t left = tree.nodes.size();
      tree.nodes.resize(left + 2);
      read_split(field.at("split"), tree.nodes[index]);
      tree.nodes[index].left = static_cast<std::int32_t>(left);
      tree.nodes[index].right = static_cast<std::int32_t>(left + 1);
      const double of_left = read_nested(field.at("left"), left, tree);
      const double of_right = read_nested(field.at("right"), left + 1, tree);
      cover = of_left < 0 || of_right < 0 ? -1 : of_left + of_right;
    } else {
      const std::vector<double> values =
          width == 1 ? std::vector<double>{field.at("value").number()} : field.at("value").numbers(width, width);
      tree.add_leaf(tree.nodes[index], values.data());
    }
    return tree.nodes[index].cover = cover;
  }
};

/// The loss function's name; sums of models have it as a text of JSON.
std::string read_loss(const JsonField& info, const ErrorContext& place) {
  if (info.has("params")) return info.at("params").at("loss_function").at("type").text();
  const nlohmann::json document = parse_json(info.at("loss_function").text(), 4, "loss_function", place);
  return JsonField(document, "loss_function", place).at("type").text();
}

/// Of a text about how the library was built, "... tags/v1.2.10 ..."; empty where it says something else.
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
    const std::size_t count = names.size(0, kMostClasses);
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

/// Sums begin at 0 and are scaled and shifted in the end.
void read_scale(const JsonField& field, std::size_t num_outputs, SourceModel& model) {
  field.size(2, 2);
  model.sums.base.assign(num_outputs, 0.0);
  model.sums.scale = field.at(std::size_t{0}).number();
  const JsonField bias = field.at(1);  // versions before 0.26 have a number
  model.sums.bias = bias.is_array() ? bias.numbers(num_outputs, num_outputs) : std::vector(num_outputs, bias.number());
}

/// Values in a leaf, as the first tree has them.
std::size_t count_outputs(const JsonField& root, bool is_nested) {
  const JsonField trees = root.at(is_nested ? "trees" : "oblivious_trees");
  if (trees.size(0, kMostTrees) == 0) trees.fail("at least one tree");
  if (!is_nested) {
    const JsonField first = trees.at(std::size_t{0});
    return std::max<std::size_t>(
        1, first.at("leaf_values").size(1, kMostNodes) >> first.at("splits").size(0, kMostSplits));
  }
  JsonField node = trees.at(std::size_t{0});
  while (node.has("split")) node = node.at("left");
  return node.at("value").is_array() ? node.at("value").size(1, kMostClasses) : 1;
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
  if (loss.has_classes)
    model.num_classes = loss.link == Link::kLogistic ? 2 : num_outputs;
  else
    model.num_targets = num_outputs;
  read_names(info, loss.has_classes, model);
  read_scale(root.at("scale_and_bias"), num_outputs, model);
  const CatboostFeatures features = read_features(root.at("features_info"));
  model.num_attributes = features.names.size();
  const bool are_named = std::ranges::none_of(features.names, [](const std::string& name) { return name.empty(); });
  if (are_named) model.attributes = features.names;
  const JsonField trees = root.at(is_nested ? "trees" : "oblivious_trees");
  const std::size_t num_trees = trees.size(0, kMostTrees);
  const CatboostTrees reader{place, features, num_outputs};
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
  return model;
}

}  // namespace fernwood::records
