// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/json_field.h"

namespace fernwood::backbone {

/// An array of a state file, as floats.
struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;  ///< The last dimension varies fastest.
};
using StateDict = std::map<std::string, Tensor>;

/// Reads the arrays of a state dictionary written by PyTorch's torch.save(), in either of its formats: a ZIP archive
/// (since 1.6), or several pickles in sequence. Pickles are programs: only instructions that build dictionaries of
/// arrays are accepted, and functions named in a file are never called.
/// @throws Error(kData) in one sentence for anything else, and for a damaged file.
StateDict read_state(std::span<const std::uint8_t> bytes, const ErrorContext& place);

}  // namespace fernwood::backbone
