// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

namespace fernwood::image {

/// Whether a class with this name is usually floor, on which robots drive. Such classes are stuff
/// (ClassInfo::is_thing()).
bool is_floor_name(const std::string& name);

}  // namespace fernwood::image
