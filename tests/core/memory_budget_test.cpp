// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/memory_budget.h"

#include <gtest/gtest.h>

#include <atomic>

#include "fernwood/core/parallel.h"

namespace fernwood {
namespace {

TEST(MemoryLimit, IsWhatTheUserChoseOrAShareOfWhatIsAvailable) {
  EXPECT_EQ(memory_limit(12345, {.parts = 1, .all = 4}), 12345u);
  EXPECT_GT(memory_limit(0, {.parts = 1, .all = 4}), 0u);
  EXPECT_LT(memory_limit(0, {.parts = 1, .all = 1000}), memory_limit(0, {.parts = 3, .all = 4}));
}

TEST(MemoryBudget, RefusesWhatExceedsItsLimitAndThenReservesNothing) {
  MemoryBudget budget(10);
  EXPECT_TRUE(budget.take(6));
  EXPECT_FALSE(budget.take(5));
  EXPECT_TRUE(budget.take(4));
  EXPECT_EQ(budget.taken_bytes(), 10u);
  budget.give_back(6);
  EXPECT_TRUE(budget.take(5));
}

TEST(MemoryBudget, AShrunkenLimitIsExceededUntilMemoryIsGivenBack) {
  MemoryBudget budget(10);
  EXPECT_TRUE(budget.take(8));
  budget.set_limit(7);
  EXPECT_TRUE(budget.is_exceeded());
  EXPECT_FALSE(budget.take(1));
  budget.give_back(8);
  EXPECT_FALSE(budget.is_exceeded());
  EXPECT_TRUE(budget.take(7));
}

TEST(MemoryBudget, ThreadsTakeExactlyTheLimit) {
  MemoryBudget budget(3 * 500);
  std::atomic<std::size_t> num_taken = 0;
  ThreadPool(4).for_each(1000, [&](std::size_t, int) { num_taken += budget.take(3); });
  EXPECT_EQ(num_taken, 500u);
  EXPECT_EQ(budget.taken_bytes(), budget.limit_bytes());
}

}  // namespace
}  // namespace fernwood
