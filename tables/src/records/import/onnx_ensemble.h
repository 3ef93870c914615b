// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <vector>

#include "records/import/onnx_trees.h"
#include "records/import/source_model.h"

namespace fernwood::records {

/// Attributes of an operator of trees, apart from the trees.
struct EnsembleFacts {
  bool is_classifier = false;
  bool is_binary = false;   ///< Two classes, and leaves with one score.
  bool is_double = false;   ///< Thresholds and values have 64 bits.
  bool is_average = false;  ///< Trees are averaged; otherwise they are added.
  std::size_t num_predicted = 1;
  std::vector<std::string> classes;
  std::vector<double> base_values;  ///< [output] Added last; empty: none.
  std::string post_transform = "NONE";
};

/// For TreeEnsembleClassifier and TreeEnsembleRegressor of ai.onnx.ml, versions 1 to 3, and TreeEnsemble of version 5.
EnsembleFacts read_facts(const OnnxOperator& operation, const ErrorContext& place);

/// The trees, in their order.
std::vector<SourceTree> read_ensemble(const OnnxOperator& operation, const EnsembleFacts& facts,
                                      const ErrorContext& place);

}  // namespace fernwood::records
