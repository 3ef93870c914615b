// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/draw.h"
#include "fernwood/core/error.h"
#include "stream/noise_values.h"
#include "stream/sketches/leaf_sketches.h"

namespace fernwood::stream {

using Counts = std::vector<std::uint32_t>;
inline constexpr std::size_t kSlots = 3, kAttributes = 3, kClasses = 4;
inline constexpr AttributeRange kAll = {0, kAttributes};
inline const std::vector<std::size_t> kAllSlots = {0, 1, 2};

/// Copy of the result of cells().
struct Told {
  std::vector<float> thresholds;
  Counts counts, unknown;

  bool operator==(const Told&) const = default;
  /// [class] Number of known values.
  Counts known() const {
    Counts sums(unknown.size());
    for (std::size_t i = 0; i < counts.size(); ++i) sums[i % sums.size()] += counts[i];
    return sums;
  }
};

inline CountLayout some_layout() {
  CountLayout layout{kAttributes, kClasses, {}};
  for (std::size_t a = 0; a < kAttributes; ++a) {
    for (const float edge : {-0.5f, 0.0f, 0.25f, 0.75f}) layout.grid.edges.push_back(edge);
    layout.grid.starts.push_back(static_cast<std::uint32_t>(layout.grid.edges.size()));
  }
  return layout;
}

/// Values that are few or many different ones, some unknown, of all classes, in all slots and without a slot.
inline CountedRecords some_records(std::size_t num_records) {
  CountedRecords records;
  records.num_records = records.bin_step = num_records;
  const CountLayout layout = some_layout();
  for (std::uint32_t a = 0; a < kAttributes; ++a)
    for (std::uint32_t i = 0; i < num_records; ++i) {
      const Draw drawn = draw(3, RngStream::kScene, 2, a, i);
      const float wide = 2 * drawn.unit(0) - 1, few = static_cast<float>(drawn.between(1, -2, 2)) / 2;
      records.values.push_back(drawn.below(2, 10) == 0 ? __builtin_nanf("") : a == 0 ? few : wide);
      records.bins.push_back(bin_of(records.values.back(), layout.grid.edges_of(a).data(), 4));
    }
  for (std::uint32_t i = 0; i < num_records; ++i) {
    const Draw drawn = draw(3, RngStream::kScene, 3, 0, i);
    records.labels.push_back(drawn.between(0, 0, kClasses - 1));
    records.slots.push_back(drawn.between(1, -1, kSlots - 1));
    records.nodes.push_back(0);
  }
  return records;
}

/// Properties of all leaf sketches. Each program instantiates the tests for its own sketches.
class EveryLeafSketch : public testing::TestWithParam<LeafSketchMaker> {
 protected:
  std::unique_ptr<LeafSketches> make(std::size_t num_slots = kSlots) const {
    auto sketches = GetParam().make(16);
    sketches->reset(some_layout(), num_slots);
    return sketches;
  }
  std::unique_ptr<LeafSketches> make_of(const RecordRange& range) const {
    auto sketches = make();
    sketches->count(records_, range, kAll);
    return sketches;
  }

  static Told told(const LeafSketches& sketches, std::size_t slot, std::size_t attribute) {
    LeafSketches::CellMemory memory;
    const Cells cells = sketches.cells(slot, attribute, memory);
    EXPECT_EQ(cells.row_size, kClasses);
    return {{cells.thresholds, cells.thresholds + cells.num_bins - 1},
            {cells.counts, cells.counts + cells.num_bins * kClasses},
            {cells.unknown, cells.unknown + kClasses}};
  }
  static std::vector<Told> all_told(const LeafSketches& sketches) {
    std::vector<Told> all;
    for (std::size_t slot = 0; slot < kSlots; ++slot)
      for (std::size_t a = 0; a < kAttributes; ++a) all.push_back(told(sketches, slot, a));
    return all;
  }
  static bool is_cleared(const Told& told) {
    return told.known() == Counts(kClasses) && told.unknown == Counts(kClasses);
  }

