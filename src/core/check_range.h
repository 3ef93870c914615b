// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <type_traits>

#include "fernwood/core/error.h"

namespace fernwood {

/// @param name  Of an option, without dashes. @throws Error(kUsage) unless value is in [low, high].
template <typename T>
void check_range(const char* name, T value, std::type_identity_t<T> low, std::type_identity_t<T> high) {
  FW_CHECK(value >= low && value <= high, Usage,
           "--" << name << " is " << value << "; give a number from " << low << " to " << high);
}

}  // namespace fernwood
