// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/parallel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/sanitizers.h"
#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood {
namespace {

class Parallel : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 4));

TEST_P(Parallel, VisitsEachIndexOnceOnAWorkerOfThePool) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.num_threads(), GetParam());
  std::vector<std::atomic<int>> visits(1000);
  std::atomic<bool> in_range = true;
  pool.for_each(visits.size(), [&](std::size_t i, int worker) {
    ++visits[i];
    if (worker < 0 || worker >= GetParam()) in_range = false;
  });
  for (const auto& count : visits) EXPECT_EQ(count, 1);
  EXPECT_TRUE(in_range);
}

TEST_P(Parallel, NothingToDoIsDone) {
  ThreadPool(GetParam()).for_each(0, [](std::size_t, int) { FAIL(); });
}

TEST_P(Parallel, RethrowsTheExceptionOfABodyAndWorksOn) {
  ThreadPool pool(GetParam());
  const auto fail_at_10 = [](std::size_t i, int) {
    if (i == 10) throw Error(ErrorKind::kData, "ten");
  };
  try {
    pool.for_each(100, fail_at_10);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_STREQ(error.what(), "ten");
  }
  std::atomic<int> calls = 0;
  pool.for_each(50, [&](std::size_t, int) { ++calls; });
  EXPECT_EQ(calls, 50);
}

TEST_P(Parallel, NestedLoopsVisitEachPairOnce) {
  ThreadPool pool(GetParam());
  std::vector<std::atomic<int>> visits(40 * 30);
  pool.for_each(40, [&](std::size_t i, int) { pool.for_each(30, [&](std::size_t j, int) { ++visits[i * 30 + j]; }); });
  for (const auto& count : visits) EXPECT_EQ(count, 1);
}

TEST_P(Parallel, AWorkersScratchIsItsOwnWhileItWaitsForANestedLoop) {
  ThreadPool pool(GetParam());
  std::vector<int> scratch(static_cast<std::size_t>(GetParam()), -1);
  std::atomic<int> num_overwritten = 0;
  pool.for_each(64, [&](std::size_t i, int worker) {
    scratch[static_cast<std::size_t>(worker)] = static_cast<int>(i);
    pool.for_each(8, [](std::size_t, int) { std::this_thread::sleep_for(std::chrono::microseconds(50)); });
    num_overwritten += scratch[static_cast<std::size_t>(worker)] != static_cast<int>(i);
  });
  EXPECT_EQ(num_overwritten, 0);
}

/// Largest number of bodies of a loop that ran at the same time. Each body waits until that number is the pool's number
/// of threads, or for five seconds.
int most_at_once(ThreadPool& pool) {
  std::mutex mutex;
  std::condition_variable changed;
  int num_running = 0, most = 0;
  const int wanted = pool.num_threads();
  pool.for_each(static_cast<std::size_t>(wanted), [&](std::size_t, int) {
    std::unique_lock lock(mutex);
    most = std::max(most, ++num_running);
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(5), [&] { return most == wanted; });
    --num_running;
  });
  return most;
}

TEST(ThreadPool, HasItsThreadsWhateverOtherPoolsThereAre) {
  const int num_cores = ThreadPool().num_threads();
  ThreadPool small(1), large(num_cores + 3), cores(num_cores), larger(num_cores + 6);
  EXPECT_EQ(most_at_once(larger), num_cores + 6);
  EXPECT_EQ(most_at_once(large), num_cores + 3);
  EXPECT_EQ(most_at_once(cores), num_cores);
  EXPECT_EQ(most_at_once(small), 1);
}

TEST(ThreadPool, ZeroMeansAllThereAre) { EXPECT_GE(ThreadPool().num_threads(), 1); }

TEST(ThreadPool, OneThreadGoesInOrder) {
  std::vector<std::size_t> order;
  ThreadPool(1).for_each(5, [&](std::size_t i, int) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(ForEach, WithoutAPoolGoesInOrderAndWithOneOverAll) {
  std::vector<std::size_t> order;
  for_each(nullptr, 4, [&](std::size_t i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
  ThreadPool pool(3);
  std::vector<int> calls(100, 0);
  for_each(&pool, calls.size(), [&](std::size_t i) { ++calls[i]; });
  EXPECT_EQ(calls, std::vector<int>(100, 1));
}

TEST(ThreadPool, RoundsToNearestOnAllThreadsWhateverTheCallerDoes) {
  const int before = std::fegetround();
  std::fesetround(FE_UPWARD);
  std::atomic<int> others = 0;
  ThreadPool pool(3);
  pool.for_each(300, [&](std::size_t, int) {
    if (std::fegetround() != FE_TONEAREST) ++others;
  });
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(before);
  EXPECT_EQ(others, 0);
}

TEST(ThreadPool, TakesOverTheThreadsOfOneThatWentAndNotOfOneThatIsThere) {
  for (int round = 0; round < 100; ++round) {
    ThreadPool outer(2), other(2);
    std::atomic<int> calls = 0;
    outer.for_each(10, [&](std::size_t, int) { ThreadPool(2).for_each(10, [&](std::size_t, int) { ++calls; }); });
    other.for_each(10, [&](std::size_t, int) { ++calls; });
    EXPECT_EQ(calls, 110);
  }
}

#ifndef FERNWOOD_ADDRESS_SANITIZER  // the sanitizer reserves the whole address space
/// TBB terminates a process whose threads cannot be created.
TEST(ThreadPoolDeathTest, ThreadsThatAreRefusedAreAResourceError) {
  const auto make_without_memory = [] {
    std::ifstream file("/proc/self/statm");
    rlim_t pages = 0;
    file >> pages;
    const rlim_t bytes = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (32 << 20);
    const rlimit limit = {bytes, bytes};
    ::setrlimit(RLIMIT_AS, &limit);
    try {
      ThreadPool pool(200);
    } catch (const Error& error) {
      std::cerr << error.what();
      std::_Exit(static_cast<int>(error.kind()));
    }
  };
  EXPECT_EXIT(make_without_memory(), testing::ExitedWithCode(static_cast<int>(ErrorKind::kResource)),
              "of 199 threads .* could be started: .*ulimit");
}
#endif

TEST(ThreadPool, RefusesImpossibleNumbers) {
  for (const int threads : {-1, 4097}) testdata::expect_refused(ErrorKind::kUsage, [&] { ThreadPool pool(threads); });
}

}  // namespace
}  // namespace fernwood
