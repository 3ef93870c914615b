// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_field.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/records/tree_arrays.h"

namespace fernwood::records {

/// "value <= threshold", or with `swapped` its opposite for every number; NaN fulfils neither.
struct UpToTest {
  float threshold = 0;
  bool swapped = false;
};
/// The test of a float that "value <= threshold" of double precision amounts to. @param threshold  No NaN.
UpToTest up_to(double threshold);
/// Likewise "value < threshold".
UpToTest below(double threshold);

/// A node as other libraries store it.
struct SourceNode {
  std::int32_t left = -1, right = -1;  ///< Nodes; negative in a leaf.
  std::uint32_t attribute = 0;         ///< Behind the attributes, a column of SourceModel::tables.
  UpToTest test;                       ///< What goes left.
  bool nan_left = false;               ///< NaN goes left.
  std::uint32_t leaf = 0;              ///< Row of the tree's leaf values.
  double cover = -1;                   ///< Weight of the training records that reached it; negative: not known.
  double wide_threshold = 0;           ///< Of LightGBM: records of 64 bits up to it go left.
  std::int32_t set = -1;  ///< Of SourceTree::sets: what is in it goes left, else right if `swapped`; none: negative.

  bool is_leaf() const { return left < 0; }
  bool asks_set() const { return set >= 0; }
};

/// A tree as other libraries store it: node 0 is the root, the others are in any order.
struct SourceTree {
  std::vector<SourceNode> nodes;
  std::vector<double> leaf_values;        ///< [leaf][width]
  std::vector<LinearLeaf> linear_leaves;  ///< [leaf] As of RecordTree.
  std::uint32_t first_output = 0, width = 1;
  std::vector<CategorySet> sets;

  void add_leaf(SourceNode& node, const double* values);
  /// Makes a node ask a set. @param swapped  What is in it goes right.
  void ask_set(SourceNode& node, CategorySet set, bool swapped = false);
};

/// What a library calls a leaf by.
enum class LeafNumbers {
  kUnknown,
  kNodes,  ///< Its place in SourceTree::nodes.
  kRows    ///< SourceNode::leaf.
};

/// Trees that another library trained.
struct SourceModel {
  std::vector<std::string> classes, targets, attributes;  ///< Names; empty when the file has none.
  std::size_t num_classes = 0;                            ///< 0: it predicts values.
  std::size_t num_targets = 0, num_attributes = 0;
  Link link = Link::kMean;
  double slope = 1;
  ClassRule class_rule = ClassRule::kProbability;
  FloatSums sums;         ///< As the library adds up.
  float linear_zero = 0;  ///< As of RecordForest.
  std::vector<SourceTree> trees;
  LeafNumbers leaf_numbers = LeafNumbers::kUnknown;
  std::uint32_t trees_per_iteration = 1;  ///< As of RecordForest.
  std::vector<MissingValues> missing;     ///< As of ColumnRules,
  std::vector<std::uint16_t> text_attributes;
  std::vector<CategoryTable> tables;
  std::string version;    ///< Of the library.
  std::string objective;  ///< In the library's words.
  std::string note;       ///< What was decided, for people; else empty.
};

/// Trees in breadth-first order, values as they are and, of classifiers, in fixed point, too; names and texts are left
/// empty.
/// @throws Error(kModel) for trees that are none, and values that are no numbers.
RecordForest to_record_forest(const SourceModel& model, const ErrorContext& place);

/// to_record_forest() with names, the user's or the model's own, and a note of where it came from.
/// @param model_checksum  Of what was imported.
RecordForest finish_import(const SourceModel& model, ModelSource source, std::uint64_t model_checksum,
                           const ImportOptions& options, const ErrorContext& place);

/// Of trees in memory, with the words of messages about them. @throws Error(kModel) for arrays that are no trees.
SourceModel to_source_model(const ForestArrays& arrays, const ErrorContext& place);
ErrorContext importing_arrays(const std::string& name);
/// Of what the trees ask and answer.
std::uint64_t checksum_of(const SourceModel& model);

// One reader for each library that models come from; a source file each. Each throws Error(kModel).

/// XGBoost's JSON or UBJSON, of versions 1.7 to 3.
SourceModel read_xgboost(const JsonField& root, Rounds rounds, const ErrorContext& place);
/// Treelite's JSON, of version 4.
SourceModel read_treelite(const JsonField& root, const ErrorContext& place);
/// CatBoost's JSON, of trees over numbers and categories.
SourceModel read_catboost(const JsonField& root, const ErrorContext& place);
/// An ONNX file with one operator of trees.
SourceModel read_onnx(std::string_view bytes, const ErrorContext& place);
/// LightGBM's text, of format v3 or v4.
SourceModel read_lightgbm(std::string_view text, const ErrorContext& place);

inline constexpr std::size_t kMostTrees = 1u << 24;
/// Categories that single tests of a file may name: a set has as many bits, so that a small file could ask for any
/// memory.
inline constexpr std::size_t kMostNamedCategories = 1u << 16;
inline constexpr std::size_t kMostNodes = 0x7fffffff;

/// Parses Universal Binary JSON, as XGBoost writes it. @throws Error(kModel) when it is none, is nested deeper than
/// `max_depth`, or claims more values than it has bytes.
nlohmann::json parse_ubjson(std::string_view bytes, int max_depth, const ErrorContext& place);

/// A whole number from a list that JSON gave as numbers. @throws Error(kModel) when it is none of 32 bits.
std::int32_t whole_number(double value, const char* what, const ErrorContext& place);

}  // namespace fernwood::records
