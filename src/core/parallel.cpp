// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/platform/process_limits.h"
#include "core/sanitizers.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"

#if defined(FERNWOOD_THREAD_SANITIZER)
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
#endif

namespace fernwood {

namespace {

/// Sets the number of threads that TBB may use: all cores, or the size of the largest pool if that is more (otherwise
/// TBB uses fewer and prints a warning on stderr). Of several global_control objects TBB obeys the smallest, so that a
/// small pool would limit a large one; therefore the process has a single object, which only grows.
void allow_threads(std::size_t num_threads) {
  static std::mutex mutex;
  static auto& allowance = *new std::unique_ptr<tbb::global_control>;  // never destroyed, like FreeArenas
  constexpr auto kKind = tbb::global_control::max_allowed_parallelism;
  const std::scoped_lock lock(mutex);
  if (num_threads <= tbb::global_control::active_value(kKind)) return;
  auto larger = std::make_unique<tbb::global_control>(kKind, num_threads);
  allowance.swap(larger);  // the old one is destroyed last, so that loops running meanwhile keep their threads
}

/// Arenas that are not in use by a pool. TBB leaks some kilobytes per destroyed arena (oneTBB 2021.8: about 3 kB),
/// which adds up where a pool is created for each frame; so arenas are kept, and the next pool with the same number of
/// threads reuses one.
class FreeArenas {
 public:
  /// Never destroyed: threads may run until the process ends.
  static FreeArenas& all() {
    static auto* const arenas = new FreeArenas;
    return *arenas;
  }

  std::unique_ptr<tbb::task_arena> take(int num_threads) {
    {
      const std::scoped_lock lock(mutex_);
      if (auto& of_size = arenas_[num_threads]; !of_size.empty()) {
        std::unique_ptr<tbb::task_arena> arena = std::move(of_size.back());
        of_size.pop_back();
        return arena;
      }
    }
    auto arena = std::make_unique<tbb::task_arena>(num_threads);
    arena->initialize();
    return arena;
  }

  void give_back(int num_threads, std::unique_ptr<tbb::task_arena> arena) noexcept {
    try {
      const std::scoped_lock lock(mutex_);
      arenas_[num_threads].push_back(std::move(arena));
    } catch (const std::bad_alloc&) {
      // Otherwise the arena is destroyed.
    }
  }

 private:
  std::mutex mutex_;
  std::map<int, std::vector<std::unique_ptr<tbb::task_arena>>> arenas_;  // by number of threads
};

/// Starts `num_threads` threads and ends them. @throws Error(kResource) when the system allows fewer.
void check_threads_are_available(std::size_t num_threads) {
  std::latch all_started(1);
  std::vector<std::thread> threads;
  std::error_code failure;
  threads.reserve(num_threads);
  try {
    while (threads.size() < num_threads) threads.emplace_back([&] { all_started.wait(); });
  } catch (const std::system_error& error) {
    failure = error.code();
  } catch (const std::bad_alloc&) {  // running threads must be joined in any case
    failure = std::make_error_code(std::errc::not_enough_memory);
  }
  all_started.count_down();
  for (std::thread& thread : threads) thread.join();
  FW_CHECK(!failure, Resource,
           "of " << num_threads << " threads " << threads.size() << " could be started: " << failure.message()
                 << "; use fewer " << named_option("threads")
                 << ", or allow more processes or memory (ulimit -u, ulimit -v)");
}

/// oneTBB is not built for ThreadSanitizer, which therefore cannot see that the iterations of a loop happen after its
/// start and before its end; this class annotates it. Empty without that sanitizer.
class SeenLoop {
 public:
#if defined(FERNWOOD_THREAD_SANITIZER)
  SeenLoop() { __tsan_release(this); }
  ~SeenLoop() { __tsan_acquire(this); }
  class Turn {
   public:
    explicit Turn(SeenLoop& loop) : loop_(loop) { __tsan_acquire(&loop_); }
    ~Turn() { __tsan_release(&loop_); }

   private:
    SeenLoop& loop_;
  };
#else
  struct Turn {
    explicit Turn(SeenLoop&) {}
    ~Turn() {}
  };
#endif
};

/// Makes TBB start its threads, by work that one thread cannot complete; gives up after 50 ms on a busy machine.
void start_threads(tbb::task_arena& arena, std::size_t num_threads) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  std::atomic<std::size_t> num_here = 0;
  SeenLoop seen;
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, num_threads, 1),
        [&](const auto&) {
          const SeenLoop::Turn turn(seen);
          ++num_here;
          while (num_here < num_threads && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        },
        tbb::simple_partitioner());
  });
}

/// TBB starts threads on demand, and terminates the process if the system refuses one. So they are started here, once
/// for each number, after a check that the system allows them.
void reserve_threads(tbb::task_arena& arena, std::size_t num_threads) {
  static std::mutex mutex;
  static std::size_t most_started = 1;  // the calling thread
  const std::scoped_lock lock(mutex);
  if (num_threads <= most_started) return;
  check_threads_are_available(num_threads - 1);
  start_threads(arena, num_threads);
  most_started = num_threads;
}

}  // namespace

struct ThreadPool::Arena {
  explicit Arena(int num_threads) : num_threads(num_threads), arena(FreeArenas::all().take(num_threads)) {}
  ~Arena() { FreeArenas::all().give_back(num_threads, std::move(arena)); }
  int num_threads;
  std::unique_ptr<tbb::task_arena> arena;
};

ThreadPool::ThreadPool(int num_threads) {
  require_option(num_threads >= 0 && num_threads <= 4096, "threads", num_threads,
                 "use a number from 1 to 4096, or 0 for all cores");
  if (num_threads == 0) num_threads = platform::usable_threads();
  allow_threads(static_cast<std::size_t>(num_threads));
  arena_ = std::make_unique<Arena>(num_threads);
  reserve_threads(*arena_->arena, static_cast<std::size_t>(num_threads));
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::num_threads() const { return arena_->num_threads; }

void ThreadPool::for_each(std::size_t count, const std::function<void(std::size_t, int)>& body) {
  SeenLoop loop;
  arena_->arena->execute([&] {
    // The context passes this thread's floating-point settings to all helping threads.
    const DefaultFloats floats;
    tbb::task_group_context context(tbb::task_group_context::bound,
                                    tbb::task_group_context::default_traits | tbb::task_group_context::fp_settings);
    // Isolated: a thread that waits for a nested loop must not execute another iteration of the outer one meanwhile,
    // which would overwrite the worker's scratch memory.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, count, 1),
          [&](const tbb::blocked_range<std::size_t>& range) {
            const SeenLoop::Turn turn(loop);
            for (std::size_t i = range.begin(); i < range.end(); ++i)
              body(i, tbb::this_task_arena::current_thread_index());
          },
          tbb::simple_partitioner(), context);
    });
  });
}

void for_each(ThreadPool* pool, std::size_t count, const std::function<void(std::size_t)>& body) {
  if (pool) return pool->for_each(count, [&](std::size_t i, int) { body(i); });
  for (std::size_t i = 0; i < count; ++i) body(i);
}

}  // namespace fernwood
