// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Polling of conditions that do not wake the waiting thread. Header-only, because the MPI plug-in is not linked to the
// library.

#include <chrono>
#include <thread>

namespace fernwood {

/// Backoff of a thread that polls for an operation of NCCL or MPI. Most complete within microseconds, so the first
/// polls follow each other quickly; a longer wait is polled less often.
class SpinBackoff {
 public:
  /// Waits until the next poll, yielding the core.
  void pause() {
    ++num_looks_;
    is_quick() ? std::this_thread::yield() : std::this_thread::sleep_for(kSleep);
  }
  /// Whether to check for failures of other ranks: not at each of the quick polls.
  bool is_time_to_check() const { return num_looks_ % kQuickLooksToCheck == 0 || !is_quick(); }
  std::chrono::steady_clock::duration waited() const { return std::chrono::steady_clock::now() - start_; }

 private:
  static constexpr std::chrono::microseconds kQuickLooks{1000}, kSleep{50};
  static constexpr unsigned kQuickLooksToCheck = 64;

  bool is_quick() const { return waited() < kQuickLooks; }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  unsigned num_looks_ = 0;
};

}  // namespace fernwood
