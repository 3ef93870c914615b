// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/core/error.h"

namespace fernwood {

/// @param name  Of an option, without dashes. @throws Error(kUsage) unless value is in [low, high].
inline void check_range(const char* name, int value, int low, int high) {
  FW_CHECK(value >= low && value <= high, Usage,
           "--" << name << " is " << value << "; give a number from " << low << " to " << high);
}

}  // namespace fernwood
