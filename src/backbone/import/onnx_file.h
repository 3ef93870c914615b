// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/json_field.h"
#include "fernwood/backbone/backbone.h"

namespace fernwood::backbone {

/// A node of a graph: an operation on tensors.
struct OnnxNode {
  std::string op, name;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, std::vector<std::int64_t>> whole;  ///< Attributes: whole numbers,
  std::map<std::string, float> real;                       ///< real numbers,
  std::map<std::string, std::string> text;                 ///< and strings.
};

/// The graph of an ONNX file, as far as convolutional networks need it.
struct OnnxGraph {
  std::vector<OnnxNode> nodes;      ///< In the file's order, in which tensors are computed before they are read.
  StateDict tensors;                ///< Its constants, of floats and of whole numbers.
  std::vector<std::string> inputs;  ///< Without constants.
};

/// Reads the bytes of an ONNX file (github.com/onnx/onnx, onnx.proto3): graphs whose constants are stored in the file.
/// @throws Error(place.kind) in one sentence for anything else, and for a damaged file.
OnnxGraph read_onnx(std::span<const std::uint8_t> bytes, const ErrorContext& place);

}  // namespace fernwood::backbone
