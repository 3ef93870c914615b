// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <type_traits>

#include "fernwood/core/option_error.h"

namespace fernwood {

/// @param name  Of an option, without dashes. @throws OptionError unless value is in [low, high].
template <typename T>
void check_range(const char* name, T value, std::type_identity_t<T> low, std::type_identity_t<T> high) {
  require_option(value >= low && value <= high, name, value,
                 "give a number from " + std::to_string(low) + " to " + std::to_string(high));
}

}  // namespace fernwood
