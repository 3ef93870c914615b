// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

namespace fernwood::records {

// The code of the headers that write_cpp() writes, for records of 32 bits.

inline constexpr const char* kTypes = R"(
namespace detail {

/// An inner node: records with a value up to the threshold continue at node `child`, others at `child + 1`; unknown values
/// (NaN) continue at `child` if nan_left is 1. In a leaf, ~child is the index of its values.
struct Node {
  float threshold;
  std::int32_t child;
  std::uint16_t attribute;
  std::uint16_t nan_left;
};

/// Each leaf of the tree adds `width` values to the sums, beginning at sum `first_output`.
struct Tree {
  std::int32_t root, first_output, width;
};

)";

/// Written only if the forest has column rules.
inline constexpr const char* kRuleTypes = R"(
/// Values of an attribute from low to high mean "unknown".
struct Missing {
  int attribute;
  float low, high;
};

/// A set of categories. A value's category is its whole part; bit c of the words is set if category c is in the set.
struct Set {
  int attribute;
  float first;  // smaller values are negative
  bool negative_in, large_in, unknown_in;  // whether negative, too large and unknown values are in the set
  bool is_whole, is_exact;  // a value with a fraction counts as unknown, or as negative
  std::uint32_t first_word, num_words;
};
)";

inline constexpr const char* kRuleReader = R"(
/// The value of an attribute; NaN if it is unknown.
inline float attribute_of(const float* record, int attribute) {
  const float value = record[attribute];
  bool unknown = false;
  for (const Missing& each : missing)
    unknown = unknown || (each.attribute == attribute && each.low <= value && value <= each.high);
  return unknown ? std::nanf("") : value;
}

inline bool is_in(const Set& set, float value) {
  if (value != value) return set.unknown_in;
  if (value < set.first) return set.negative_in;
  if (set.is_exact && std::trunc(value) != value) return set.negative_in;
  if (set.is_whole && std::trunc(value) != value) return set.unknown_in;
  if (value >= static_cast<float>(64.0 * set.num_words)) return set.large_in;
  const std::uint32_t category = static_cast<std::uint32_t>(value > 0 ? value : 0);
  return ((words[set.first_word + category / 64] >> (category % 64)) & 1) != 0;
}

/// The value that a node compares. Columns from num_attributes on belong to sets: 0 if the set contains the value, else 1.
inline float column_of(const float* record, int column) {
  if (column < num_attributes) return attribute_of(record, column);
  const Set& set = sets[column - num_attributes];
  return is_in(set, attribute_of(record, set.attribute)) ? 0.0f : 1.0f;
}
)";

inline constexpr const char* kPlainReader = R"(
inline float column_of(const float* record, int attribute) { return record[attribute]; }
)";

inline constexpr const char* kSums = R"(
}  // namespace detail

/// Adds up the leaf values of all trees, in the order of the trees. For classes the sums are integers in units of `unit`.
/// @param record  [num_attributes] Unknown values are NaN. @param sums  [num_outputs], written.
inline void sum_trees(const float* record, sum_type* sums) {
  for (int k = 0; k < num_outputs; ++k) sums[k] = detail::base[k];
  for (const detail::Tree& tree : detail::trees) {
    std::int32_t index = tree.root;
    while (detail::nodes[index].child >= 0) {
      const detail::Node& node = detail::nodes[index];
      const float value = detail::column_of(record, node.attribute);
      const bool left = value <= node.threshold || (node.nan_left != 0 && value != value);
      index = node.child + (left ? 0 : 1);
    }
    const sum_type* values = detail::values + ~detail::nodes[index].child;
    for (std::int32_t k = 0; k < tree.width; ++k) sums[tree.first_output + k] += values[k];
  }
)";

inline constexpr const char* kLogistic = R"(
/// The class of a record, an index of `classes`. @param record  [num_attributes] Unknown values are NaN.
inline int classify(const float* record) {
  std::int32_t sums[num_outputs];
  sum_trees(record, sums);
  return sums[0] > 0 ? 1 : 0;
}

/// @param probabilities  [num_classes], written.
inline void classify(const float* record, float* probabilities) {
  std::int32_t sums[num_outputs];
  sum_trees(record, sums);
  probabilities[1] = static_cast<float>(1.0 / (1.0 + std::exp(-sums[0] * unit)));
  probabilities[0] = 1.0f - probabilities[1];
}
)";

inline constexpr const char* kLargest = R"(
/// The class of a record, an index of `classes`: the one with the largest sum, the first of equal ones.
/// @param record  [num_attributes] Unknown values are NaN.
inline int classify(const float* record) {
  std::int32_t sums[num_outputs];
  sum_trees(record, sums);
  int best = 0;
  for (int k = 1; k < num_outputs; ++k)
    if (sums[k] > sums[best]) best = k;
  return best;
}

/// @param probabilities  [num_classes], written.
inline void classify(const float* record, float* probabilities) {
  std::int32_t sums[num_outputs];
  sum_trees(record, sums);
)";
inline constexpr const char* kSigmoids = R"(  for (int c = 0; c < num_classes; ++c)
    probabilities[c] = static_cast<float>(1.0 / (1.0 + std::exp(-sums[c] * unit)));
}
)";
inline constexpr const char* kWeights = "  double weights[num_classes], total = 0;\n";
inline constexpr const char* kMeanWeights = "  for (int c = 0; c < num_classes; ++c) weights[c] = sums[c];\n";
inline constexpr const char* kSoftmaxWeights = R"(  std::int32_t largest = sums[0];
  for (int c = 1; c < num_classes; ++c) largest = sums[c] > largest ? sums[c] : largest;
  for (int c = 0; c < num_classes; ++c) weights[c] = std::exp((static_cast<double>(sums[c]) - largest) * unit);
)";
inline constexpr const char* kShares = R"(  for (int c = 0; c < num_classes; ++c) total += weights[c];
  for (int c = 0; c < num_classes; ++c)
    probabilities[c] = static_cast<float>(total > 0 ? weights[c] / total : 1.0 / num_classes);
}
)";

inline constexpr const char* kPredict = R"(
/// Predicts the targets of a record. @param record  [num_attributes] Unknown values are NaN. @param predicted  [num_targets], written.
inline void predict(const float* record, sum_type* predicted) {
  sum_type sums[num_outputs];
  sum_trees(record, sums);
  for (int k = 0; k < num_targets; ++k) {
    const sum_type sum = sums[k];
    predicted[k] = )";

}  // namespace fernwood::records
