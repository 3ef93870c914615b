// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Long work that tells Python how far it is.

#include "fernwood/core/progress.h"
#include "fernwood/report/format.h"
#include "python/src/interruptible.h"

namespace fernwood::python {

/// Hands the newest words to tell(phase, detail, done), for run_interruptibly(). @param tell  None: nobody listens.
inline std::function<void()> teller(ProgressSlot<report::ProgressWords>& slot, const nb::object& tell) {
  if (tell.is_none()) return {};
  return [&slot, tell] {
    if (const auto words = slot.take()) tell(words->phase, words->detail, words->done);
  };
}

/// run_interruptibly() for work that counts. @param work  work(const ProgressCallback&)
template <typename Work>
auto run_counted(const char* phase, const nb::object& tell, const Work& work) {
  begin_threads();
  ProgressSlot<report::ProgressWords> slot;
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
