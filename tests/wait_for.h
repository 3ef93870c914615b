// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// For tests that depend on another process or thread: they wait for the condition itself, not for a time by which it
// should hold.

#include <chrono>
#include <thread>

namespace fernwood {

/// Checks a condition every few milliseconds, for as long as a very busy machine may need.
/// @return  Whether it became true.
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
