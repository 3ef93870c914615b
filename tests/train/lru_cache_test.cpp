// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/data/lru_cache.h"

#include <gtest/gtest.h>

#include <vector>

namespace fernwood::train {
namespace {

std::size_t slot_of(LruCache& cache, std::uint32_t key) { return cache.use(key).slot; }

/// Number of hits of `visits` visits to the keys 0 … num_keys - 1, always in ascending order, or with every other visit
/// in descending order (`turns`).
std::size_t hits(std::size_t num_slots, std::uint32_t num_keys, int visits, bool turns) {
  LruCache cache(num_slots);
  for (int v = 0; v < visits; ++v)
    for (std::uint32_t i = 0; i < num_keys; ++i) cache.use(turns && v % 2 == 1 ? num_keys - 1 - i : i);
  EXPECT_EQ(cache.num_hits() + cache.num_misses(), num_keys * static_cast<std::size_t>(visits));
  return cache.num_hits();
}

TEST(LruCache, GivesEmptySlotsFirst) {
  LruCache cache(3);
  EXPECT_EQ(slot_of(cache, 7), 0u);
  EXPECT_EQ(slot_of(cache, 5), 1u);
  EXPECT_EQ(slot_of(cache, 6), 2u);
  EXPECT_EQ(cache.num_misses(), 3u);
}

TEST(LruCache, KeepsKeysWhereTheyAre) {
  LruCache cache(2);
  cache.use(7);
  cache.use(5);
  const LruCache::Place place = cache.use(7);
  EXPECT_TRUE(place.hit);
  EXPECT_EQ(place.slot, 0u);
  EXPECT_EQ(cache.num_hits(), 1u);
}

TEST(LruCache, TheLeastRecentlyUsedMakesRoom) {
  LruCache cache(2);
  cache.use(7);
  cache.use(5);
  cache.use(7);  // now 5 is the least recently used
  const LruCache::Place place = cache.use(9);
  EXPECT_FALSE(place.hit);
  EXPECT_EQ(place.slot, 1u);
  EXPECT_TRUE(cache.holds(7));
  EXPECT_FALSE(cache.holds(5));
  EXPECT_TRUE(cache.holds(9));
}

TEST(LruCache, VisitsForthAndBackHitWhatItHoldsAndVisitsForthNothing) {
  // With 10 keys and 4 slots, each visit finds the last 4 keys of the previous one.
  EXPECT_EQ(hits(4, 10, 5, true), 4u * 4);
  EXPECT_EQ(hits(4, 10, 5, false), 0u);
}

TEST(LruCache, WhatFitsIsBroughtOnce) {
  EXPECT_EQ(hits(10, 10, 5, false), 40u);
  EXPECT_EQ(hits(11, 10, 5, true), 40u);
}

TEST(LruCache, WorksWithOneSlot) {
  LruCache cache(1);
  EXPECT_FALSE(cache.use(1).hit);
  EXPECT_TRUE(cache.use(1).hit);
  EXPECT_FALSE(cache.use(2).hit);
  EXPECT_FALSE(cache.holds(1));
}

}  // namespace
}  // namespace fernwood::train
