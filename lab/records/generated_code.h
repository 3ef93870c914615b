// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "records/evaluate/evaluation_model.h"

namespace fernwood::lab {

/// What generated code has for a tree: writes what the tree answers (see LeafOutput) for each record. Value c of record
/// i is values[i * record_step + c * column_step]. @param answers  [num_records]
using TreeCode = void (*)(const float* values, std::size_t record_step, std::size_t column_step,
                          std::size_t num_records, std::int32_t* answers);
/// The name of an array of a TreeCode for each tree.
inline constexpr const char* kTreesName = "fernwood_trees";

enum class CodeStyle {
  kIfElse,  ///< An if for each test, the conventional way to write a tree down as a program.
  kNoIf     ///< Every test is taken and answers are chosen by bits: no branch (Penha et al.).
};

/// A tree as a function `int answer<tree>(const float* v, Size c)`, in C++ that host and GPU compilers take: what it
/// answers for a record whose value a is v[a * c]. The including code defines Size.
std::string tree_function(const records::EvaluationModel& model, std::size_t tree, CodeStyle style);

/// C++ with a TreeCode for each tree.
std::string forest_code(const records::EvaluationModel& model, CodeStyle style);

/// CUDA C++ with a kernel kKernelName(values, record step, attribute step, number of records, classes), for forests
/// whose answers are classes or margins.
std::string kernel_code(const records::EvaluationModel& model, CodeStyle style);
inline constexpr const char* kKernelName = "fernwood_classify";

}  // namespace fernwood::lab
