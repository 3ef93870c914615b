// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Models of other libraries as texts, and their imports.

#include <string>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/records/record_file.h"
#include "records/import/source_model.h"

namespace fernwood::records {

// Two trees: size < 1.5, or unknown, gives 0.25; else weight < 0 gives -0.5, else 0.125. The second is a leaf, 0.5.
inline const std::string kXgboostModel = R"({"learner":{"feature_names":["size","weight"],"gradient_booster":{"model":{
"gbtree_model_param":{"num_parallel_tree":"1","num_trees":"2"},"tree_info":[0,0],"trees":[
{"default_left":[1,0,0,0,0],"left_children":[1,-1,3,-1,-1],"right_children":[2,-1,4,-1,-1],
"split_conditions":[1.5E0,2.5E-1,0E0,-5E-1,1.25E-1],"split_indices":[0,0,1,0,0],"split_type":[0,0,0,0,0],
"tree_param":{"num_feature":"2","num_nodes":"5","size_leaf_vector":"1"}},
{"default_left":[false],"left_children":[-1],"right_children":[-1],"split_conditions":[5E-1],"split_indices":[0],
"split_type":[0],"tree_param":{"num_feature":"2","num_nodes":"1","size_leaf_vector":"0"}}]},"name":"gbtree"},
"learner_model_param":{"base_score":"5E-1","num_class":"0","num_feature":"2","num_target":"1"},
"objective":{"name":"binary:logistic"}},"version":[1,7,6]})";

// size <= 0.1, or unknown, leads to the test weight <= -2 (0.5, else 0.25); else -1. Missing values of weight count as
// 0. The second tree is a leaf of 0.125.
inline const std::string kLightgbmModel =
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=1\n"
    "objective=binary sigmoid:2\nfeature_names=size weight\nfeature_infos=[0:1] [0:1]\ntree_sizes=300 80\n\n"
    "Tree=0\nnum_leaves=3\nnum_cat=0\nsplit_feature=0 1\nsplit_gain=1 1\nthreshold=0.10000000000000001 -2\n"
    "decision_type=10 2\nleft_child=1 -1\nright_child=-2 -3\nleaf_value=0.5 -1 0.25\nis_linear=0\nshrinkage=1\n\n\n"
    "Tree=1\nnum_leaves=1\nnum_cat=0\nleaf_value=0.125\nis_linear=0\nshrinkage=1\n\n\nend of trees\n\n"
    "parameters:\n[boosting: gbdt]\nend of parameters\n";

// One test: 0.5 if it holds, else 0.25.
inline const std::string kTreeliteModel = R"({"threshold_type":"float64","num_feature":2,"task_type":"kBinaryClf",
"average_tree_output":false,"num_target":1,"num_class":[1],"leaf_vector_shape":[1,1],"target_id":[0],"class_id":[0],
"postprocessor":"sigmoid","sigmoid_alpha":2.0,"base_scores":[1.0],"trees":[{"num_nodes":3,"nodes":[
{"node_id":0,"split_feature_id":1,"default_left":true,"node_type":"numerical_test_node","comparison_op":"<=",
"threshold":3.0,"left_child":1,"right_child":2},{"node_id":1,"leaf_value":0.5},{"node_id":2,"leaf_value":0.25}]}]})";

// Trees of two levels and of one. Bit 0 of a leaf's number is size > 0.5 (false if unknown), bit 1 is weight > -1 (true
// if unknown). Sums are scaled by 2 and shifted by 0.25.
inline const std::string kCatboostModel = R"({"features_info":{"float_features":[{"borders":[0.5],"feature_id":"size",
"feature_index":0,"flat_feature_index":0,"has_nans":true,"nan_value_treatment":"AsFalse"},{"borders":[-1],
"feature_id":"weight","feature_index":1,"flat_feature_index":1,"has_nans":true,"nan_value_treatment":"AsTrue"}]},
"model_info":{"catboost_version_info":"Git info: tags/v1.2.10 ","params":{"loss_function":{"type":"RMSE",
"params":{}}}},"oblivious_trees":[{"leaf_values":[1,2,4,8],"leaf_weights":[3,1,2,4],"splits":[{"border":0.5,
"float_feature_index":0,"split_index":0,"split_type":"FloatFeature"},{"border":-1,"float_feature_index":1,
"split_index":1,"split_type":"FloatFeature"}]},{"leaf_values":[0.125,0.0625],"leaf_weights":[5,5],"splits":[{
"border":-1,"float_feature_index":1,"split_index":1,"split_type":"FloatFeature"}]}],"scale_and_bias":[2,[0.25]]})";

/// Key of a category in CatBoost's tables, optionally combined with the results of tests.
inline std::string catboost_key(const std::string& category, const std::vector<bool>& answers = {}) {
  std::uint64_t key = extend_key(0, {}, value_of_category(category_of_text(category)));
  for (const bool answer : answers) key = extend_key(key, {.kind = KeyKind::kIsAbove}, answer ? 1.0f : 0.0f);
  return "\"" + std::to_string(key) + "\"";
}

