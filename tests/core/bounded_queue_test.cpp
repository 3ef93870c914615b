// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/bounded_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace fernwood {
namespace {

using std::chrono::milliseconds;

std::vector<int> pop_all(BoundedQueue<int>& queue) {
  std::vector<int> items;
  while (const std::optional<int> item = queue.pop()) items.push_back(*item);
  return items;
}

TEST(BoundedQueue, NewestWinsAndTheReplacedAreCounted) {
  BoundedQueue<int> queue(2, WhenFull::kReplaceOldest);
  for (int i = 1; i <= 5; ++i) EXPECT_TRUE(queue.push(i));
  queue.close();
  EXPECT_EQ(pop_all(queue), (std::vector<int>{4, 5}));
  EXPECT_EQ(queue.num_replaced(), 3u);  // 1, 2 and 3
}

TEST(BoundedQueue, NothingIsLostOrReorderedWhenPuttingWaits) {
  BoundedQueue<int> queue(2, WhenFull::kWait);
  std::thread sender([&] {
    for (int i = 0; i < 1000; ++i) queue.push(i);
    queue.close();
  });
  const std::vector<int> items = pop_all(queue);
  sender.join();
  ASSERT_EQ(items.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(items[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(queue.num_replaced(), 0u);
}

TEST(BoundedQueue, NeverHoldsMoreThanItsCapacity) {
  BoundedQueue<std::shared_ptr<int>> queue(3, WhenFull::kReplaceOldest);
  const auto item = std::make_shared<int>(7);
  for (int i = 0; i < 100; ++i) queue.push(item);
  EXPECT_EQ(item.use_count(), 4);  // three in the queue, one here
}

TEST(BoundedQueue, ClosingWakesWhoWaitsForAnItem) {
  BoundedQueue<int> queue(1, WhenFull::kWait);
  std::thread closer([&] {
    std::this_thread::sleep_for(milliseconds(20));
    queue.close();
  });
  EXPECT_EQ(queue.pop(), std::nullopt);
  closer.join();
  EXPECT_FALSE(queue.push(1));
  EXPECT_TRUE(queue.is_finished());
}

TEST(BoundedQueue, ClosingWakesWhoWaitsForRoom) {
  BoundedQueue<int> queue(1, WhenFull::kWait);
  queue.push(1);
  std::thread closer([&] {
    std::this_thread::sleep_for(milliseconds(20));
    queue.close();
  });
  EXPECT_FALSE(queue.push(2));
  closer.join();
  EXPECT_FALSE(queue.is_finished()) << "1 is still there";
  EXPECT_EQ(pop_all(queue), std::vector<int>{1});
  EXPECT_TRUE(queue.is_finished());
}

TEST(BoundedQueue, RoomIsWaitedForOnlyWherePuttingWaits) {
  BoundedQueue<int> replacing(1, WhenFull::kReplaceOldest), waiting(1, WhenFull::kWait);
  replacing.push(1);
  EXPECT_TRUE(replacing.wait_until_not_full());
  EXPECT_TRUE(waiting.wait_until_not_full());
  waiting.push(1);
  std::thread taker([&] {
    std::this_thread::sleep_for(milliseconds(20));
    waiting.pop();
  });
  EXPECT_TRUE(waiting.wait_until_not_full());
  taker.join();
  EXPECT_EQ(waiting.pop_for(milliseconds(0)), std::nullopt) << "room came with the taking";
  waiting.close();
  EXPECT_FALSE(waiting.wait_until_not_full());
}

TEST(BoundedQueue, ClosingMayEmpty) {
  BoundedQueue<int> queue(2, WhenFull::kReplaceOldest);
  queue.push(1);
  queue.close_and_clear();
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(BoundedQueue, TimeoutEnds) {
  BoundedQueue<int> queue(1, WhenFull::kReplaceOldest);
  EXPECT_EQ(queue.pop_for(milliseconds(5)), std::nullopt);
  EXPECT_FALSE(queue.is_finished());
  queue.push(3);
  EXPECT_EQ(queue.pop_for(milliseconds(5)), std::optional<int>(3));
}

TEST(BoundedQueue, RoomForNothingIsRefused) { EXPECT_THROW(BoundedQueue<int>(0, WhenFull::kWait), Error); }

}  // namespace
}  // namespace fernwood
