// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fernwood/forest/forest.h"

namespace fernwood::forest {

/// The forest in the bytes of a model file. Allocates what the arrays in the file take and, whatever the header says,
/// some 40 bytes for each of its bytes, of which there are at most kMaxHeaderBytes.
/// @param name  Of the file, for messages. @throws Error(kModel).
Forest read_forest(std::span<const std::uint8_t> bytes, const std::string& name);

}  // namespace fernwood::forest
