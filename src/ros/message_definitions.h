// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <string_view>

namespace fernwood::ros {

/// The fields of a type as recordings tell them ("ros2msg"): its own, and behind them those of all types in them.
/// @param plain  As plain_type(). @throws std::out_of_range for a type that messages.h does not write.
std::string message_definition(std::string_view plain);

}  // namespace fernwood::ros
