// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/ranks.h"

#include <spdlog/spdlog.h>

#include <system_error>

#include "apps/shell/interrupt.h"

namespace fernwood::apps {

void prepare_last_words(const Communicator& communicator, const std::filesystem::path& checkpoint,
                        const std::string& next_time) {
  // Two prepare for it: one may be the one that has ended.
  if (communicator.size() == 1 || communicator.rank() > 1) return;
  set_last_words([checkpoint, next_time] {
    const std::string what = "this run was ended from outside (a worker ended, or it was interrupted); ";
    std::error_code ignored;
    if (!std::filesystem::exists(checkpoint, ignored))
      return what + "nothing is kept of it: start it again" + (checkpoint.empty() ? ", " + next_time : "");
    return what + "go on from " + checkpoint.string() + " with --resume, with any number of workers";
  });
}

void end_all(const Error& failure, Communicator& communicator) {
  const bool interrupted = failure.kind() == ErrorKind::kInterrupted;
  if (interrupted && communicator.rank() != 0) spdlog::set_level(spdlog::level::off);  // each process was told to stop
  if (!interrupted && communicator.size() > 1) {
    spdlog::error(failure.what());
    communicator.abandon(static_cast<int>(failure.kind()));
  }
  throw failure;
}

}  // namespace fernwood::apps
