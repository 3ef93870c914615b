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

/// "value <= threshold", or with `swapped` its opposite for every number; neither holds for NaN.
struct UpToTest {
  float threshold = 0;
  bool swapped = false;
  double wide = 0;  ///< The threshold for values of 64 bits.
};
/// The test of a float that is equivalent to "value <= threshold" in double precision. @param threshold  Not NaN.
UpToTest up_to(double threshold);
/// The same for "value < threshold".
UpToTest below(double threshold);

/// A node as stored by other libraries.
struct SourceNode {
  std::int32_t left = -1, right = -1;  ///< Indices of nodes; negative in a leaf.
  std::uint32_t attribute = 0;         ///< Indices after the attributes are columns of SourceModel::tables.
  UpToTest test;                       ///< Condition for going left.
  bool nan_left = false;               ///< NaN goes left.
  std::uint32_t leaf = 0;              ///< Row of the tree's leaf values.
  double cover = -1;                   ///< Weight of the training records that reached it; negative: unknown.
  std::int32_t set = -1;  ///< Index in SourceTree::sets; negative: none. Members go left, or right if `swapped`.

  bool is_leaf() const { return left < 0; }
  bool asks_set() const { return set >= 0; }
};

/// A tree as stored by other libraries: node 0 is the root, the others are in any order.
struct SourceTree {
  std::vector<SourceNode> nodes;
  std::vector<double> leaf_values;        ///< [leaf][width]
  std::vector<LinearLeaf> linear_leaves;  ///< [leaf] As in RecordTree.
  std::uint32_t first_output = 0, width = 1;
  std::vector<CategorySet> sets;

  void add_leaf(SourceNode& node, const double* values);
  /// Sets the test of a node to membership in a set. @param swapped  Members go right.
  void ask_set(SourceNode& node, CategorySet set, bool swapped = false);
};

/// The number by which a library identifies a leaf.
enum class LeafNumbers {
  kUnknown,
  kNodes,  ///< Its index in SourceTree::nodes.
  kRows    ///< SourceNode::leaf.
};

/// Trees trained by another library.
struct SourceModel {
  std::vector<std::string> classes, targets, attributes;  ///< Names; empty when the file has none.
  std::size_t num_classes = 0;                            ///< 0: it predicts values.
  std::size_t num_targets = 0, num_attributes = 0;
  Link link = Link::kMean;
  double slope = 1, class_threshold = 0;
  ClassRule class_rule = ClassRule::kProbability;
  FloatSums sums;         ///< How the library adds values.
  float linear_zero = 0;  ///< As in RecordForest.
  bool is_wide = false;   ///< The library compares values of 64 bits.
  std::vector<SourceTree> trees;
  LeafNumbers leaf_numbers = LeafNumbers::kUnknown;
  std::uint32_t trees_per_iteration = 1;  ///< As in RecordForest.
  std::vector<MissingValues> missing;     ///< As in ColumnRules, like the next two.
  std::vector<std::uint16_t> text_attributes;
  std::vector<CategoryTable> tables;
  std::string version;    ///< Of the library.
  std::string objective;  ///< The library's name for it.
  std::string note;       ///< Decisions of the import, for users; otherwise empty.
};

/// Converts trees to breadth-first order, with unchanged values and, for classifiers, also values in fixed point; names
/// and texts are left empty.
/// @throws Error(kModel) for invalid trees, and values that are not numbers.
RecordForest to_record_forest(const SourceModel& model, const ErrorContext& place);

/// to_record_forest() with names, the user's or the model's own, and a note of its origin.
/// @param model_checksum  Of the imported data.
RecordForest finish_import(const SourceModel& model, ModelSource source, std::uint64_t model_checksum,
                           const ImportOptions& options, const ErrorContext& place);

/// A model from trees in memory, and the context of messages. @throws Error(kModel) for arrays that are not trees.
SourceModel to_source_model(const ForestArrays& arrays, const ErrorContext& place);
ErrorContext importing_arrays(const std::string& name);
/// Checksum of the tests and leaves of the trees.
std::uint64_t checksum_of(const SourceModel& model);

// One reader for each library, each in a source file of its own. All throw Error(kModel).

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

inline constexpr std::size_t kMaxTrees = 1u << 24;
/// Limit on the categories in a single test of a file: a set has this many bits, so that a small file could otherwise
/// require unlimited memory.
inline constexpr std::size_t kMaxNamedCategories = 1u << 16;
inline constexpr std::size_t kMaxNodes = 0x7fffffff;

/// Parses Universal Binary JSON, as written by XGBoost. @throws Error(kModel) when it is invalid, is nested deeper than
/// `max_depth`, or claims more values than it has bytes.
nlohmann::json parse_ubjson(std::string_view bytes, int max_depth, const ErrorContext& place);

/// @throws Error(kModel) for more attributes than a RecordForest can have.
void check_attribute_count(std::size_t count, const ErrorContext& place);

/// Converts a number of JSON to a whole number. @throws Error(kModel) when it is not a whole number of 32 bits.
std::int32_t whole_number(double value, const char* what, const ErrorContext& place);

}  // namespace fernwood::records
