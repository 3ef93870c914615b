// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

/// Computes SHAP values: the contribution of each attribute to a forest's prediction for a record. They are Shapley
/// values of the game in which the attributes of a set S are known, and a test of another attribute follows both
/// branches, weighted by the shares of training records that took them (path-dependent TreeSHAP; Lundberg, Erion, Lee
/// 2018, algorithm 1; Lundberg et al., Nature Machine Intelligence 2, 2020). They are exact, not sampled.
///
/// A leaf of value v whose path tests the distinct attributes 1 ... k plays the product game v prod(o_i or z_i): o_i is
/// 1 if the record satisfies all of the path's tests of attribute i, else 0, and z_i is the product of their shares.
/// The Shapley value of attribute j is the integral of the multilinear extension's derivative along the diagonal (Owen,
/// Management Science 18, 1972), v (o_j - z_j) integral over y in [0, 1] of prod(i != j) (o_i y + z_i (1 - y)): a
/// polynomial of degree k - 1, which Gauss's rule with ceil(k / 2) points integrates exactly.
///
/// Tests of categories are tests of their attribute. A statistic of several attributes (CategoryTable) is a player of
/// its own, whose value these attributes share equally, as in CatBoost. A linear leaf has its function where all
/// attributes in its terms are known, else its constant, as for records that lack a value.
///
/// With background records, an attribute outside of S has the value of such a record, and the result is the mean over
/// these (interventional TreeSHAP; Lundberg et al. 2020, Methods).
///
/// The exact sum of a record's values for an output, rounded once (Python's math.fsum()), is the margin: what rounding
/// leaves is added to the largest contribution, and what is below its last bit to the next smaller ones. Last bits of a
/// margin are missed only if it is much smaller than all contributions, which cancel out.
///
/// The result has the same bytes for any number of threads, any number of records in a call, and every device: for each
/// record, trees are added in their order, and so are the leaves within a tree. One call at a time.
class ShapEvaluator {
 public:
  /// @param threads  Number of threads; 0: all.
  /// @param background  Copied; without records, unknown attributes follow the shares of training records.
  /// @param device  Where trees are added; linear leaves and margins are computed on the CPU.
  /// @throws Error(kModel) as check_records(), and if covers of a tree are not known and there is no background, a path
  /// tests more than 64 players, or a tree has 4096 or more levels; Error(kUsage) for a negative number of threads and
  /// for a background on a GPU;
  /// Error(kData) if the background has another number of attributes.
  explicit ShapEvaluator(const RecordForest& forest, int threads = 0, const RecordView& background = {},
                         Device device = {});
  ~ShapEvaluator();
  ShapEvaluator(const ShapEvaluator&) = delete;
  ShapEvaluator& operator=(const ShapEvaluator&) = delete;

  /// Computes values in the unit of margins: those of a record and output add up to ValueEvaluator::find_margins().
  /// @param values  [record][output][attribute + 1], written; the last is expected()[output]. Attributes that no tree
  /// tests have 0. @throws Error(kData) if the number of attributes differs.
  void find(const RecordView& records, double* values);

  /// Computes interaction values: how much two attributes add together beyond what each adds, halved for both places;
  /// on the diagonal what remains of an attribute's value (Lundberg, Erion, Lee 2018 and Lundberg et al. 2020, on SHAP
  /// interaction values). The exact sum of a matrix is the margin as for find().
  /// @param values  [record][output][attribute + 1][attribute + 1], written; the last is expected()[output], others of
  /// the last row and column are 0.
  /// @throws Error(kData) as find(), Error(kUsage) if the evaluator has a background.
  void find_interactions(const RecordView& records, double* values);

  /// [output] The margin when no attribute is known.
  const std::vector<double>& expected() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fernwood::records
