// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/folder_in_progress.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

namespace fernwood::dataset {
namespace {

TEST(OrderedLoop, VisitsEveryIndexOnce) {
  ThreadPool pool(4);
  std::array<std::atomic<int>, 100> visits{};
  for_each_in_order_of_failure(pool, visits.size(), [&](std::size_t i, int) { ++visits[i]; });
  for (const std::atomic<int>& count : visits) EXPECT_EQ(count, 1);
}

TEST(OrderedLoop, RethrowsTheFailureOfTheLowestIndex) {
  for (const int num_threads : {1, 2, 5}) {
    ThreadPool pool(num_threads);
    std::atomic<int> visits_below{0};
    try {
      for_each_in_order_of_failure(pool, 100, [&](std::size_t i, int) {
        if (i < 37) ++visits_below;
        if (i == 37 || i == 38 || i > 90) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "37");
    }
    EXPECT_EQ(visits_below, 37);
  }
}

TEST(OrderedLoop, OfTwoFailuresAtOnceTheLowerIndexCountsWhicheverComesLater) {
  ThreadPool pool(2);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> running{0};
    try {
      for_each_in_order_of_failure(pool, 2, [&](std::size_t i, int) {
        ++running;
        for (int spin = 0; spin < 100 && running < 2; ++spin) std::this_thread::yield();  // one thread may run both
        for (int spin = 0; i == 1 && spin < round; ++spin) std::this_thread::yield();     // longer in each round
        throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      ASSERT_STREQ(error.what(), "0") << "in round " << round;
    }
  }
}

}  // namespace
}  // namespace fernwood::dataset
