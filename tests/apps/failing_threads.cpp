// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Refused threads, for tests and scripts/test_faults. Preloaded with LD_PRELOAD, this library allows at most
// MOST_THREADS threads beside the main thread, like a limit on the processes of a user.

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace {

using Start = void* (*)(void*);
using Create = int (*)(pthread_t*, const pthread_attr_t*, Start, void*);

std::atomic<long> num_running{0};

struct Task {
  Start start;
  void* argument;
};

void* run_counted(void* given) {
  const Task task = *static_cast<Task*>(given);
  std::free(given);
  void* const result = task.start(task.argument);
  --num_running;
  return result;
}

long most(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? std::atol(text) : 1'000'000;
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, Start start, void* argument) {
  static const auto create = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
  static const long most_threads = most("MOST_THREADS");
  auto* const task = static_cast<Task*>(std::malloc(sizeof(Task)));
  if (!task) return EAGAIN;
  *task = {start, argument};
  const int failure = ++num_running > most_threads ? EAGAIN : create(thread, attributes, run_counted, task);
  if (failure == 0) return 0;
  --num_running;
  std::free(task);
  return failure;
}
