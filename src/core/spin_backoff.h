// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// How to look again and again at what does not wake who waits for it. A header only, because the plug-in for MPI is not
// linked to the library.

#include <chrono>
#include <thread>

namespace fernwood {

/// The looks of a thread at what others bring to an end: NCCL, MPI. Most of it comes within microseconds, so that the
/// first looks are quick; who waits for long need not look often.
class SpinBackoff {
 public:
  /// Until the next look. Others may want this core.
  void pause() {
    ++num_looks_;
    is_quick() ? std::this_thread::yield() : std::this_thread::sleep_for(kSleep);
  }
  /// Whether it is time to see if others failed, too: not at each of the quick looks.
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
