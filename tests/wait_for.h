// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What tests that look at another process or thread wait by: for what they need, never for a time in which it should
// have come.

#include <chrono>
#include <thread>

namespace fernwood {

/// Looks every few milliseconds whether something is so, for as long as a very busy machine may take.
/// @return  Whether it became so.
template <typename Condition>
[[nodiscard]] bool wait_for(const Condition& is_so, std::chrono::milliseconds pause = std::chrono::milliseconds(5)) {
  constexpr std::chrono::seconds kMost{60};
  const auto end = std::chrono::steady_clock::now() + kMost;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace fernwood
