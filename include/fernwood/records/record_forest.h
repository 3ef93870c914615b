// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/array.h"
#include "fernwood/records/column_rules.h"

namespace fernwood::records {

/// A view of records in memory, stored by rows (record after record) or by columns (attribute after attribute); owns
/// nothing, so kernels may take it. Unknown values are NaN.
struct RecordView {
  const float* data = nullptr;
  std::size_t num_records = 0;
  std::size_t num_attributes = 0;
  std::size_t record_step = 0;     ///< Floats from a record to the next; 1: stored by columns.
  std::size_t attribute_step = 1;  ///< Floats from an attribute to the next; 1: stored by rows.

  FW_HD const float& at(std::size_t record, std::size_t attribute) const {
    return data[record * record_step + attribute * attribute_step];
  }
  /// Records begin ... begin + count.
  FW_HD RecordView part(std::size_t begin, std::size_t count) const {
    return {data + begin * record_step, count, num_attributes, record_step, attribute_step};
  }
};

/// Records one after another: data[record][attribute].
FW_HD RecordView records_by_rows(const float* data, std::size_t num_records, std::size_t num_attributes) {
  return {data, num_records, num_attributes, num_attributes, 1};
}
/// Attributes one after another: data[attribute][record].
FW_HD RecordView records_by_columns(const float* data, std::size_t num_records, std::size_t num_attributes) {
  return {data, num_records, num_attributes, 1, num_records};
}

inline constexpr std::size_t kMostAttributes = 65536;  ///< With other columns: a column's index has 16 bits.
inline constexpr std::size_t kMostClasses = 65534;     ///< As of label images.

/// Why a model file cannot hold a name of a class or an attribute, such as "is not UTF-8"; empty when it can.
std::string name_problem(const std::string& name);
/// @throws Error(kData) for the first name that a model file cannot hold. Front ends check where names are read, too.
void check_names(const std::vector<std::string>& attributes, const std::vector<std::string>& classes);

/// A test of one attribute of a record, or the end of a path. 12 bytes, stored as they are in model files.
struct RecordNode {
  float threshold = 0;          ///< Values up to it go left.
  std::int32_t child = -1;      ///< Inner node: index of the left child, the right one follows it. Leaf: ~leaf index.
  std::uint16_t attribute = 0;  ///< Which column of the record is compared: an attribute or, behind these, another.
  std::uint16_t nan_left = 0;   ///< 1: an unknown value (NaN) goes left; 0: right.

  FW_HD bool is_leaf() const { return child < 0; }
  FW_HD std::int32_t leaf_index() const { return ~child; }
  bool operator==(const RecordNode&) const = default;
};
static_assert(sizeof(RecordNode) == 12);

/// Side of a test that a value falls on, 0 left, 1 right, where unknown values (NaN) go to the side that the test says.
FW_HD int side_with_nan(float value, float threshold, int nan_left) {
  return side(value, threshold) & ~(static_cast<int>(is_nan(value)) & nan_left);
}
FW_HD int side_of(const RecordNode& node, float value) { return side_with_nan(value, node.threshold, node.nan_left); }

/// What a leaf adds where the record knows all values that it asks: constant + coefficient * value + ..., in this order
/// and each rounded to 64 bits.
struct LinearLeaf {
  struct Term {
    std::uint16_t attribute = 0;  ///< Of the record, whatever column rules there are.
    double coefficient = 0;

    bool operator==(const Term&) const = default;
  };
  double constant = 0;
  std::vector<Term> terms = {};

  bool operator==(const LinearLeaf&) const = default;
};

/// A tree over attributes: nodes in breadth-first order, the root first; children come after their parent (Spencer,
/// Procedure 1).
struct RecordTree {
  std::vector<RecordNode> nodes;
  /// [leaf][width] What a leaf adds to outputs first_output ... first_output + width, in units of
  /// 2^-RecordForest::fraction_bits. Whole numbers, so that sums over trees depend on no order and no device. Empty in
  /// a forest without classes.
  Array2<std::int32_t> leaf_values;
  Array2<double> float_values;  ///< [leaf][width] The same for FloatSums; empty in a forest without them.
  /// [leaf] In place of float_values where all values asked are known, of a tree of one output; empty: never.
  std::vector<LinearLeaf> linear_leaves;
  std::vector<double> covers;  ///< [node] Weight of the training records that reached it; empty: not known.
  /// [leaf] What the library that trained the tree calls it; empty: leaves are called by their index.
  std::vector<std::int32_t> leaf_numbers;
  std::uint32_t first_output = 0;

