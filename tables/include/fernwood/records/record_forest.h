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

/// A view of records in memory, stored by rows (record after record) or by columns (attribute after attribute). It owns
/// nothing, so it can be passed to kernels. Unknown values are NaN.
struct RecordView {
  const float* data = nullptr;
  std::size_t num_records = 0;
  std::size_t num_attributes = 0;
  std::size_t record_step = 0;     ///< Floats from one record to the next; 1: stored by columns.
  std::size_t attribute_step = 1;  ///< Floats from one attribute to the next; 1: stored by rows.
  /// The values themselves for linear leaves, where `data` has their ranks (see WideForest); null: `data` has them.
  const double* exact = nullptr;
  std::ptrdiff_t exact_record_step = 0, exact_attribute_step = 0;

  FW_HD const float& at(std::size_t record, std::size_t attribute) const {
    return data[record * record_step + attribute * attribute_step];
  }
  /// A view of records begin ... begin + count - 1.
  FW_HD RecordView part(std::size_t begin, std::size_t count) const {
    RecordView part = *this;
    part.data += begin * record_step;
    part.num_records = count;
    if (exact) part.exact += static_cast<std::ptrdiff_t>(begin) * exact_record_step;
    return part;
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

inline constexpr std::size_t kMaxAttributes = 65536;  ///< Limit for all columns: a column's index has 16 bits.
inline constexpr std::size_t kMaxClasses = 65534;     ///< The same limit as for label images.

/// The reason why a table cannot refer to each attribute and class by its name, or empty: attributes of the same name,
/// a class named like an unknown value, or two classes named like the same number ("1" and "1.0"). Model files may
/// have such names.
std::string ambiguity_of(const std::vector<std::string>& attributes, const std::vector<std::string>& classes);
/// @throws Error(kData) for the first name that a model file cannot store, and for ambiguity_of(). Front ends also
/// check names on reading.
void check_names(const std::vector<std::string>& attributes, const std::vector<std::string>& classes);

/// A test of one column of a record, or a leaf. Model files store these 12 bytes unchanged.
struct RecordNode {
  float threshold = 0;          ///< Values up to it go left.
  std::int32_t child = -1;      ///< Inner node: index of the left child; the right one follows it. Leaf: ~leaf index.
  std::uint16_t attribute = 0;  ///< The column that is compared: an attribute, or a column after all attributes.
  std::uint16_t nan_left = 0;   ///< 1: an unknown value (NaN) goes left; 0: right.

  FW_HD bool is_leaf() const { return child < 0; }
  FW_HD std::int32_t leaf_index() const { return ~child; }
  bool operator==(const RecordNode&) const = default;
};
static_assert(sizeof(RecordNode) == 12);

/// The side of a test for a value: 0 left, 1 right. Unknown values (NaN) go left if nan_left is 1, else right.
FW_HD int side_with_nan(float value, float threshold, int nan_left) {
  return side(value, threshold) & ~(static_cast<int>(is_nan(value)) & nan_left);
}
FW_HD int side_of(const RecordNode& node, float value) { return side_with_nan(value, node.threshold, node.nan_left); }

/// A linear function that replaces a leaf's value if the record has all the values in its terms: constant +
/// coefficient * value + ..., added in this order, and each result rounded to 64 bits.
struct LinearLeaf {
  struct Term {
    std::uint16_t attribute = 0;  ///< Index in the record itself; column rules do not apply.
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
  /// [leaf][width] Summands for outputs first_output ... first_output + width - 1, in units of
  /// 2^-RecordForest::fraction_bits. Whole numbers, so that sums over trees do not depend on order or device. Empty in
  /// a forest without classes.
  Array2<std::int32_t> leaf_values;
  Array2<double> float_values;  ///< [leaf][width] Summands for FloatSums; empty in a forest without them.
  /// [leaf] Used instead of float_values if all values in its terms are known; only in trees of width 1. Empty: none.
  std::vector<LinearLeaf> linear_leaves;
  std::vector<double> covers;  ///< [node] Weight of the training records that reached it; empty: not known.
  /// [leaf] Its number in the library that trained the tree; empty: leaves are numbered by their index.
  std::vector<std::int32_t> leaf_numbers;
  /// [node] Thresholds for values of 64 bits, of which a node has the nearest float below; in all trees or none.
  std::vector<double> wide_thresholds;
  std::uint32_t first_output = 0;

  std::size_t num_leaves() const { return nodes.size() / 2 + 1; }
  /// Number of outputs to which a leaf adds.
  std::size_t width() const { return leaf_values.size() > 0 ? leaf_values.cols() : float_values.cols(); }
  /// Levels below the root.
  int depth() const;
  bool operator==(const RecordTree&) const = default;
};

/// The function from sums over trees to predictions. The first three are for forests with classes, kSigmoid for both
/// kinds, the others for forests that predict values.
enum class Link {
  kMean,          ///< One output per class: the average of the trees' class probabilities.
  kLogistic,      ///< One output: the log-odds of class 1 of two.
  kSoftmax,       ///< One output per class: logarithms of the probabilities up to a common summand.
  kIdentity,      ///< The sums themselves.
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

/// The rule that chooses a class from floating-point sums. The rules differ where classes are equally or almost equally
/// probable, since different sums may round to the same probability.
enum class ClassRule {
  kProbability,  ///< The first class with the highest probability: XGBoost, LightGBM, averaged forests.
  kSum,          ///< The first with the largest sum; kLogistic: class 1 if > 0. CatBoost, histogram boosting, AdaBoost.
  kSumFromZero   ///< Likewise, but kLogistic: class 1 if >= 0. scikit-learn's gradient boosting.
};
inline constexpr std::array kClassRules = {ClassRule::kProbability, ClassRule::kSum, ClassRule::kSumFromZero};
/// "probability", "sum", "sum_from_zero", as in model files.
std::string to_string(ClassRule rule);

/// Sums of leaf values in floating point: base + tree 0 + tree 1 ..., then / divisor, * scale, + bias. Computed in this
/// order, they equal those of the library that trained the trees, bit for bit.
struct FloatSums {
  bool is_single = false;         ///< Whether each result is rounded to 32 bits instead of 64.
  std::vector<double> base = {};  ///< [output]
  double divisor = 1, scale = 1;
  std::vector<double> bias = {};  ///< [output]; empty: 0.
  /// [iteration] The divisor for the trees up to this iteration; empty: it is proportional to the number of trees.
  std::vector<double> divisors = {};

  bool operator==(const FloatSums&) const = default;
};

/// A forest over attributes: everything that evaluation needs, and its provenance.
struct RecordForest {
  std::vector<std::string> classes;     ///< Names; empty: the forest predicts values.
  std::vector<std::string> targets;     ///< Names of the predicted values; empty in a forest with classes.
  std::vector<std::string> attributes;  ///< Names of a record's values, in their order; at least 1.
  ColumnRules columns;                  ///< Conversion of attributes to columns; empty: columns are attributes.
  Link link = Link::kMean;
  double slope = 1;  ///< Factor of floating-point sums in kLogistic, kSoftmax and kSigmoid.
  ClassRule class_rule = ClassRule::kProbability;  ///< For floating-point sums of a forest with classes.
  double class_threshold = 0;  ///< kLogistic, kSum: floating-point sums above it are class 1; `base` has it subtracted.
  int fraction_bits = 0;       ///< Leaf values and base are in units of 2^-fraction_bits.
  std::vector<std::int32_t> base;       ///< [output] Initial value of sums, in a forest with classes.
  std::optional<FloatSums> float_sums;  ///< Present in forests that predict values, and imported ones.
  float linear_zero = 0;                ///< Linear leaves replace values of at most this magnitude by 0.
  std::vector<RecordTree> trees;
  /// Trees that each iteration of boosting added; 1 in averaged forests; 0: not known.
  std::uint32_t trees_per_iteration = 1;
  std::string options_json = "{}";     ///< The training options, a JSON object.
  std::string provenance_json = "{}";  ///< Training data or imported model, a JSON object without time and host.

  /// Number of attributes, and of columns of sets and tables.
  std::size_t num_columns() const { return attributes.size() + columns.num_columns(); }
  bool has_classes() const { return !classes.empty(); }
  /// Whether leaves are linear functions. Whole-number sums then hold only for records with unknown values, so they
  /// do not decide any class.
  bool has_linear_leaves() const;
  /// Whether the library that trained it compares values of 64 bits; those of 32 bits need no WideForest.
  bool is_wide() const { return !trees.empty() && !trees[0].wide_thresholds.empty(); }
  /// Number of sums over trees.
  std::size_t num_outputs() const {
    return link == Link::kLogistic ? 1 : has_classes() ? classes.size() : targets.size();
  }
  /// Number of predicted numbers: a probability for each class, or a value for each target.
  std::size_t num_predicted() const { return has_classes() ? classes.size() : targets.size(); }
  bool operator==(const RecordForest&) const = default;
};

/// Checks all preconditions of evaluation: nodes in breadth-first order, each leaf once, attributes and outputs within
/// range, thresholds that are numbers, sums that fit into 32 bits.
/// @param place  Prefix of messages, such as a file's name. @throws Error(kModel).
void check_records(const RecordForest& forest, const std::string& place);

/// Number of iterations of boosting; in an averaged forest, the number of trees.
/// @throws Error(kUsage) if it is not known.
std::size_t num_iterations(const RecordForest& forest);

/// The forest of only the first iterations, with the sums of the original library for them.
/// @param count  At least 1. @throws Error(kUsage) if the forest has fewer.
RecordForest first_iterations(const RecordForest& forest, std::size_t count);

/// Computes the columns of records. @param columns  [num_columns][record], written.
void read_columns(const ColumnRules& rules, const RecordView& records, float* columns);

/// Index of the leaf that a record reaches.
/// @param value_of  value_of(column) returns the record's value; with column rules, the result of read_columns().
template <typename Nodes, typename ValueOf>
FW_HD std::int32_t find_leaf_of(const Nodes& nodes, const ValueOf& value_of) {
  for (std::int32_t index = 0;;) {
    const RecordNode& node = nodes[index];
    if (node.is_leaf()) return node.leaf_index();
    index = node.child + side_of(node, value_of(node.attribute));
  }
}

/// The class with the largest of the sums over trees, the first of equal ones; with Link::kLogistic, 1 if the sum is
/// above 0. @param sums  A pointer, or another type with sums[output].
template <typename Sums>
FW_HD std::int32_t choose_class(Link link, const Sums& sums, std::size_t num_outputs) {
  if (link == Link::kLogistic) return sums[0] > 0 ? 1 : 0;
  std::size_t best = 0;
  for (std::size_t k = 1; k < num_outputs; ++k)
    if (sums[k] > sums[best]) best = k;
  return static_cast<std::int32_t>(best);
}

/// Result for a record whose whole-number sums are too close to decide the class: with the original library's sums it
/// may be another one.
inline constexpr std::int32_t kUndecided = -1;

/// choose_class(), or kUndecided if the largest output exceeds another one by no more than `margin`; with
/// Link::kLogistic, if the sum's distance from 0 is no more than `margin`.
/// @param margin  0: always decides.
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

/// The margin for choose_class_surely(): twice the bound on the difference between whole-number sums and those of the
/// original library, in units of 2^-fraction_bits; 0 for forests without classes or without floating-point sums.
std::uint32_t deciding_margin(const RecordForest& forest);

/// The class of one record, equal to that of the original library: choose_class_surely() of sum_trees(), and if that
/// is kUndecided, class_from_sums() of sum_values().
/// @param record  [attributes]
std::int32_t classify_record(const RecordForest& forest, const float* record);

/// Adds the values of a leaf to the sums over trees, in a forest with classes. @param sums  [outputs]
void add_leaf(const RecordTree& tree, std::size_t leaf, std::int32_t* sums);

/// Number of tests (inner nodes) of all trees.
std::size_t num_tests(const RecordForest& forest);

/// Sums over the trees for one record: the reference for all evaluation strategies.
/// @param record  [attributes] @param sums  [outputs], written.
void sum_trees(const RecordForest& forest, const float* record, std::int32_t* sums);

/// Class probabilities from sums over trees. @param sums  [outputs] @param probabilities  [classes], written.
void probabilities_of(const RecordForest& forest, const std::int32_t* sums, float* probabilities);

/// Floating-point sums over the trees for one record, in the trees' order: the reference that all strategies match bit
/// for bit. @param forest  Has float_sums. @param record  [attributes] @param sums  [outputs], written.
void sum_values(const RecordForest& forest, const float* record, double* sums);

/// sum_values() of a record whose leaves are known. @param leaves  [tree]
/// @param record  Its attribute values, of 32 or 64 bits. @param step  Numbers from one attribute to the next.
template <typename Value>
void sum_leaves(const RecordForest& forest, const std::int32_t* leaves, const Value* record, std::ptrdiff_t step,
                double* sums);

/// The steps of FloatSums after the last tree: / divisor, * scale, + bias.
template <typename T>
FW_HD T finish_sum(T sum, T divisor, T scale, const T* bias) {
  if (divisor != T{1}) sum = sum / divisor;
  if (scale != T{1}) sum = sum * scale;
  return bias ? sum + *bias : sum;
}

/// Class probabilities or target values from floating-point sums.
/// @param sums  [outputs] @param predicted  [num_predicted()], written.
void predict_from_sums(const RecordForest& forest, const double* sums, double* predicted);

/// The class from floating-point sums, by the forest's class rule.
/// @param sums  [outputs] @param predicted  [classes] predict_from_sums(), written only with ClassRule::kProbability.
std::int32_t class_from_sums(const RecordForest& forest, const double* sums, double* predicted);

/// The largest number of fraction bits, at most 30, with which sums of magnitude up to `largest_sum` fit into 32 bits.
int fitting_fraction_bits(double largest_sum);

/// Converts weights to probabilities in units of 2^-fraction_bits whose sum is exactly 2^fraction_bits; the units lost
/// by rounding go to the largest remainders, the first of equal ones.
/// @param weights  [classes] Not negative. If all are 0, which another process may send, probabilities are equal.
/// @param fixed  [classes], written.
void to_fixed_point(const std::vector<double>& weights, int fraction_bits, std::int32_t* fixed);

/// Statistics of a forest over attributes.
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
  std::vector<AttributeUse> attributes;  ///< All, most used first; a test of another column counts for its attributes.
};

RecordSummary summarize(const RecordForest& forest);

/// [attribute] Share of an attribute in the decrease of impurity by its tests, which is averaged over trees (Breiman,
/// Random Forests, 2001): of Gini's impurity, or of the variance of targets.
/// @param forest  Grown by train_records(): it has covers, and leaves have shares of classes or means.
std::vector<double> importances(const RecordForest& forest);

}  // namespace fernwood::records
