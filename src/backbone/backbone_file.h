// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backbone/network.h"
#include "core/json_field.h"

namespace fernwood::backbone {

/// Checks that a network can be run without further checks: that layers fit together, numbers are in range and sums fit
/// into 32 bits. @throws Error(place.kind) naming block, rule and value.
void check_network(const Network& network, const ErrorContext& place);

/// The bytes of a backbone file, see docs/reference/model_file.md. @throws Error(kModel) for a network that a reader
/// would reject.
std::vector<std::uint8_t> encode_network(const Network& network, const std::string& name);

/// @param name  Name of the file, for messages. @throws Error(kModel) in one sentence for a damaged, foreign or newer
/// file.
Network decode_network(std::span<const std::uint8_t> bytes, const std::string& name);

}  // namespace fernwood::backbone
