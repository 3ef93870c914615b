// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <span>
#include <string_view>

#include "records/import/source_model.h"

namespace fernwood::records {

/// Sets the test of a node of an ONNX tree, whose attribute is already set. The true child is the left one.
/// @param mode  An ONNX name such as BRANCH_LEQ. @param members  For BRANCH_MEMBER.
/// @param nan_true  Unknown values go to the true child, too; for BRANCH_NEQ they do so anyway.
/// @throws Error(kModel) for unknown modes, and members that are not categories.
void set_branch(SourceTree& tree, SourceNode& node, std::string_view mode, double threshold,
                std::span<const double> members, bool nan_true, const ErrorContext& place);

/// Merges chains of tests of equality whose true child is the same node, which is how onnxmltools writes a test of a
/// set, into one test of a set: otherwise that node would be the child of several. Merged nodes are left without a
/// parent. @param tree  All children are valid nodes.
void merge_equalities(SourceTree& tree);

}  // namespace fernwood::records