  const CountedRecords records_ = some_records(600);
};
TEST_P(EveryLeafSketch, CountsEachRecordOfASlotOnceByItsClassAndUnknownValuesApart) {
  const auto sketches = make_of({0, 600});
  for (std::size_t slot = 0; slot < kSlots; ++slot)
    for (std::size_t a = 0; a < kAttributes; ++a) {
      Counts known(kClasses), unknown(kClasses);
      for (std::size_t i = 0; i < 600; ++i)
        if (records_.slots[i] == static_cast<int>(slot))
          ++(is_nan(records_.values[a * 600 + i]) ? unknown : known)[static_cast<std::size_t>(records_.labels[i])];
      const Told found = told(*sketches, slot, a);
      EXPECT_EQ(found.known(), known);
      EXPECT_EQ(found.unknown, unknown);
      EXPECT_TRUE(std::ranges::is_sorted(found.thresholds, std::less_equal<>()));
    }
}

TEST_P(EveryLeafSketch, CountsListedRecordsAndAttributesOfARangeOnly) {
  const std::vector<std::uint32_t> listed = {5, 7, 599, 3, 8};
  const auto sketches = make();
  sketches->count(records_, {1, 4, listed.data()}, {1, 2});
  std::uint32_t sum = 0;
  for (const Told& found : all_told(*sketches)) {
    const Counts known = found.known();
    sum += std::accumulate(known.begin(), known.end(), 0u) +
           std::accumulate(found.unknown.begin(), found.unknown.end(), 0u);
  }
  std::uint32_t in_slots = 0;
  for (const std::size_t i : {7, 599, 3}) in_slots += records_.slots[i] >= 0;
  EXPECT_EQ(in_slots, 2u);
  EXPECT_EQ(sum, in_slots);
}

TEST_P(EveryLeafSketch, TwoPartsMergedAreTheWhole) {
  const auto first = make_of({0, 250}), second = make_of({250, 600}), whole = make_of({0, 600});
  all_told(*first);  // a sketch can grow after a query
  for (std::size_t a = 0; a < kAttributes; ++a) first->merge(*second, kAllSlots, a);
  const std::vector<Told> merged = all_told(*first), expected = all_told(*whole);
  for (std::size_t i = 0; i < merged.size(); ++i) {
    EXPECT_EQ(merged[i].known(), expected[i].known());
    EXPECT_EQ(merged[i].unknown, expected[i].unknown);
    EXPECT_TRUE(!GetParam().exact || merged[i] == expected[i]);
  }
  for (const Told& left : all_told(*second)) EXPECT_TRUE(is_cleared(left));
}

TEST_P(EveryLeafSketch, TakeAndAddMoveEverythingAndLeaveNothing) {
  const auto from = make_of({0, 600}), to = make();
  const std::vector<Told> before = all_told(*from);
  Bytes bytes = {1, 2, 3, 4};
  from->take(kAllSlots, {0, 2}, bytes);
  const std::size_t middle = bytes.size();
  from->take(kAllSlots, {2, 3}, bytes);
  EXPECT_EQ(to->add(kAllSlots, {0, 2}, bytes, 4), middle);
  EXPECT_EQ(to->add(kAllSlots, {2, 3}, bytes, middle), bytes.size());
  EXPECT_EQ(all_told(*to), before);
  for (const Told& left : all_told(*from)) EXPECT_TRUE(is_cleared(left));
}

TEST_P(EveryLeafSketch, RefusesBytesThatEndEarly) {
  Bytes bytes;
  make_of({0, 40})->take(kAllSlots, kAll, bytes);
  for (std::size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_THROW(
        make()->add(kAllSlots, kAll, Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)), 0), Error)
        << size;
}

TEST_P(EveryLeafSketch, ResizeKeepsWhatStaysAndClearEmptiesOneSlot) {
  const auto sketches = make_of({0, 600});
  const std::vector<Told> before = all_told(*sketches);
  sketches->resize(5);
  EXPECT_EQ(all_told(*sketches), before);
  EXPECT_TRUE(is_cleared(told(*sketches, 4, 0)));
  sketches->clear(1);
  for (std::size_t slot = 0; slot < kSlots; ++slot)
    for (std::size_t a = 0; a < kAttributes; ++a) {
      if (slot == 1)
        EXPECT_TRUE(is_cleared(told(*sketches, slot, a)));
      else
        EXPECT_EQ(told(*sketches, slot, a), before[slot * kAttributes + a]);
    }
  sketches->reset(some_layout(), kSlots);
  for (const Told& left : all_told(*sketches)) EXPECT_TRUE(is_cleared(left));
}

TEST_P(EveryLeafSketch, ASlotWithUnknownValuesOnlyHasOneEmptyRangeOfBins) {
  CountedRecords records;
  records.num_records = 1;
  records.values.assign(kAttributes, __builtin_nanf(""));
  records.bins.assign(kAttributes, 5);
  records.bin_step = 1;
  records.labels = {2}, records.nodes = {0}, records.slots = {0};
  const auto sketches = make();
  sketches->count(records, {0, 1}, kAll);
  EXPECT_EQ(told(*sketches, 0, 1).known(), Counts(kClasses));
  EXPECT_EQ(told(*sketches, 0, 1).unknown, (Counts{0, 0, 1, 0}));
}

}  // namespace fernwood::stream
