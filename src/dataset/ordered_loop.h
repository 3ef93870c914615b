// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>

#include "fernwood/core/parallel.h"

namespace fernwood::dataset {

/// Like ThreadPool::for_each, but of several exceptions the one of the lowest index is rethrown, so that the message
/// does not depend on the number of threads.
template <typename Body>
void for_each_in_order_of_failure(ThreadPool& pool, std::size_t count, const Body& body) {
  std::atomic<std::size_t> first_failed{count};
  std::exception_ptr failure;
  std::mutex mutex;
  pool.for_each(count, [&](std::size_t i, int worker) {
    if (i > first_failed) return;
    try {
      body(i, worker);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (i < first_failed) {
        first_failed = i;
        failure = std::current_exception();
      }
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace fernwood::dataset
