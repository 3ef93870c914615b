// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "records/evaluate/evaluation_model.h"

namespace fernwood::lab {

/// Generated function for a tree: writes the output of the leaf (see LeafOutput) for each record. Value c of record i
/// is values[i * record_step + c * column_step]. @param answers  [num_records]
using TreeCode = void (*)(const float* values, std::size_t record_step, std::size_t column_step,
                          std::size_t num_records, std::int32_t* answers);
/// Name of the array with a TreeCode for each tree.
inline constexpr const char* kTreesName = "fernwood_trees";

enum class CodeStyle {
  kIfElse,  ///< An if for each test, as trees are usually translated.
  kNoIf     ///< Without branches: all tests are evaluated, and answers are selected by bits (Penha et al.).
};

/// A tree as a function `int answer<tree>(const float* v, Size c)`, in C++ for host and GPU compilers, which returns
/// the output for a record whose attribute a is v[a * c]. The including code defines Size.
std::string tree_function(const records::EvaluationModel& model, std::size_t tree, CodeStyle style);

/// C++ with a TreeCode for each tree.
std::string forest_code(const records::EvaluationModel& model, CodeStyle style);

/// CUDA C++ with a kernel kKernelName(values, record step, attribute step, number of records, classes), for forests
/// that predict classes or margins.
std::string kernel_code(const records::EvaluationModel& model, CodeStyle style);
inline constexpr const char* kKernelName = "fernwood_classify";

}  // namespace fernwood::lab
