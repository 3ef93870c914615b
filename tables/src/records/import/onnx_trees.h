// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_field.h"

namespace fernwood::records {

/// An attribute of an operator, or a constant tensor: numbers of one type, or texts, which are views of the file.
struct OnnxValue {
  std::vector<double> reals;
  std::vector<std::int64_t> whole;
  std::vector<std::string_view> texts;
  bool is_double = false;  ///< Its real numbers have 64 bits.
};

/// A node of a graph: an operation with its inputs and outputs.
struct OnnxOperator {
  std::string_view type, domain;
  std::vector<std::string_view> inputs, outputs;
  std::map<std::string_view, OnnxValue> attributes;
};

/// The parts of an ONNX file that describe models of trees.
struct OnnxModel {
  std::string producer;  ///< Name and version of the program that wrote it.
  std::vector<OnnxOperator> operators;
  std::map<std::string_view, OnnxValue> constants;
  std::map<std::string_view, std::optional<std::uint64_t>> inputs;  ///< With their columns, where the file states them.
};

/// Whether the first bytes are those of an ONNX file.
bool is_onnx(std::string_view bytes);

/// Reads the bytes of an ONNX file (github.com/onnx/onnx, onnx.proto), which must outlive the model.
/// @throws Error(place.kind) with a message of one sentence for a damaged file.
OnnxModel read_onnx_model(std::string_view bytes, const ErrorContext& place);

}  // namespace fernwood::records
