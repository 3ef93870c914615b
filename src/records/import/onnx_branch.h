// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <span>
#include <string_view>

#include "records/import/source_model.h"

namespace fernwood::records {

/// Makes a node of an ONNX tree, whose attribute is set, ask what leads to its true child, which is the left one.
/// @param mode  An ONNX name such as BRANCH_LEQ. @param members  Of BRANCH_MEMBER.
/// @param nan_true  Unknown values lead there, too; as for BRANCH_NEQ they do anyway.
/// @throws Error(kModel) for modes that are not known, and members that are no categories.
void set_branch(SourceTree& tree, SourceNode& node, std::string_view mode, double threshold,
                std::span<const double> members, bool nan_true, const ErrorContext& place);

/// Chains of tests of equality whose true child is one node become a test of a set, which is how onnxmltools writes it:
/// else that node would be the child of several. What is merged is left without a parent. @param tree  Whose children
/// are nodes.
void merge_equalities(SourceTree& tree);

}  // namespace fernwood::records
