// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace fernwood {

/// A fixed number of threads that execute loops together. Loops may be nested; results must not depend on the schedule.
class ThreadPool {
 public:
  /// @param num_threads  Number of threads; 0: one for each core that the process may run on.
  explicit ThreadPool(int num_threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const;

  /// Calls `body(i, worker)` once for every i in [0, count), each i on one of the threads.
  /// `worker` in [0, num_threads) is the number of the thread, which may serve as an index of scratch memory. No other
  /// body of the loop gets it while the body runs a nested loop; the bodies of the nested loop need their own scratch
  /// memory. The first exception thrown by a body ends the loop and is rethrown here.
  void for_each(std::size_t count, const std::function<void(std::size_t i, int worker)>& body);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

/// Calls `body(i)` once for every i in [0, count), on the threads of `pool`; if it is null, on this thread and in
/// order.
void for_each(ThreadPool* pool, std::size_t count, const std::function<void(std::size_t i)>& body);

}  // namespace fernwood
