// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Long work that reports its progress to Python.

#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "python/common/src/interruptible.h"

namespace fernwood::python {

/// Passes the latest progress to tell(phase, detail, done), for run_interruptibly(). @param tell  May be None.
inline std::function<void()> teller(ProgressSlot<ProgressWords>& slot, const nb::object& tell) {
  if (tell.is_none()) return {};
  return [&slot, tell] {
    if (const auto words = slot.take()) tell(words->phase, words->detail, words->done);
  };
}

/// run_interruptibly() for work with a ProgressCallback. @param work  work(const ProgressCallback&)
template <typename Work>
auto run_counted(const char* phase, const nb::object& tell, const Work& work) {
  begin_threads();
  ProgressSlot<ProgressWords> slot;
  return run_interruptibly(
      [&](const std::stop_token& stop) {
        return work([&](std::size_t done, std::size_t total) {
          FW_CHECK(!stop.stop_requested(), Interrupted, phase << " was interrupted");
          slot.put({phase, std::to_string(done) + " of " + std::to_string(total),
                    total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1});
        });
      },
      teller(slot, tell));
}

}  // namespace fernwood::python
