// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model_container.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

/// Sizes of one tree's parts of the arrays.
struct RecordTreeSize {
  std::uint64_t num_nodes, num_leaves, first_output, width;
};

/// The two arrays of a file: nodes and leaf values of all trees, one tree after another.
struct RecordArrays {
  ModelArray nodes, leaf_values;
};
/// Where they lie; without checksums.
RecordArrays place_record_arrays(std::uint64_t num_nodes, std::uint64_t num_values);

/// The canonical JSON header. @throws Error(kModel) for texts that are not UTF-8 or not JSON.
std::string encode_record_header(const RecordForest& forest, const RecordArrays& arrays, const ModelPlace& place);

/// What a header says.
struct RecordHeader {
  RecordForest forest;  ///< Its trees are still missing.
  std::vector<RecordTreeSize> trees;
  RecordArrays arrays;
};
/// @throws Error(kModel) naming the field that breaks a rule.
RecordHeader decode_record_header(std::string_view text, const ModelPlace& place);

/// The bytes of a model file. @param name  Of the file, for messages.
/// @throws Error(kModel), before the first byte, when the forest breaks a rule that load_records checks.
void write_records(const RecordForest& forest, const std::string& name, std::ostream& out);

/// The forest in the bytes of a model file. @param name  Of the file, for messages. @throws Error(kModel).
RecordForest read_records(std::span<const std::uint8_t> bytes, const std::string& name);

}  // namespace fernwood::records
