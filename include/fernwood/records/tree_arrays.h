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

/// Numbers in another library's memory, a step of bytes apart; owns nothing. They need not be aligned.
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

/// A tree as scikit-learn holds it: an element for each node, node 0 is the root. Of leaves attribute, threshold and
/// nan_left mean nothing, of inner nodes the values.
struct TreeArrays {
  StridedArray<std::int64_t> left, right;  ///< Children; below 0 in leaves.
  StridedArray<std::int64_t> attribute;
  StridedArray<double> threshold;       ///< Records of 32 bits up to it go left.
  StridedArray<std::uint8_t> nan_left;  ///< Not 0: NaN goes left. Of size 0: it goes right everywhere.
  StridedArray<double> values;          ///< [node][width], contiguous: what a leaf adds to its outputs.
  StridedArray<double> covers;          ///< Weights of the training records that reached a node; of size 0: not known.
  std::size_t first_output = 0, width = 1;
  /// Below 0, or which set of categories a node asks: those in it go left, and what is no whole number from 0 up to the
  /// last bit goes as NaN does. Of size 0: there are no sets.
  StridedArray<std::int64_t> set = {};
  StridedArray<std::uint64_t> set_words = {};  ///< [set][words_per_set], contiguous; as of CategorySet.
  std::size_t words_per_set = 0;
};

/// Trees that another library holds in memory.
struct ForestArrays {
  Link link = Link::kMean;
  std::size_t num_classes = 0, num_targets = 0;  ///< One of them is 0.
  std::size_t num_attributes = 0;
  double slope = 1;
  ClassRule class_rule = ClassRule::kProbability;
  FloatSums sums;  ///< As the library adds them up.
  std::vector<TreeArrays> trees;
  std::uint32_t trees_per_iteration = 1;   ///< As of RecordForest.
  std::string estimator, library_version;  ///< For the model's provenance.
};

/// import_model() of trees in memory. @param name  What messages call the model.
/// @throws Error(kModel), Error(kUsage) as import_model().
RecordForest import_arrays(const ForestArrays& arrays, const std::string& name, const ImportOptions& options = {});

}  // namespace fernwood::records
