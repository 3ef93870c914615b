// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/mailbox.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace fernwood {
namespace {

using std::chrono::milliseconds;

std::vector<int> take_all(Mailbox<int>& box) {
  std::vector<int> items;
  while (const std::optional<int> item = box.take()) items.push_back(*item);
  return items;
}

TEST(Mailbox, NewestWinsAndTheReplacedAreCounted) {
  Mailbox<int> box(2, WhenFull::kReplaceOldest);
  for (int i = 1; i <= 5; ++i) EXPECT_TRUE(box.put(i));
  box.close();
  EXPECT_EQ(take_all(box), (std::vector<int>{4, 5}));
  EXPECT_EQ(box.num_replaced(), 3u);  // 1, 2 and 3
}

TEST(Mailbox, NothingIsLostOrReorderedWhenPuttingWaits) {
  Mailbox<int> box(2, WhenFull::kWait);
  std::thread sender([&] {
    for (int i = 0; i < 1000; ++i) box.put(i);
    box.close();
  });
  const std::vector<int> items = take_all(box);
  sender.join();
  ASSERT_EQ(items.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(items[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(box.num_replaced(), 0u);
}

TEST(Mailbox, NeverHoldsMoreThanItsCapacity) {
  Mailbox<std::shared_ptr<int>> box(3, WhenFull::kReplaceOldest);
  const auto item = std::make_shared<int>(7);
  for (int i = 0; i < 100; ++i) box.put(item);
  EXPECT_EQ(item.use_count(), 4);  // three in the box, one here
}

TEST(Mailbox, ClosingWakesWhoWaitsForAnItem) {
  Mailbox<int> box(1, WhenFull::kWait);
  std::thread closer([&] {
    std::this_thread::sleep_for(milliseconds(20));
    box.close();
  });
  EXPECT_EQ(box.take(), std::nullopt);
  closer.join();
  EXPECT_FALSE(box.put(1));
  EXPECT_TRUE(box.is_finished());
}

TEST(Mailbox, ClosingWakesWhoWaitsForRoom) {
  Mailbox<int> box(1, WhenFull::kWait);
  box.put(1);
  std::thread closer([&] {
    std::this_thread::sleep_for(milliseconds(20));
    box.close();
  });
  EXPECT_FALSE(box.put(2));
  closer.join();
  EXPECT_FALSE(box.is_finished()) << "1 is still there";
  EXPECT_EQ(take_all(box), std::vector<int>{1});
  EXPECT_TRUE(box.is_finished());
}

TEST(Mailbox, RoomIsWaitedForOnlyWherePuttingWaits) {
  Mailbox<int> replacing(1, WhenFull::kReplaceOldest), waiting(1, WhenFull::kWait);
  replacing.put(1);
  EXPECT_TRUE(replacing.wait_for_room());
  EXPECT_TRUE(waiting.wait_for_room());
  waiting.put(1);
  std::thread taker([&] {
    std::this_thread::sleep_for(milliseconds(20));
    waiting.take();
  });
  EXPECT_TRUE(waiting.wait_for_room());
  taker.join();
  EXPECT_EQ(waiting.take_for(milliseconds(0)), std::nullopt) << "room came with the taking";
  waiting.close();
  EXPECT_FALSE(waiting.wait_for_room());
}

TEST(Mailbox, ClosingMayEmpty) {
  Mailbox<int> box(2, WhenFull::kReplaceOldest);
  box.put(1);
  box.close_and_empty();
  EXPECT_EQ(box.take(), std::nullopt);
}

TEST(Mailbox, PatienceEnds) {
  Mailbox<int> box(1, WhenFull::kReplaceOldest);
  EXPECT_EQ(box.take_for(milliseconds(5)), std::nullopt);
  EXPECT_FALSE(box.is_finished());
  box.put(3);
  EXPECT_EQ(box.take_for(milliseconds(5)), std::optional<int>(3));
}

TEST(Mailbox, RoomForNothingIsRefused) { EXPECT_THROW(Mailbox<int>(0, WhenFull::kWait), Error); }

}  // namespace
}  // namespace fernwood
