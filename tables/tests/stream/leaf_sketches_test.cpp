// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/leaf_sketches_laws.h"

namespace fernwood::stream {
namespace {

INSTANTIATE_TEST_SUITE_P(OfTheProduct, EveryLeafSketch, testing::Values(LeafSketchMaker{}),
                         [](const auto&) { return "bins"; });

TEST(GridCounts, TellOfEachBinOfTheGridWhatFellIntoIt) {
  GridCounts counts;
  counts.reset({1, 2, {{0, 2}, {1, 2}}}, 1);
  CountedRecords records;
  records.num_records = records.bin_step = 6;
  records.values = {0, 1, 1.5f, 9, 2, __builtin_nanf("")};
  records.bins = {0, 0, 1, 2, 1, 3};
  records.labels = {0, 1, 1, 0, 0, 1}, records.slots = {0, 0, 0, 0, -1, 0};
  counts.count(records, {0, 6}, {0, 1});
  LeafSketches::CellMemory memory;
  const Cells cells = counts.cells(0, 0, memory);
  EXPECT_EQ(Counts(cells.counts, cells.counts + 6), (Counts{1, 1, 0, 1, 1, 0}));
  EXPECT_EQ(Counts(cells.unknown, cells.unknown + 2), (Counts{0, 1}));
  EXPECT_EQ(std::vector<float>(cells.thresholds, cells.thresholds + 2), (std::vector<float>{1, 2}));
  EXPECT_EQ(counts.slot_bytes(), 4 * 2 * sizeof(std::uint32_t));
}

TEST(Cells, FitALeafUnlessMoreOfAClassWasCountedThanIsInIt) {
  const std::vector<std::uint32_t> counts = {1, 2, 3, 0}, unknown = {0, 1};  // two bins, two classes
  const float threshold = 0.5f;
  const Cells cells{counts.data(), &threshold, 2, unknown.data(), 2};
  const std::vector<std::uint64_t> all = {4, 3}, fewer = {4, 2};
  EXPECT_TRUE(fits(cells, all));
  EXPECT_FALSE(fits(cells, fewer));
}

}  // namespace
}  // namespace fernwood::stream
