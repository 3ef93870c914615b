// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "fernwood/core/error.h"

namespace fernwood {

struct ThreadPool::Arena {
  explicit Arena(int num_threads)
      : limit(tbb::global_control::max_allowed_parallelism,
              static_cast<std::size_t>(std::max(num_threads, tbb::info::default_concurrency()))),
        arena(num_threads) {}
  tbb::global_control limit;  // more threads than cores are allowed, and no word about it on stderr
  tbb::task_arena arena;
};

ThreadPool::ThreadPool(int num_threads) {
  FW_CHECK(num_threads >= 0 && num_threads <= 4096, Usage,
           "--threads is " << num_threads << "; give a number from 1 to 4096, or 0 for all cores");
  arena_ = std::make_unique<Arena>(num_threads > 0 ? num_threads : tbb::info::default_concurrency());
  arena_->arena.initialize();
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::num_threads() const { return arena_->arena.max_concurrency(); }

void ThreadPool::for_each(std::size_t count, const std::function<void(std::size_t, int)>& body) {
  arena_->arena.execute([&] {
    // Isolated: a thread that waits for a nested loop must not take up another turn of the outer one meanwhile, or that
    // turn would overwrite the worker's scratch memory.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, count, 1),
          [&](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t i = range.begin(); i < range.end(); ++i)
              body(i, tbb::this_task_arena::current_thread_index());
          },
          tbb::simple_partitioner());
    });
  });
}

void for_each(ThreadPool* pool, std::size_t count, const std::function<void(std::size_t)>& body) {
  if (pool) return pool->for_each(count, [&](std::size_t i, int) { body(i); });
  for (std::size_t i = 0; i < count; ++i) body(i);
}

}  // namespace fernwood
