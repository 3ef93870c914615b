// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <chrono>

namespace fernwood {

/// Seconds of a clock that only goes forward; differences are durations.
inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace fernwood
