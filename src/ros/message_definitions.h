// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <string_view>

namespace fernwood::ros {

/// The definition of a type in the form of recordings ("ros2msg"): its fields, followed by those of all types in them.
/// @param plain  As returned by plain_type(). @throws std::out_of_range for a type that messages.h does not write.
std::string message_definition(std::string_view plain);

}  // namespace fernwood::ros
