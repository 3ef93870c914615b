// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Sums over trees, and the classes, probabilities and values derived from them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fernwood/records/record_forest.h"

namespace fernwood::records {

void add_leaf(const RecordTree& tree, std::size_t leaf, std::int32_t* sums) {
  for (std::size_t k = 0; k < tree.leaf_values.cols(); ++k) sums[tree.first_output + k] += tree.leaf_values(leaf, k);
}

namespace {

/// The columns of one record, as tests read them.
class ColumnsOfRecord {
 public:
  ColumnsOfRecord(const RecordForest& forest, const float* record) : columns_(record) {
    if (forest.columns.empty()) return;
    read_.resize(forest.num_columns());
    read_columns(forest.columns, records_by_rows(record, 1, forest.attributes.size()), read_.data());
    columns_ = read_.data();
  }
  ColumnsOfRecord(const ColumnsOfRecord&) = delete;
  ColumnsOfRecord& operator=(const ColumnsOfRecord&) = delete;

  float operator()(std::uint16_t column) const { return columns_[column]; }

 private:
  std::vector<float> read_;
  const float* columns_;
};

}  // namespace

void sum_trees(const RecordForest& forest, const float* record, std::int32_t* sums) {
  std::ranges::copy(forest.base, sums);
  const ColumnsOfRecord value_of(forest, record);
  for (const RecordTree& tree : forest.trees)
    add_leaf(tree, static_cast<std::size_t>(find_leaf_of(tree.nodes, value_of)), sums);
}

namespace {

/// Value of a linear leaf. @param value_of  The record's value of an attribute. @param otherwise  Returned where a
/// value is unknown.
template <typename ValueOf>
double linear_value(const LinearLeaf& leaf, const ValueOf& value_of, double zero, double otherwise) {
  double sum = leaf.constant;
  for (const LinearLeaf::Term& term : leaf.terms) {
    const double value = value_of(term.attribute);
    if (std::isnan(value)) return otherwise;
    sum += term.coefficient * (std::fabs(value) <= zero ? 0.0 : value);
  }
  return sum;
}

/// Rounds after each operation, as sums of type T do.
/// @param leaf_of  The leaf of a tree. @param value_of  The record's value of an attribute.
template <typename T, typename LeafOf, typename ValueOf>
void sum_values_as(const RecordForest& forest, const LeafOf& leaf_of, const ValueOf& value_of, double* sums) {
  const FloatSums& rule = *forest.float_sums;
  std::ranges::copy(rule.base, sums);
  for (std::size_t t = 0; t < forest.trees.size(); ++t) {
    const RecordTree& tree = forest.trees[t];
    const auto leaf = static_cast<std::size_t>(leaf_of(t));
    const double* values = tree.float_values.row(leaf);
    const bool is_linear = !tree.linear_leaves.empty();
    for (std::size_t k = 0; k < tree.float_values.cols(); ++k) {
      double& sum = sums[tree.first_output + k];
      const double value =
          is_linear ? linear_value(tree.linear_leaves[leaf], value_of, forest.linear_zero, values[k]) : values[k];
      sum = static_cast<T>(sum) + static_cast<T>(value);
    }
  }
  for (std::size_t k = 0; k < forest.num_outputs(); ++k) {
    const T bias = rule.bias.empty() ? T{} : static_cast<T>(rule.bias[k]);
    sums[k] = finish_sum(static_cast<T>(sums[k]), static_cast<T>(rule.divisor), static_cast<T>(rule.scale),
                         rule.bias.empty() ? nullptr : &bias);
  }
}

template <typename T>
T sigmoid(T x) {
  return T{1} / (T{1} + std::exp(-x));
}

/// The largest sum is subtracted first, to avoid overflow; exponentials are added in 64 bits, in their order.
template <typename T>
void softmax(const double* sums, std::size_t count, T slope, double* predicted) {
  const T largest = slope * static_cast<T>(*std::max_element(sums, sums + count));
  double total = 0;
  for (std::size_t k = 0; k < count; ++k) total += predicted[k] = std::exp(slope * static_cast<T>(sums[k]) - largest);
  for (std::size_t k = 0; k < count; ++k) predicted[k] = static_cast<T>(predicted[k]) / static_cast<T>(total);
}

template <typename T>
T value_of_sum(Link link, T sum, T slope) {
  switch (link) {
    case Link::kExponential:
      return std::exp(sum);
    case Link::kSigmoid:
      return sigmoid(slope * sum);
    case Link::kSoftplus:
      return std::log1p(std::exp(sum));
    case Link::kSignedSquare:
      return std::copysign(sum * sum, sum);
    case Link::kIsolation:
      return std::exp2(-sum);
    default:
      return sum;
  }
}

template <typename T>
void predict_as(const RecordForest& forest, const double* sums, double* predicted) {
  const std::size_t count = forest.num_predicted();
  if (forest.link == Link::kLogistic) {
    const T share = sigmoid(static_cast<T>(forest.slope) * static_cast<T>(sums[0]));
    predicted[0] = T{1} - share;
    predicted[1] = share;
  } else if (forest.link == Link::kSoftmax) {
    softmax(sums, count, static_cast<T>(forest.slope), predicted);
  } else {
    for (std::size_t k = 0; k < count; ++k)
      predicted[k] = value_of_sum(forest.link, static_cast<T>(sums[k]), static_cast<T>(forest.slope));
  }
}

/// Index of the first of the largest numbers, or of the first NaN.
std::int32_t first_of_largest(const double* numbers, std::size_t count) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < count && !std::isnan(numbers[best]); ++k)
    if (numbers[k] > numbers[best] || std::isnan(numbers[k])) best = k;
  return static_cast<std::int32_t>(best);
}

}  // namespace

