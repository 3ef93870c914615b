// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/workers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "shell/child_process.h"
#include "shell/options.h"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/platform.h"

namespace fernwood::apps {

namespace {

constexpr const char* kRankName = "FERNWOOD_WORKER";

/// The number in the first of some variables that is set; 0 if none is.
int number_of(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    char* end = nullptr;
    const long number = std::strtol(text, &end, 10);
    FW_CHECK(end != text && *end == 0 && number >= 0 && number < 1'000'000, Usage,
             "the variable " << name << " is \"" << text << "\", not the number of a process; unset it");
    return static_cast<int>(number);
  }
  return 0;
}

[[noreturn]] void fail_to_start(int rank, int error_number) {
  const bool is_limit = error_number == EAGAIN || error_number == ENOMEM;
  throw Error(is_limit ? ErrorKind::kResource : ErrorKind::kRuntime,
              "worker " + std::to_string(rank) + " could not be started: " + std::strerror(error_number) +
                  "; give fewer --workers" + (is_limit ? ", or allow more processes (ulimit -u)" : ""));
}

}  // namespace

WorkerPlace worker_place() {
  const WorkerPlace place = {number_of({kRankName, "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}),
                             number_of({kRankName, "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})};
  if (std::getenv(kRankName) != nullptr) platform::end_with_parent();
  return place;
}

std::string device_of_worker(const std::string& device, int local_rank) {
  if (device != "auto" && device != "cuda") return device;
  std::vector<Device> gpus = available_devices();
  std::erase_if(gpus, [](Device one) { return one.is_cpu(); });
  return gpus.empty() ? device : to_string(gpus[static_cast<std::size_t>(local_rank) % gpus.size()]);
}

void add_workers_option(CLI::App& command, int& workers) {
  add_number(command, "--workers", workers,
             "Number of processes that share the race, each with its own GPU as far as possible");
}

void check_workers(int workers) {
  require_option(workers >= 1 && workers <= 1000, "workers", workers, "give 1 to 1000");
}

int threads_of_a_worker(int threads, int workers) {
  return workers > 1 && threads == 0 ? std::max(1, ThreadPool(0).num_threads() / workers) : threads;
}

Workers::Workers(int count) : Workers() {  // constructed from here on: a failure ends those that have started
  for (int rank = 1; rank < count; ++rank) {
    const Child child = start_program(
        platform::own_arguments(),
        {.program = platform::own_program_to_start(), .variables = {kRankName + ("=" + std::to_string(rank))}});
    if (child.error_number != 0) fail_to_start(rank, child.error_number);
    processes_.push_back(child.process);
  }
}

Workers::~Workers() {
  for (const pid_t process : processes_) ::kill(process, SIGTERM);
  wait();
}

int Workers::wait() {
  int failed = 0;
  for (const pid_t process : processes_) {
    const int status = wait_for_child(process);
    failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
  processes_.clear();
  return failed;
}

}  // namespace fernwood::apps
