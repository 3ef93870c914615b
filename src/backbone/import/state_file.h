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
  std::vector<float> values;  ///< The last dimension is the fastest.
};
using StateDict = std::map<std::string, Tensor>;

/// The arrays in the bytes of a file that PyTorch's torch.save() wrote of a state dictionary, in either of its formats:
/// a ZIP archive (since 1.6), or pickles one after another. Pickles are programs: only what builds dictionaries of
/// arrays is understood, and no function that a file names is called.
/// @throws Error(kData) in one sentence for anything else, and for a damaged file.
StateDict read_state(std::span<const std::uint8_t> bytes, const ErrorContext& place);

}  // namespace fernwood::backbone
