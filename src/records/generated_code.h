// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "records/evaluation_model.h"

namespace fernwood {

/// What generated code has for a tree: writes what the tree answers (see AnswerKind) for each record. Value c of record
/// i is values[i * record_step + c * column_step]. @param answers  [num_records]
using TreeCode = void (*)(const float* values, std::size_t record_step, std::size_t column_step,
                          std::size_t num_records, std::int32_t* answers);
/// The name of an array of a TreeCode for each tree.
inline constexpr const char* kTreesName = "fernwood_trees";

/// C++ with an if for each test (the conventional way to write a tree down as a program).
std::string if_else_code(const EvaluationModel& model);
/// C++ in which every test is taken and answers are chosen by bits: no branch.
std::string no_if_code(const EvaluationModel& model);

}  // namespace fernwood