bool RecordForest::has_linear_leaves() const {
  return std::ranges::any_of(trees, [](const RecordTree& tree) { return !tree.linear_leaves.empty(); });
}

void sum_values(const RecordForest& forest, const float* record, double* sums) {
  const ColumnsOfRecord column_of(forest, record);
  const auto leaf_of = [&](std::size_t t) { return find_leaf_of(forest.trees[t].nodes, column_of); };
  const auto value_of = [&](std::size_t attribute) { return static_cast<double>(record[attribute]); };
  if (forest.float_sums->is_single)
    sum_values_as<float>(forest, leaf_of, value_of, sums);
  else
    sum_values_as<double>(forest, leaf_of, value_of, sums);
}

template <typename Value>
void sum_leaves(const RecordForest& forest, const std::int32_t* leaves, const Value* record, std::ptrdiff_t step,
                double* sums) {
  const auto leaf_of = [&](std::size_t t) { return leaves[t]; };
  const auto value_of = [&](std::size_t attribute) {
    return static_cast<double>(record[static_cast<std::ptrdiff_t>(attribute) * step]);
  };
  if (forest.float_sums->is_single)
    sum_values_as<float>(forest, leaf_of, value_of, sums);
  else
    sum_values_as<double>(forest, leaf_of, value_of, sums);
}
template void sum_leaves(const RecordForest&, const std::int32_t*, const float*, std::ptrdiff_t, double*);
template void sum_leaves(const RecordForest&, const std::int32_t*, const double*, std::ptrdiff_t, double*);

void predict_from_sums(const RecordForest& forest, const double* sums, double* predicted) {
  if (forest.float_sums && forest.float_sums->is_single)
    predict_as<float>(forest, sums, predicted);
  else
    predict_as<double>(forest, sums, predicted);
}

std::int32_t class_from_sums(const RecordForest& forest, const double* sums, double* predicted) {
  if (forest.class_rule == ClassRule::kProbability) {
    predict_from_sums(forest, sums, predicted);
    return first_of_largest(predicted, forest.num_predicted());
  }
  if (forest.link != Link::kLogistic) return first_of_largest(sums, forest.num_outputs());
  const double sum = sums[0] - forest.class_threshold;
  return sum > 0 || (sum == 0 && forest.class_rule == ClassRule::kSumFromZero) ? 1 : 0;
}

