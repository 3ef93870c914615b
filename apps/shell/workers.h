// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fernwood::apps {

/// Which of several processes with one command line this is: by a launcher (mpirun, srun), or by Workers.
struct WorkerPlace {
  int rank = 0;        ///< 0: the one that tells and writes results.
  int local_rank = 0;  ///< Among those of this machine.
};
/// @throws Error(kUsage) when the environment's numbers cannot be read.
WorkerPlace worker_place();

/// The device of a worker: of several GPUs that may be chosen each in turn.
/// @param device  As on the command line; one that names a GPU or the CPU stays.
std::string device_of_worker(const std::string& device, int local_rank);

/// `--workers`, processes that share a race.
void add_workers_option(CLI::App& command, int& workers);
/// @throws Error(kUsage) for less than one, or a great many.
void check_workers(int workers);
/// @param threads  As on the command line; 0: workers share all.
int threads_of_a_worker(int threads, int workers);

/// More processes of this program with the same command line, which end with it.
class Workers {
 public:
  /// @param count  Of all processes, this one included, >= 1. @throws Error(kRuntime) when one cannot be started.
  explicit Workers(int count);
  /// Waits for those that are left, having asked them to stop.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Waits for all to end. @return  How many failed.
  int wait();

 private:
  std::vector<pid_t> processes_;
};

}  // namespace fernwood::apps