/// A model of a number (size) and two categories. The first tree tests whether the colour is red (bit 0), and whether
/// the target statistic of the city exceeds 6 (bit 1): 7 for Ulm, 4 for Aue, else 5. The second tree tests whether the
/// frequency of the city, combined with red and with size > 0.5, exceeds 3: 3.4 for Ulm with larger sizes, not red,
/// else 2.
inline std::string catboost_categories() {
  const std::string city = R"({"cat_feature_index":1,"combination_element":"cat_feature_value"})",
                    red = std::to_string(static_cast<std::int32_t>(category_of_text("red"))),
                    all = "[{\"cat_feature_index\":0,\"combination_element\":\"cat_feature_exact_value\",\"value\":" +
                          red + "}," + city +
                          R"(,{"border":0.5,"combination_element":"float_feature","float_feature_index":0}])";
  return R"({"ctr_data":{"share":{"counter_denominator":0,"hash_map":[)" + catboost_key("Ulm") +
         R"(,1,3,"18446744073709551615",9,9,)" + catboost_key("Aue") +
         R"(,3,1],"hash_stride":3},"often":{"counter_denominator":9,"hash_map":[)" +
         catboost_key("Ulm", {true, false}) + R"(,7],"hash_stride":2}},
"features_info":{"categorical_features":[{"feature_id":"colour","feature_index":0,"flat_feature_index":0,"values":[)" +
         red + R"(]},{"feature_id":"city","feature_index":1,"flat_feature_index":2}],
"ctrs":[{"borders":[6],"ctr_type":"Borders","elements":[)" +
         city + R"(],"identifier":"share","prior_denomerator":1,
"prior_numerator":0.5,"scale":10,"shift":0,"target_border_idx":0},{"borders":[3],"ctr_type":"Counter","elements":)" +
         all + R"(,"identifier":"often","prior_denomerator":1,"prior_numerator":0,"scale":2,"shift":1,
"target_border_idx":0}],"float_features":[{"borders":[0.5],"feature_id":"size","feature_index":0,"flat_feature_index":1,
"has_nans":true,"nan_value_treatment":"AsTrue"}]},"model_info":{"params":{"loss_function":{"type":"RMSE","params":{}}}},
"oblivious_trees":[{"leaf_values":[1,2,4,8],"splits":[{"cat_feature_index":0,"split_index":1,
"split_type":"OneHotFeature","value":)" +
         red + R"(},{"border":6,"ctr_target_border_idx":0,"split_index":2,
"split_type":"OnlineCtr"}]},{"leaf_values":[0.125,0.0625],"splits":[{"border":3,"ctr_target_border_idx":0,
"split_index":3,"split_type":"OnlineCtr"}]}],"scale_and_bias":[1,[0]]})";
}

inline RecordForest import_text(const std::string& text, const ImportOptions& options = {}) {
  return import_text_of(text, "model", options);
}

/// Message of the error when a text is rejected as a model; "" when it is imported.
inline std::string import_refusal(const std::string& text, const ImportOptions& options = {}) {
  try {
    import_text(text, options);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kModel ? error.what() : std::string("another kind: ") + error.what();
  }
  return "";
}

/// The text with one part replaced.
inline std::string with(std::string text, const std::string& part, const std::string& replacement) {
  const std::size_t at = text.find(part);
  return at == text.npos ? "there is no " + part : text.replace(at, part.size(), replacement);
}

/// Leaves 0 to 2: 1 + 2 weight; -1; 0.25 + 1e-17 size + 4 size - weight, where rounding loses the second term.
inline const std::string kLightgbmLinear = with(kLightgbmModel, "0.25\nis_linear=0\n",
                                                "0.25\nis_linear=1\nleaf_const=1 -1 0.25\nnum_features=1 0 3\n"
                                                "leaf_features=1    0 0 1  \nleaf_coeff=2    1e-17 4 -1  \n");

/// Sums over the trees for one record, converted to the library's units.
inline std::vector<double> sums_of(const RecordForest& forest, const std::vector<float>& record) {
  std::vector<std::int32_t> sums(forest.num_outputs());
  sum_trees(forest, record.data(), sums.data());
  std::vector<double> result;
  for (const std::int32_t sum : sums) result.push_back(sum / static_cast<double>(1u << forest.fraction_bits));
  return result;
}

/// Floating-point sums over the trees for one record.
inline std::vector<double> float_sums_of(const RecordForest& forest, const std::vector<float>& record) {
  std::vector<double> sums(forest.num_outputs());
  sum_values(forest, record.data(), sums.data());
  return sums;
}

/// Prediction for one record.
inline std::vector<double> predicted_of(const RecordForest& forest, const std::vector<float>& record) {
  std::vector<double> predicted(forest.num_predicted());
  predict_from_sums(forest, float_sums_of(forest, record).data(), predicted.data());
  return predicted;
}

}  // namespace fernwood::records
