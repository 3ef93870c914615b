// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fernwood::apps {

/// Identity among several processes with one command line, started by a launcher (mpirun, srun) or by Workers.
struct WorkerPlace {
  int rank = 0;        ///< 0: the process that reports and writes results.
  int local_rank = 0;  ///< Among the processes of this machine.
};
/// @throws Error(kUsage) when a number in the environment is invalid.
WorkerPlace worker_place();

/// The device of a worker: if several GPUs may be chosen, they are assigned in turn.
/// @param device  As on the command line; one that names a GPU or the CPU is returned unchanged.
std::string device_of_worker(const std::string& device, int local_rank);

/// `--workers`, processes that share a race.
void add_workers_option(CLI::App& command, int& workers);
/// @throws Error(kUsage) for less than one, or too many.
void check_workers(int workers);
/// @param threads  As on the command line; 0: workers share all.
int threads_of_a_worker(int threads, int workers);

/// Further processes of this program with the same command line, which end with it.
class Workers {
 public:
  /// @param count  Number of all processes, including this one, >= 1. @throws Error(kRuntime or kResource) when one
  /// cannot be started.
  explicit Workers(int count);
  /// Requests those still running to stop, and waits for them.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Waits for all to end. @return  The number of failures.
  int wait();

 private:
  Workers() = default;

  std::vector<pid_t> processes_;
};

}  // namespace fernwood::apps
