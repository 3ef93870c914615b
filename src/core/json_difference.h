// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

namespace fernwood {

/// What differs between two JSON objects: " depth was 3, is 4; seed was absent, is 7;". Empty when nothing does.
std::string json_difference(const std::string& was, const std::string& is);

}  // namespace fernwood
