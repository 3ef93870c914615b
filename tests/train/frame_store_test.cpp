// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/data/frame_store.h"

#include <gtest/gtest.h>

#include <set>

#include "dataset/frame_files.h"
#include "sentences.h"

namespace fernwood::train {
namespace {

/// Bytes of a frame of 2 x 3 pixels with colour: three integral images of 3 x 4 4-byte numbers, and 6 2-byte labels.
constexpr std::size_t kFrameBytes = 3 * 12 * 4 + 6 * 2;

class FrameStoreTest : public testing::Test {
 protected:
  FrameStoreTest() {
    for (const char* name : {"a", "b", "c", "d"}) dataset::add_frame(folder_, name);
    dataset_.emplace(dataset::Dataset::open(folder_.path()));
    classes_ = dataset_->scan_truth(pool_).classes;
  }
  FrameStore make_store(std::size_t budget_bytes) const {
    return FrameStore(*dataset_, classes_, lab_, budget_bytes, budget_bytes);
  }
  void visit(FrameStore& store, const std::vector<std::uint32_t>& indices) {
    std::atomic<int> visits = 0;
    store.visit(indices, pool_, [&](std::size_t, const LoadedFrame& frame, int) {
      EXPECT_EQ(frame.size_bytes(), kFrameBytes);
      ++visits;
    });
    EXPECT_EQ(visits, static_cast<int>(indices.size()));
  }

  dataset::TestFolder folder_;
  ThreadPool pool_{1};
  std::optional<dataset::Dataset> dataset_;
  image::ClassMap classes_;
  const image::Preparation lab_{image::ChannelLayout({"lab"})};
};

TEST_F(FrameStoreTest, KeepsAllFramesWithinTheBudgetAndDecodesEachOnce) {
  FrameStore store = make_store(4 * kFrameBytes);
  visit(store, {0, 1, 2, 3});
  visit(store, {0, 1, 2, 3});
  EXPECT_EQ(store.num_frames(), 4u);
  EXPECT_EQ(store.num_kept(), 4u);
  EXPECT_EQ(store.num_decoded(), 4u);
  EXPECT_EQ(store.kept_bytes(), 4 * kFrameBytes);
}

TEST_F(FrameStoreTest, DecodesFramesBeyondTheBudgetAtEachVisit) {
  FrameStore store = make_store(3 * kFrameBytes - 1);
  visit(store, {0, 1, 2, 3});
  EXPECT_EQ(store.num_kept(), 2u);
  EXPECT_EQ(store.kept_bytes(), 2 * kFrameBytes);
  visit(store, {0, 1, 2, 3});
  EXPECT_EQ(store.num_decoded(), 4u + 2u);
  visit(store, {1});
  EXPECT_EQ(store.num_decoded(), 6u);
}

TEST_F(FrameStoreTest, GivesUpFramesWhenItsBudgetShrinks) {
  FrameStore store = make_store(4 * kFrameBytes);
  visit(store, {0, 1, 2, 3});
  store.set_budget(2 * kFrameBytes + 1);
  EXPECT_TRUE(store.find(0) && store.find(1) && !store.find(2) && !store.find(3));
  EXPECT_EQ(store.kept_bytes(), 2 * kFrameBytes);
  store.set_budget(3 * kFrameBytes);
  visit(store, {0, 1, 2, 3});
  EXPECT_EQ(store.num_kept(), 3u);
}

TEST_F(FrameStoreTest, FramesThatWereReadAreNotReadAgain) {
  FrameStore store = make_store(4 * kFrameBytes);
  for (std::uint32_t i = 0; i < 4; ++i)
    store.keep_read(i, {{dataset_->read_frame(i), dataset_->read_labels(i, classes_)}, {}});
  const dataset::LabelledFrame copy = store.read(2);
  for (const char* name : {"a", "b", "c", "d"}) std::filesystem::remove(folder_ / (std::string(name) + "_colors.png"));
  EXPECT_EQ(store.read(2).labels, copy.labels);
  visit(store, {0, 1, 2, 3});
  EXPECT_EQ(store.num_decoded(), 4u);
  EXPECT_EQ(store.num_kept(), 4u);
}

TEST_F(FrameStoreTest, PositionsAreThoseOfTheIndicesAskedFor) {
  FrameStore store = make_store(0);
  ThreadPool pool(2);
  const std::vector<std::uint32_t> indices = {3, 1};
  std::vector<std::int32_t> seen(2, -1);
  store.visit(indices, pool, [&](std::size_t i, const LoadedFrame& frame, int worker) {
    EXPECT_LT(worker, 2);
    seen[i] = static_cast<std::int32_t>(frame.view().sums[5]);  // integral image at pixel (0, 0): its L
  });
  EXPECT_GT(seen[0], seen[1]);  // "d" is redder than "b", and therefore lighter
  EXPECT_EQ(store.num_kept(), 0u);
}

TEST_F(FrameStoreTest, ErrorsOfAFrameArePassedOn) {
  FrameStore store = make_store(1 << 20);
  folder_.write("c_colors.png", std::string("no image"));
  testdata::expect_refused(ErrorKind::kData, [&] { visit(store, {0, 1, 2, 3}); });
}

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
  EXPECT_EQ(cache.use(7), 0u);
  EXPECT_EQ(cache.use(5), 1u);
  EXPECT_EQ(cache.use(6), 2u);
  EXPECT_EQ(cache.num_misses(), 3u);
}

TEST(LruCache, KeepsKeysWhereTheyAre) {
  LruCache cache(2);
  cache.use(7);
  cache.use(5);
  EXPECT_EQ(cache.use(7), 0u);
  EXPECT_EQ(cache.num_hits(), 1u);
}

TEST(LruCache, TheLeastRecentlyUsedMakesRoom) {
  LruCache cache(2);
  cache.use(7);
  cache.use(5);
  cache.use(7);  // now 5 is the least recently used
  EXPECT_EQ(cache.use(9), 1u);
  EXPECT_EQ(cache.num_misses(), 3u);
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
  for (const std::uint32_t key : {1u, 1u, 2u}) EXPECT_EQ(cache.use(key), 0u);
  EXPECT_EQ(cache.num_hits(), 1u);
  EXPECT_EQ(cache.num_misses(), 2u);
  EXPECT_FALSE(cache.holds(1));
}

}  // namespace
}  // namespace fernwood::train
