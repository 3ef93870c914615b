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

/// An attribute of an operator, or a constant tensor: numbers of one kind, or texts. Texts lie in the file's bytes.
struct OnnxValue {
  std::vector<double> reals;
  std::vector<std::int64_t> whole;
  std::vector<std::string_view> texts;
  bool is_double = false;  ///< Its real numbers have 64 bits.
};

/// A node of a graph: what it does, to which tensors.
struct OnnxOperator {
  std::string_view type, domain;
  std::vector<std::string_view> inputs, outputs;
  std::map<std::string_view, OnnxValue> attributes;
};

/// An ONNX file, as far as models of trees need it.
struct OnnxModel {
  std::string producer;  ///< Name and version of who wrote it.
  std::vector<OnnxOperator> operators;
  std::map<std::string_view, OnnxValue> constants;
  std::map<std::string_view, std::optional<std::uint64_t>> inputs;  ///< With their columns, where the file has them.
};

/// Whether the first bytes are those of an ONNX file.
bool is_onnx(std::string_view bytes);

/// Reads the bytes of an ONNX file (github.com/onnx/onnx, onnx.proto), which must outlive the model.
/// @throws Error(place.kind) in one sentence for a damaged file.
OnnxModel read_onnx_model(std::string_view bytes, const ErrorContext& place);

}  // namespace fernwood::records
