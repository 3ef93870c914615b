// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/records/record_file.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

/// A view of numbers in another library's memory, `step_bytes` apart; they need not be aligned.
template <typename T>
struct StridedArray {
  const void* data = nullptr;
  std::size_t size = 0;
  std::ptrdiff_t step_bytes = sizeof(T);

  T at(std::size_t index) const {
    T value;
    __builtin_memcpy(&value, static_cast<const char*>(data) + static_cast<std::ptrdiff_t>(index) * step_bytes,
                     sizeof value);
    return value;
  }
};

/// A tree in the arrays of scikit-learn, with an element for each node; node 0 is the root. Attribute, threshold and
/// nan_left are used in inner nodes only, values in leaves only.
struct TreeArrays {
  StridedArray<std::int64_t> left, right;  ///< Children; below 0 in leaves.
  StridedArray<std::int64_t> attribute;
  StridedArray<double> threshold;       ///< Values go left up to it.
  StridedArray<std::uint8_t> nan_left;  ///< Not 0: NaN goes left. Empty: NaN goes right in all nodes.
  StridedArray<double> values;          ///< [node][width], contiguous: the summands of a leaf for its outputs.
  StridedArray<double> covers;          ///< Weight of the training records that reached a node; empty: not known.
  std::size_t first_output = 0, width = 1;
  /// The set of categories that a node tests, or below 0: none. Categories in the set go left; values other than whole
  /// numbers from 0 to the last bit go to the side of NaN. Empty: no sets.
  StridedArray<std::int64_t> set = {};
  StridedArray<std::uint64_t> set_words = {};  ///< [set][words_per_set], contiguous; bits as in CategorySet.
  std::size_t words_per_set = 0;
};

/// Trees in another library's memory.
struct ForestArrays {
  Link link = Link::kMean;
  std::size_t num_classes = 0, num_targets = 0;  ///< Exactly one of them is 0.
  std::size_t num_attributes = 0;
  double slope = 1;
  ClassRule class_rule = ClassRule::kProbability;
  FloatSums sums;        ///< The library's rule of summation.
  bool is_wide = false;  ///< Values are compared in 64 bits, otherwise rounded to 32.
  std::vector<TreeArrays> trees;
  std::uint32_t trees_per_iteration = 1;   ///< See RecordForest.
  std::string estimator, library_version;  ///< For the model's provenance.
};

/// import_model() for trees in memory. @param name  The model's name in messages.
/// @throws Error(kModel), Error(kUsage) as import_model().
RecordForest import_arrays(const ForestArrays& arrays, const std::string& name, const ImportOptions& options = {});

}  // namespace fernwood::records
