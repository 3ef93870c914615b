// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fernwood/records/record_forest.h"
#include "records/explain/shap_kernels.h"

// The game of a leaf (see ShapEvaluator), for one record or for a vector of records: on every device, and for every
// width of vectors, the same operations in the same order.

namespace fernwood::records {

/// The pattern below a test. @tparam Word  Of 32 or 64 bits.
template <typename Word>
FW_HD Word narrowed_pattern(Word pattern, float value, float threshold, int nan_left, Word left_mask, Word right_mask) {
  return pattern & (side_with_nan(value, threshold, nan_left) != 0 ? right_mask : left_mask);
}

/// The factor o y + z (1 - y) of an element at a point y, for records that do not satisfy it (o = 0) and those that do.
struct ShapFactor {
  double off, on;
};
FW_HD ShapFactor shap_factor(double share, double point) {
  const double off = share * (1 - point);
  return {off, off + point};
}

/// The factors of a leaf, computed where they are used.
struct ShapLeafFactors {
  const ShapElement* elements;
  std::size_t num_elements;
  const double *points, *weights;  ///< Of Gauss's rule with num_points() points.

  FW_HD std::size_t num_points() const { return (num_elements + 1) / 2; }
  FW_HD ShapFactor at(std::size_t point, std::size_t element) const {
    return shap_factor(elements[element].share, points[point]);
  }
};

/// @tparam Real, Pattern  double and 64 bits, or vectors of them.
template <typename Real, typename Pattern>
struct ShapTypes {
  FW_HD static auto is_satisfied(const ShapElement& element, const Pattern& patterns) {
    return (patterns & (Pattern{} + element.mask)) == (Pattern{} + element.wanted);
  }
  template <typename Mask>
  FW_HD static Real chosen(const Mask& satisfied, double on, double off) {
    return satisfied ? Real{} + on : Real{} + off;
  }
  using Mask = decltype(is_satisfied(ShapElement{}, Pattern{}));
};

/// The Shapley values of the leaf's game of value 1. The product of all factors but one is that of the factors before
/// it times that of the factors after it.
/// @tparam kCount  Number of elements, so that all stays in registers; 0: any number. Both compute the same bits.
/// @param shares  [element] Written.
template <std::size_t kCount, typename Real, typename Pattern, typename Factors>
FW_HD void find_leaf_shares(const Factors& factors, const Pattern& patterns, Real* shares) {
  using Types = ShapTypes<Real, Pattern>;
  constexpr std::size_t kMaxCount = kCount > 0 ? kCount : kMaxPathElements;
  const std::size_t count = kCount > 0 ? kCount : factors.num_elements;
  typename Types::Mask satisfied[kMaxCount];
  Real before[kMaxCount], factor[kMaxCount];
  for (std::size_t i = 0; i < count; ++i) {
    satisfied[i] = Types::is_satisfied(factors.elements[i], patterns);
    shares[i] = Real{};
  }
  for (std::size_t q = 0; q < factors.num_points(); ++q) {
    Real product = Real{} + factors.weights[q];
    for (std::size_t i = 0; i < count; ++i) {
      const ShapFactor both = factors.at(q, i);
      before[i] = product;
      factor[i] = Types::chosen(satisfied[i], both.on, both.off);
      product *= factor[i];
    }
    Real behind = Real{} + 1.0;
    for (std::size_t i = count; i-- > 0;) {
      shares[i] += before[i] * behind;
      behind *= factor[i];
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double share = factors.elements[i].share;
    shares[i] *= Types::chosen(satisfied[i], 1 - share, -share);
  }
}

/// The Shapley interaction indices of the leaf's game of value 1: the product of all factors but two is that of those
/// before, between and after them. @param pairs  [pair_place()] Of `Real`, written.
template <typename Real, typename Pattern, typename Factors, typename Pairs>
FW_HD void find_leaf_pairs(const Factors& factors, const Pattern& patterns, Pairs pairs) {
  using Types = ShapTypes<Real, Pattern>;
  const std::size_t count = factors.num_elements;
  typename Types::Mask satisfied[kMaxPathElements];
  Real before[kMaxPathElements], behind[kMaxPathElements], factor[kMaxPathElements];
  for (std::size_t i = 0; i < count; ++i) satisfied[i] = Types::is_satisfied(factors.elements[i], patterns);
  for (std::size_t i = 0; i < count * (count - 1) / 2; ++i) pairs[i] = Real{};
  for (std::size_t q = 0; q < factors.num_points(); ++q) {
    Real product = Real{} + factors.weights[q];
    for (std::size_t i = 0; i < count; ++i) {
      const ShapFactor both = factors.at(q, i);
      before[i] = product;
      factor[i] = Types::chosen(satisfied[i], both.on, both.off);
      product *= factor[i];
    }
    Real rest = Real{} + 1.0;
    for (std::size_t i = count; i-- > 0;) {
      behind[i] = rest;
      rest *= factor[i];
    }
    for (std::size_t i = 0; i < count; ++i) {
      Real with_between = before[i];
      for (std::size_t j = i + 1; j < count; ++j) {
        pairs[pair_place(i, j)] += with_between * behind[j];
        with_between *= factor[j];
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double share = factors.elements[i].share;
    factor[i] = Types::chosen(satisfied[i], 1 - share, -share);
    for (std::size_t j = 0; j < i; ++j) pairs[pair_place(j, i)] *= factor[j] * factor[i];
  }
}

/// Numbers of one record among those of others.
struct StridedDoubles {
  double* first;
  std::size_t step;

  FW_HD double& operator[](std::size_t i) const { return first[i * step]; }
};

/// Adds the Shapley values of a leaf to a row. @tparam kCount  As in find_leaf_shares().
template <std::size_t kCount>
FW_HD void add_leaf_shares(const ShapRowArgs& args, const ShapLeafFactors& factors, const double* values,
                           std::uint64_t pattern, const StridedDoubles& row) {
  double shares[kCount > 0 ? kCount : kMaxPathElements];
  find_leaf_shares<kCount>(factors, pattern, shares);
  const std::size_t count = kCount > 0 ? kCount : factors.num_elements;
  for (std::size_t k = 0; k < args.width; ++k)
    for (std::size_t i = 0; i < count; ++i) row[k * args.num_sums + factors.elements[i].slot] += shares[i] * values[k];
}

/// The same for up to kMost elements in registers. The elements of a leaf are as many in all threads of a group.
template <std::size_t kMost>
FW_HD void add_leaf_shares_of(const ShapRowArgs& args, const ShapLeafFactors& factors, const double* values,
                              std::uint64_t pattern, const StridedDoubles& row) {
  if (factors.num_elements == kMost) return add_leaf_shares<kMost>(args, factors, values, pattern, row);
  if constexpr (kMost > 1) return add_leaf_shares_of<kMost - 1>(args, factors, values, pattern, row);
  add_leaf_shares<0>(args, factors, values, pattern, row);
}

/// The row of a group for one pattern, as the kernels compute it. @param args  Without patterns, columns and rows.
/// @param row  [width * num_sums] Written. @param pairs  [pair_place()] Scratch, for kPairs only.
template <ShapEffects kEffects>
FW_HD void find_shap_row(const ShapRowArgs& args, std::uint64_t pattern, const StridedDoubles& row,
                         const StridedDoubles& pairs) {
  for (std::size_t i = 0; i < args.width * args.num_sums; ++i) row[i] = 0;
  for (std::size_t l = 0; l < args.leaves.size; ++l) {
    const ShapLeaf leaf = args.leaves[l];
    const std::size_t count = leaf.num_elements, rule = (count + 1) / 2 - 1;
    const ShapLeafFactors factors = {args.elements + leaf.first_element, count, args.points[rule], args.weights[rule]};
    const double* const values = args.leaf_values + leaf.first_value;
    if constexpr (kEffects == ShapEffects::kPlayers) {
      add_leaf_shares_of<16>(args, factors, values, pattern, row);
    } else {
      find_leaf_pairs<double>(factors, pattern, pairs);
      for (std::size_t k = 0; k < args.width; ++k)
        for (std::size_t i = 0; i < count; ++i)
          for (std::size_t j = 0; j < i; ++j) {
            const std::size_t place = pair_place(factors.elements[j].slot, factors.elements[i].slot);
            row[k * args.num_sums + place] += pairs[pair_place(j, i)] * values[k];
          }
    }
  }
}

}  // namespace fernwood::records