std::uint32_t deciding_margin(const RecordForest& forest) {
  if (!forest.float_sums || !forest.has_classes()) return 0;
  if (forest.has_linear_leaves()) return std::numeric_limits<std::uint32_t>::max();
  const double num_trees = static_cast<double>(forest.trees.size());
  // Errors in units of the whole numbers: these are rounded once for each tree; the library's sums after each
  // operation, relative to values below 2^31 units; then probabilities are rounded, which differ by as much as their
  // logarithms.
  const double of_whole = 0.5 * (num_trees + 1), bits = forest.float_sums->is_single ? 24 : 53;
  const double of_library = (num_trees + 3) * std::ldexp(1.0, static_cast<int>(31 - bits));
  const double of_probability = std::ldexp(4.0, static_cast<int>(forest.fraction_bits - bits));
  return static_cast<std::uint32_t>(std::min(2 * (of_whole + of_library + of_probability) + 2, 2147483647.0));
}

std::int32_t classify_record(const RecordForest& forest, const float* record) {
  std::vector<std::int32_t> whole(forest.num_outputs());
  sum_trees(forest, record, whole.data());
  const std::int32_t found = choose_class_surely(forest.link, whole.data(), whole.size(), deciding_margin(forest));
  if (found != kUndecided) return found;
  std::vector<double> sums(forest.num_outputs()), predicted(forest.num_predicted());
  sum_values(forest, record, sums.data());
  return class_from_sums(forest, sums.data(), predicted.data());
}

void probabilities_of(const RecordForest& forest, const std::int32_t* sums, float* probabilities) {
  const std::size_t num_classes = forest.classes.size();
  const double unit = std::ldexp(1.0, -forest.fraction_bits);
  if (forest.link == Link::kLogistic) {
    probabilities[1] = static_cast<float>(sigmoid(sums[0] * unit + forest.slope * forest.class_threshold));
    probabilities[0] = 1.0f - probabilities[1];
    return;
  }
  if (forest.link == Link::kSigmoid) {
    for (std::size_t c = 0; c < num_classes; ++c) probabilities[c] = static_cast<float>(sigmoid(sums[c] * unit));
    return;
  }
  const double equal_share = 1.0 / static_cast<double>(num_classes);
  if (forest.link == Link::kMean) {  // without allocation: there may be a million records
    const double total = std::accumulate(sums, sums + num_classes, 0.0);
    for (std::size_t c = 0; c < num_classes; ++c)
      probabilities[c] = static_cast<float>(total > 0 ? sums[c] / total : equal_share);
    return;
  }
  std::vector<double> weights(num_classes);
  const std::int32_t largest = *std::max_element(sums, sums + num_classes);
  for (std::size_t c = 0; c < num_classes; ++c) weights[c] = std::exp((static_cast<double>(sums[c]) - largest) * unit);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t c = 0; c < num_classes; ++c) probabilities[c] = static_cast<float>(weights[c] / total);
}

int fitting_fraction_bits(double largest_sum) {
  int bits = 30;
  while (bits > 0 && std::ldexp(largest_sum, bits) > 2147483000.0) --bits;
  return bits;
}

void to_fixed_point(const std::vector<double>& weights, int fraction_bits, std::int32_t* fixed) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double total = sum > 0 ? sum : static_cast<double>(weights.size());
  const std::int32_t one = std::int32_t{1} << fraction_bits;
  std::vector<double> remainders(weights.size());
  std::int32_t left = one;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    const double exact = (sum > 0 ? weights[c] : 1.0) / total * one;
    fixed[c] = std::min(static_cast<std::int32_t>(exact), left);
    remainders[c] = exact - fixed[c];
    left -= fixed[c];
  }
  for (; left > 0; --left) {
    const auto c = std::max_element(remainders.begin(), remainders.end()) - remainders.begin();
    ++fixed[c];
    remainders[static_cast<std::size_t>(c)] -= 1.0;
  }
}

}  // namespace fernwood::records