  std::size_t num_leaves() const { return nodes.size() / 2 + 1; }
  /// Outputs that a leaf adds to.
  std::size_t width() const { return leaf_values.size() > 0 ? leaf_values.cols() : float_values.cols(); }
  /// Levels below the root.
  int depth() const;
  bool operator==(const RecordTree&) const = default;
};

/// How the sums over trees become what is predicted. The first three are of forests with classes, kSigmoid of both.
enum class Link {
  kMean,          ///< An output per class, of which each tree gives probabilities: they are averaged.
  kLogistic,      ///< One output, the log-odds of class 1 of two.
  kSoftmax,       ///< An output per class, logarithms of the probabilities up to a common summand.
  kIdentity,      ///< Values as they are.
  kExponential,   ///< e^x: Poisson, gamma and Tweedie regression, hazard ratios.
  kSigmoid,       ///< 1 / (1 + e^-x) of each output by itself: labels, cross entropy, one class against all others.
  kSoftplus,      ///< log(1 + e^x): LightGBM's cross_entropy_lambda.
  kSignedSquare,  ///< x |x|: LightGBM's reg_sqrt.
  kIsolation      ///< 2^-x: the anomaly score of path lengths (Liu, Ting, Zhou, ICDM 2008, equation 2).
};
inline constexpr std::array kLinks = {Link::kMean,     Link::kLogistic,     Link::kSoftmax,
                                      Link::kIdentity, Link::kExponential,  Link::kSigmoid,
                                      Link::kSoftplus, Link::kSignedSquare, Link::kIsolation};
/// "mean", "logistic", "softmax" ..., as in model files.
std::string to_string(Link link);

/// Which class floating-point sums mean. It matters where classes are as probable as each other, or nearly: different
/// sums may round to the same probability.
enum class ClassRule {
  kProbability,  ///< The first of the most probable: XGBoost, LightGBM, averaged forests.
  kSum,          ///< The first of the largest sums; of one sum class 1 above 0: CatBoost, histogram boosting, AdaBoost.
  kSumFromZero   ///< Likewise, and of one sum class 1 from 0 on: scikit-learn's gradient boosting.
};
inline constexpr std::array kClassRules = {ClassRule::kProbability, ClassRule::kSum, ClassRule::kSumFromZero};
/// "probability", "sum", "sum_from_zero", as in model files.
std::string to_string(ClassRule rule);

/// Sums of leaf values in floating point: base + tree 0 + tree 1 ..., then / divisor, * scale, + bias. Added in this
/// order, they have the bits of the library's sums that trained the trees.
struct FloatSums {
  bool is_single = false;         ///< Each result is rounded to 32 bits, else to 64.
  std::vector<double> base = {};  ///< [output]
  double divisor = 1, scale = 1;
  std::vector<double> bias = {};  ///< [output]; none: nothing is added.
  /// [iteration] The divisor of sums over the trees up to it, where it does not grow evenly up to `divisor`.
  std::vector<double> divisors = {};

