// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "backbone/import/state_file.h"

namespace fernwood::backbone {

/// A node of a graph: what it does, to which tensors.
struct OnnxNode {
  std::string op, name;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, std::vector<std::int64_t>> whole;  ///< Attributes of whole numbers,
  std::map<std::string, float> real;                       ///< of a real one,
  std::map<std::string, std::string> text;                 ///< and of a text.
};

/// The graph of an ONNX file, as far as networks of convolutions need it.
struct OnnxGraph {
  std::vector<OnnxNode> nodes;      ///< In the file's order, in which tensors are made before they are read.
  StateDict tensors;                ///< Its constants, of floats and of whole numbers.
  std::vector<std::string> inputs;  ///< Without those that are constants.
};

/// Reads the bytes of an ONNX file (github.com/onnx/onnx, onnx.proto3): graphs whose constants lie in the file.
/// @throws Error(place.kind) in one sentence for anything else, and for a damaged file.
OnnxGraph read_onnx(std::span<const std::uint8_t> bytes, const ErrorContext& place);

}  // namespace fernwood::backbone
