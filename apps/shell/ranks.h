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

#include "apps/shell/console.h"
#include "fernwood/core/communicator.h"
#include "fernwood/core/error.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::apps {

/// What is said when mpirun ends all processes of a job because one has ended, or when one is lost, which ends the job.
/// Nothing for one process.
/// @param checkpoint  Where there may be something to go on from; empty: nowhere.
/// @param next_time   How there would be, where it is nowhere.
void register_exit_message(Communicator& communicator, const std::filesystem::path& checkpoint,
                           const std::string& next_time);

/// Ends the program as a failure wants it, which one process tells, and with it the others.
[[noreturn]] void end_all(const Error& failure, Communicator& communicator);

/// Does a command's work in all processes that mpirun started, in threads of this process, one for each GPU that a list
/// names, or in this process; what fails in one ends all.
/// @param device  As of choose_device().
void work_on_ranks(const std::string& device, const std::function<void(Communicator&)>& work);

/// Reports a command line that is wrong, on standard error; once, where mpirun gave it to several processes, which then
/// all end with `exit_code`.
void report_usage_error(const std::string& sentence, int exit_code);

/// For all ranks, after the first one has done what all depend on.
/// @param failed  Of rank 0: it is about to end all by end_all(), which alone says why. Others do not return then.
void wait_for_first(Communicator& ranks, bool failed);

/// What all would find wrong is told once: the others wait until the first one has found it right.
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

/// A bar of work that all ranks count, shown by the first one.
class JointCounter {
 public:
  /// @param total  Of all ranks.
  JointCounter(const std::string& phase, std::size_t total, Communicator& ranks);
  ~JointCounter();
  JointCounter(const JointCounter&) = delete;
  JointCounter& operator=(const JointCounter&) = delete;

  /// For this rank's share, with a check whether the user asked to stop; must not outlive this.
  ProgressCallback callback();
  /// Removes the bar: no rank counts any more.
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

/// The GPU and threads of this process, where several share a machine.
void take_share(Communicator& ranks, predict::PredictOptions& options);

/// Joins the processes that mpirun started, if it did. Waits for them no longer than FERNWOOD_JOIN_SECONDS, then ends
/// the program.
std::unique_ptr<Communicator> join_others();

/// Processes that label together must have the same model, frames and options. @throws Error(kUsage).
/// @param more  Options of the command that results depend on, as one would write them.
void check_same_work(Communicator& ranks, const std::filesystem::path& model, const dataset::Dataset& dataset,
                     const predict::PredictOptions& options, const std::string& more);

}  // namespace fernwood::apps