  bool operator==(const FloatSums&) const = default;
};

/// Trees over attributes that were grown together: everything that evaluation needs, and where it came from.
struct RecordForest {
  std::vector<std::string> classes;     ///< Names; none: the forest predicts values.
  std::vector<std::string> targets;     ///< Names of the values that it predicts, where it has no classes.
  std::vector<std::string> attributes;  ///< Names, at least 1; a record has as many values, in this order.
  ColumnRules columns;                  ///< How records become what tests ask; empty: as they are.
  Link link = Link::kMean;
  double slope = 1;  ///< What kLogistic, kSoftmax and kSigmoid multiply floating-point sums by.
  ClassRule class_rule = ClassRule::kProbability;  ///< Of floating-point sums of a forest with classes.
  int fraction_bits = 0;                           ///< Leaf values and base are in units of 2^-fraction_bits.
  std::vector<std::int32_t> base;                  ///< [output] Where sums begin; of a forest with classes.
  std::optional<FloatSums> float_sums;             ///< Of forests that predict values, and of imported ones.
  float linear_zero = 0;  ///< Values of linear leaves whose magnitude is no larger are taken for 0.
  std::vector<RecordTree> trees;
  /// Trees that each iteration of boosting added, of forests that are averaged 1; 0: not known.
  std::uint32_t trees_per_iteration = 1;
  std::string options_json = "{}";     ///< The training options, a JSON object.
  std::string provenance_json = "{}";  ///< What it was trained on or imported from, a JSON object; no time, no host.

