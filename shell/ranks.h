// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "fernwood/core/communicator.h"
#include "fernwood/core/error.h"
#include "shell/console.h"

namespace fernwood::apps {

/// Registers the message for the case that mpirun ends all processes of a job because one has ended, or that one is
/// lost, which ends the job. Does nothing for one process.
/// @param checkpoint  Where a checkpoint may be; empty: nowhere.
/// @param next_time   How to get one, if there is none.
void register_exit_message(Communicator& communicator, const std::filesystem::path& checkpoint,
                           const std::string& next_time);

/// The failure as a line of standard error.
std::string failure_line(const Failure& failure);

/// Executes a command's work in all processes that mpirun started, in threads of this process, one for each GPU in a
/// list, or in this process; a failure in one ends all.
/// @param device  As for choose_device().
void work_on_ranks(const std::string& device, const std::function<void(Communicator&)>& work);

/// Reports an error in the command line on standard error; only once if mpirun passed it to several processes, which
/// then all end with `exit_code`.
void report_usage_error(const std::string& sentence, int exit_code);

/// Called by all ranks, after the first one has done work on which all depend.
/// @param failed  On rank 0: whether an exception is about to end all by work_on_ranks(), which reports the reason. The
/// others do not return then.
void wait_for_first(Communicator& ranks, bool failed);

/// Reports an error that all ranks would find only once: the others wait until the first one has succeeded.
template <typename Find>
auto find_one_after_another(Communicator& ranks, const Find& find) {
  std::optional<decltype(find())> found;
  try {
    if (ranks.rank() == 0) found.emplace(find());
  } catch (...) {
    wait_for_first(ranks, true);
    throw;
  }
  wait_for_first(ranks, false);
  if (ranks.rank() != 0) found.emplace(find());
  return std::move(*found);
}

/// A progress bar for work counted by all ranks, shown by the first one.
class JointCounter {
 public:
  /// @param total  Of all ranks.
  JointCounter(const std::string& phase, std::size_t total, Communicator& ranks);
  ~JointCounter();
  JointCounter(const JointCounter&) = delete;
  JointCounter& operator=(const JointCounter&) = delete;

  /// Callback for this rank's share, which also checks for interrupts; must not outlive this object.
  ProgressCallback callback();
  /// Removes the bar when no rank counts any more.
  void clear();

 private:
  void show();

  const std::string phase_;
  const std::size_t total_;
  Communicator& ranks_;
  std::mutex mutex_;
  ProgressBar bar_;
  double own_ = 0, others_ = 0;
};

/// Joins the processes that mpirun started, if any. Waits for them no longer than FERNWOOD_JOIN_SECONDS, then ends the
/// program.
std::unique_ptr<Communicator> join_others();

}  // namespace fernwood::apps
