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
  std::uint32_t attribute = 0;
  UpToTest test;              ///< What goes left.
  bool nan_left = false;      ///< NaN goes left.
  std::uint32_t leaf = 0;     ///< Row of the tree's leaf values.
  double wide_threshold = 0;  ///< Of LightGBM: records of 64 bits up to it go left.

  bool is_leaf() const { return left < 0; }
};

/// A tree as other libraries store it: node 0 is the root, the others are in any order.
struct SourceTree {
  std::vector<SourceNode> nodes;
  std::vector<double> leaf_values;  ///< [leaf][width]
  std::uint32_t first_output = 0, width = 1;

  void add_leaf(SourceNode& node, const double* values);
};

/// A classifier that another library trained.
struct SourceModel {
  std::vector<std::string> classes, attributes;  ///< Names; empty when the file has none.
  std::size_t num_classes = 0, num_attributes = 0;
  Link link = Link::kMean;
  std::vector<double> base;  ///< [output]
  std::vector<SourceTree> trees;
  std::string version;    ///< Of the library.
  std::string objective;  ///< In the library's words.
  std::string note;       ///< What was decided, for people; else empty.
};

/// Trees in breadth-first order and values in fixed point; names and texts are left empty.
/// @throws Error(kModel) for trees that are none, and values that are no numbers.
RecordForest to_record_forest(const SourceModel& model, const ErrorContext& place);

/// to_record_forest() with names, the user's or the model's own, and a note of where it came from.
/// @param model_checksum  Of what was imported.
RecordForest finish_import(const SourceModel& model, ModelSource source, std::uint64_t model_checksum,
                           const ImportOptions& options, const ErrorContext& place);

// One reader for each library that models come from; a source file each. Each throws Error(kModel).

/// What scripts/export_sklearn writes.
SourceModel read_sklearn(const JsonField& root, const ErrorContext& place);
/// XGBoost's JSON, of versions 1.7 to 3.
SourceModel read_xgboost(const JsonField& root, Rounds rounds, const ErrorContext& place);
/// Treelite's JSON, of version 4.
SourceModel read_treelite(const JsonField& root, const ErrorContext& place);
/// LightGBM's text, of format v3 or v4.
SourceModel read_lightgbm(std::string_view text, const ErrorContext& place);

inline constexpr const char* kSklearnFormat = "fernwood sklearn export";
inline constexpr std::size_t kMostTrees = 1u << 24;
inline constexpr std::size_t kMostNodes = 0x7fffffff;

/// A whole number from a list that JSON gave as numbers. @throws Error(kModel) when it is none of 32 bits.
std::int32_t whole_number(double value, const char* what, const ErrorContext& place);

}  // namespace fernwood::records