  /// Attributes, and the columns of sets and tables.
  std::size_t num_columns() const { return attributes.size() + columns.num_columns(); }
  bool has_classes() const { return !classes.empty(); }
  /// Whether leaves are linear functions; then the whole-number sums are those of records with unknown values, which
  /// leave all classes open.
  bool has_linear_leaves() const;
  std::size_t num_outputs() const {
    return link == Link::kLogistic ? 1 : has_classes() ? classes.size() : targets.size();
  }
  /// Numbers that are predicted: a probability for each class, or a value for each target.
  std::size_t num_predicted() const { return has_classes() ? classes.size() : targets.size(); }
  bool operator==(const RecordForest&) const = default;
};

/// Checks all that evaluation relies on: nodes in breadth-first order, each leaf once, attributes and outputs within
/// range, thresholds that are numbers, sums that fit into 32 bits.
/// @param place  What messages begin with, such as a file's name. @throws Error(kModel).
void check_records(const RecordForest& forest, const std::string& place);

/// Iterations of boosting that the trees are from, of forests that are averaged trees.
/// @throws Error(kUsage) when it is not known.
std::size_t num_iterations(const RecordForest& forest);

/// The forest of the first iterations only, whose sums are what the library gives for as many.
/// @param count  At least 1. @throws Error(kUsage) when there are not as many.
RecordForest first_iterations(const RecordForest& forest, std::size_t count);

/// The columns that tests ask, of each record. @param columns  [num_columns][record], written.
void read_columns(const ColumnRules& rules, const RecordView& records, float* columns);

/// Index of the leaf that a record ends in.
/// @param value_of  value_of(column) is the record's value, where there are column rules as read_columns() gives it.
template <typename Nodes, typename ValueOf>
FW_HD std::int32_t find_leaf_of(const Nodes& nodes, const ValueOf& value_of) {
  for (std::int32_t index = 0;;) {
    const RecordNode& node = nodes[index];
    if (node.is_leaf()) return node.leaf_index();
    index = node.child + side_of(node, value_of(node.attribute));
  }
}

/// The class of sums over trees: the largest output, the first of equals; with Link::kLogistic 1 above 0.
/// @param sums  sums[output]: a pointer, or the like.
template <typename Sums>
FW_HD std::int32_t choose_class(Link link, const Sums& sums, std::size_t num_outputs) {
  if (link == Link::kLogistic) return sums[0] > 0 ? 1 : 0;
  std::size_t best = 0;
  for (std::size_t k = 1; k < num_outputs; ++k)
    if (sums[k] > sums[best]) best = k;
  return static_cast<std::int32_t>(best);
}

/// A class that whole-number sums leave open: another library's sums may lie on either side.
inline constexpr std::int32_t kUndecided = -1;

/// choose_class(), or kUndecided where the largest output is no more than `margin` above another one; with
/// Link::kLogistic where the sum is no further from 0.
/// @param margin  0: all is decided.
template <typename Sums>
FW_HD std::int32_t choose_class_surely(Link link, const Sums& sums, std::size_t num_outputs, std::uint32_t margin) {
  const std::int32_t best = choose_class(link, sums, num_outputs);
  if (margin == 0) return best;
  if (link == Link::kLogistic) return std::uint32_t(sums[0] < 0 ? -sums[0] : sums[0]) <= margin ? kUndecided : best;
  for (std::size_t k = 0; k < num_outputs; ++k)
    if (k != static_cast<std::size_t>(best) && std::uint32_t(sums[best]) - std::uint32_t(sums[k]) <= margin)
      return kUndecided;
  return best;
}

/// How far whole-number sums and the library's may be apart, in units of the former and twice: of
/// choose_class_surely(); 0 of forests that have no others.
std::uint32_t deciding_margin(const RecordForest& forest);

/// The class of one record: choose_class() of sum_trees(), and where that is not sure by the class rule of
/// sum_values(): the class that the library gives.
/// @param record  [attributes]
std::int32_t classify_record(const RecordForest& forest, const float* record);

/// Adds what a leaf answers to the sums over trees of a forest with classes. @param sums  [outputs]
void add_leaf(const RecordTree& tree, std::size_t leaf, std::int32_t* sums);

/// Tests of all trees.
std::size_t num_tests(const RecordForest& forest);

/// Sums over the trees for one record: what every strategy of evaluation must agree with.
/// @param record  [attributes] @param sums  [outputs], written.
void sum_trees(const RecordForest& forest, const float* record, std::int32_t* sums);

/// Class probabilities from sums over trees. @param sums  [outputs] @param probabilities  [classes], written.
void probabilities_of(const RecordForest& forest, const std::int32_t* sums, float* probabilities);

/// Floating-point sums over the trees for one record, in their order: what every strategy must agree with bit for bit.
/// @param forest  Has float_sums. @param record  [attributes] @param sums  [outputs], written.
void sum_values(const RecordForest& forest, const float* record, double* sums);

/// sum_values() of a record whose leaves are known. @param leaves  [tree]
/// @param record  Its own values, of 32 or 64 bits. @param step  Numbers from an attribute to the next.
template <typename Value>
void sum_leaves(const RecordForest& forest, const std::int32_t* leaves, const Value* record, std::ptrdiff_t step,
                double* sums);

/// What follows the last tree: / divisor, * scale, + bias.
template <typename T>
FW_HD T finish_sum(T sum, T divisor, T scale, const T* bias) {
  if (divisor != T{1}) sum = sum / divisor;
  if (scale != T{1}) sum = sum * scale;
  return bias ? sum + *bias : sum;
}

/// What is predicted from floating-point sums: class probabilities or values.
/// @param sums  [outputs] @param predicted  [num_predicted()], written.
void predict_from_sums(const RecordForest& forest, const double* sums, double* predicted);

/// The class that floating-point sums mean by the forest's class rule.
/// @param sums  [outputs] @param predicted  [classes] predict_from_sums(), written where the rule asks for it.
std::int32_t class_from_sums(const RecordForest& forest, const double* sums, double* predicted);

/// Bits of fraction with which sums whose magnitude is at most `largest_sum` fit into 32 bits, at most 30.
int fitting_fraction_bits(double largest_sum);

/// Probabilities as whole numbers in units of 2^-fraction_bits whose sum is exactly 2^fraction_bits; what rounding
/// leaves goes to the largest remainders, the first of equals.
/// @param weights  [classes] not negative; where all are 0, as another process may claim, shares are equal. @param
/// fixed  [classes], written.
void to_fixed_point(const std::vector<double>& weights, int fraction_bits, std::int32_t* fixed);

/// A forest over attributes in numbers.
struct RecordSummary {
  struct TreeSummary {
    std::size_t nodes = 0, leaves = 0;
    int depth = 0;
  };
  struct AttributeUse {
    std::string name;
    std::uint64_t splits = 0;  ///< Over all trees.
  };
  std::vector<TreeSummary> trees;
  std::size_t num_nodes = 0, num_leaves = 0;  ///< Over all trees.
  int min_depth = 0, max_depth = 0;
  std::vector<AttributeUse> attributes;  ///< All of them, most used first; tests of other columns count for theirs.
};

RecordSummary summarize(const RecordForest& forest);

}  // namespace fernwood::records
