// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/leaf_sketches.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "core/messages.h"
#include "fernwood/core/error.h"
#include "fernwood/stream/ben_haim.h"
#include "stream/noise_values.h"

namespace fernwood::stream {
namespace {

using Counts = std::vector<std::uint32_t>;
constexpr std::size_t kSlots = 3, kAttributes = 3, kClasses = 4;
constexpr AttributeRange kAll = {0, kAttributes};
const std::vector<std::size_t> kAllSlots = {0, 1, 2};

/// What cells() tells, to keep.
struct Told {
  std::vector<float> thresholds;
  Counts counts, unknown;

  bool operator==(const Told&) const = default;
  /// [class] Known values.
  Counts known() const {
    Counts sums(unknown.size());
    for (std::size_t i = 0; i < counts.size(); ++i) sums[i % sums.size()] += counts[i];
    return sums;
  }
};

CountLayout some_layout() {
  CountLayout layout{kAttributes, kClasses, {}};
  for (std::size_t a = 0; a < kAttributes; ++a) {
    for (const float edge : {-0.5f, 0.0f, 0.25f, 0.75f}) layout.grid.edges.push_back(edge);
    layout.grid.starts.push_back(static_cast<std::uint32_t>(layout.grid.edges.size()));
  }
  return layout;
}

/// Values with few and many different ones, some unknown, of all classes, in all slots and in none.
CountedRecords some_records(std::size_t num_records) {
  CountedRecords records;
  records.num_records = records.bin_step = num_records;
  const CountLayout layout = some_layout();
  for (std::uint32_t a = 0; a < kAttributes; ++a)
    for (std::uint32_t i = 0; i < num_records; ++i) {
      const Draw drawn = draw(3, Purpose::kProbe, 2, a, i);
      const float wide = 2 * drawn.unit(0) - 1, few = static_cast<float>(drawn.between(1, -2, 2)) / 2;
      records.values.push_back(drawn.below(2, 10) == 0 ? __builtin_nanf("") : a == 0 ? few : wide);
      records.bins.push_back(bin_of(records.values.back(), layout.grid.edges_of(a).data(), 4));
    }
  for (std::uint32_t i = 0; i < num_records; ++i) {
    const Draw drawn = draw(3, Purpose::kProbe, 3, 0, i);
    records.labels.push_back(drawn.between(0, 0, kClasses - 1));
    records.slots.push_back(drawn.between(1, -1, kSlots - 1));
    records.nodes.push_back(0);
  }
  return records;
}

class EveryKind : public testing::TestWithParam<SketchKind> {
 protected:
  std::unique_ptr<LeafSketches> make(std::size_t num_slots = kSlots) const {
    auto sketches = make_leaf_sketches(GetParam(), 16);
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
    EXPECT_EQ(cells.num_classes, kClasses);
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
INSTANTIATE_TEST_SUITE_P(LeafSketches, EveryKind, testing::ValuesIn(kSketchKinds),
                         [](const auto& info) { return "kind" + std::to_string(static_cast<int>(info.param)); });

TEST_P(EveryKind, CountsEachRecordOfASlotOnceByItsClassAndUnknownValuesApart) {
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

TEST_P(EveryKind, CountsListedRecordsAndAttributesOfARangeOnly) {
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

TEST_P(EveryKind, TwoPartsMergedAreTheWhole) {
  const auto first = make_of({0, 250}), second = make_of({250, 600}), whole = make_of({0, 600});
  all_told(*first);  // What was looked at can grow.
  for (std::size_t a = 0; a < kAttributes; ++a) first->merge(*second, kAllSlots, a);
  const std::vector<Told> merged = all_told(*first), expected = all_told(*whole);
  for (std::size_t i = 0; i < merged.size(); ++i) {
    EXPECT_EQ(merged[i].known(), expected[i].known());
    EXPECT_EQ(merged[i].unknown, expected[i].unknown);
    EXPECT_TRUE(GetParam() == SketchKind::kBenHaim || merged[i] == expected[i]);
  }
  for (const Told& left : all_told(*second)) EXPECT_TRUE(is_cleared(left));
}

TEST_P(EveryKind, MergesTheNamedSlotAndAttributeOnly) {
  const auto first = make(), second = make_of({0, 600});
  const std::vector<Told> before = all_told(*second);
  first->merge(*second, std::vector<std::size_t>{1}, 2);
  const std::vector<Told> here = all_told(*first), there = all_told(*second);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool moved = i == 1 * kAttributes + 2;
    EXPECT_EQ(moved ? here[i] : there[i], before[i]);
    EXPECT_TRUE(is_cleared(moved ? there[i] : here[i]));
  }
}

TEST_P(EveryKind, TakeAndAddMoveEverythingAndLeaveNothing) {
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

TEST_P(EveryKind, AddingIsMerging) {
  const auto first = make_of({0, 300}), same = make_of({0, 300}), second = make_of({300, 600}),
             other = make_of({300, 600});
  Bytes bytes;
  second->take(kAllSlots, kAll, bytes);
  first->add(kAllSlots, kAll, bytes, 0);
  for (std::size_t a = 0; a < kAttributes; ++a) same->merge(*other, kAllSlots, a);
  EXPECT_EQ(all_told(*first), all_told(*same));
}

TEST_P(EveryKind, RefusesBytesThatEndEarly) {
  Bytes bytes;
  make_of({0, 40})->take(kAllSlots, kAll, bytes);
  for (std::size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_THROW(
        make()->add(kAllSlots, kAll, Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)), 0), Error)
        << size;
}

TEST_P(EveryKind, ResizeKeepsWhatStaysAndClearEmptiesOneSlot) {
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

TEST_P(EveryKind, ASlotWithUnknownValuesOnlyHasOneEmptyRangeOfBins) {
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

/// One attribute, two classes, one slot.
class OneColumn {
 public:
  OneColumn(SketchKind kind, int bins) : sketches_(make_leaf_sketches(kind, bins)) {
    sketches_->reset({1, 2, {{0, 0}, {}}}, 1);
  }
  OneColumn& count(std::vector<float> values, std::vector<std::int32_t> labels) {
    CountedRecords records;
    records.num_records = values.size();
    records.values = std::move(values), records.labels = std::move(labels);
    records.slots.assign(records.num_records, 0);
    sketches_->count(records, {0, records.num_records}, {0, 1});
    return *this;
  }
  void expect(const std::vector<float>& thresholds, const Counts& counts) {
    LeafSketches::CellMemory memory;
    const Cells cells = sketches_->cells(0, 0, memory);
    EXPECT_EQ(std::vector<float>(cells.thresholds, cells.thresholds + cells.num_bins - 1), thresholds);
    EXPECT_EQ(Counts(cells.counts, cells.counts + cells.num_bins * 2), counts);
  }
  void add(const Bytes& bytes) { sketches_->add(std::vector<std::size_t>{0}, {0, 1}, bytes, 0); }
  std::size_t slot_bytes() const { return sketches_->slot_bytes(); }

 private:
  std::unique_ptr<LeafSketches> sketches_;
};

TEST(ExactValues, EndABinMidwayBetweenDifferentValues) {
  OneColumn column(SketchKind::kExact, 2);
  column.count({3, -0.0f, 0, -kInfinity, 3, kInfinity}, {0, 0, 1, 1, 0, 0});
  column.expect({-kInfinity, 1.5f, 3}, {0, 1, 1, 1, 2, 0, 1, 0});
  column.count({1, -1}, {1, 1});
  column.expect({-kInfinity, -0.5f, 0.5f, 2, 3}, {0, 1, 0, 1, 1, 1, 0, 1, 2, 0, 1, 0});
}

TEST(ExactValues, AreSortedAlikeWhateverTheirNumber) {
  for (const std::uint32_t n : {15u, 1000u, 20000u}) {
    std::vector<float> values = noise_values(9, n, -4, 8);
    OneColumn column(SketchKind::kExact, 2);
    column.count(values, std::vector<std::int32_t>(n, 1));
    std::ranges::sort(values);
    std::vector<float> thresholds;
    Counts counts = {0, 1};
    for (std::size_t i = 1; i < n; ++i)
      if (values[i] == values[i - 1])
        ++counts.back();
      else
        thresholds.push_back(records::threshold_between(values[i - 1], values[i])), counts.insert(counts.end(), {0, 1});
    column.expect(thresholds, counts);
    EXPECT_GE(column.slot_bytes(), n * 8);
  }
}

TEST(ExactValues, RefuseClassesAndValuesThatAreNone) {
  const auto key = [](float value, std::uint32_t label) { return std::uint64_t{ordered_bits(value)} << 32 | label; };
  const auto add = [](std::vector<std::uint64_t> keys) {
    Bytes bytes;
    Packer(bytes).put(keys);
    OneColumn(SketchKind::kExact, 2).add(bytes);
  };
  add({key(kInfinity, 1), key(-kInfinity, 0), std::uint64_t{UINT32_MAX} << 32});
  EXPECT_THROW(add({key(1, 2)}), Error);
  EXPECT_THROW(add({key(kInfinity, 1) + (std::uint64_t{1} << 32)}), Error);
  EXPECT_THROW(add({key(-kInfinity, 1) - (std::uint64_t{1} << 32)}), Error);
}

TEST(BenHaimBins, PartTheValuesOfAllClassesAndCountEachClassByItsOwnHistogram) {
  // Bins (0, 2), (1, 4), (2, 2): the first quarter ends where 1 + (2 + m) / 2 z = 2 with m = 2 + 2 z, z = sqrt(2) - 1.
  const double root = std::sqrt(2.0);
  OneColumn(SketchKind::kBenHaim, 4)
      .count({0, 0, 1, 1, 1, 1, 2, 2}, std::vector<std::int32_t>(8, 0))
      .expect({static_cast<float>(root - 1), 1, static_cast<float>(3 - root)}, {2, 0, 2, 0, 2, 0, 2, 0});
  // Both classes: bins (0, 4) and (1, 4), parted at 0, 0.5 and 1; but each class' own bin counts as a whole, so that
  // nothing lies behind 1.
  OneColumn(SketchKind::kBenHaim, 4)
      .count({0, 0, 0, 0, 1, 1, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1})
      .expect({0, 0.5f}, {4, 0, 0, 0, 0, 4});
}

TEST(BenHaimBins, RefuseBinsThatNoHistogramHas) {
  const auto add = [](std::vector<std::uint32_t> unknown, std::vector<Bin> bins) {
    Bytes bytes;
    Packer packer(bytes);
    packer.put(unknown);
    packer.put(bins);
    packer.put(std::vector<Bin>());
    OneColumn(SketchKind::kBenHaim, 2).add(bytes);
  };
  add({0, 1}, {{1, 2}, {3, 1}});
  EXPECT_THROW(add({0, 1, 0}, {}), Error);
  EXPECT_THROW(add({0, 1}, {{1, 1}, {2, 1}, {3, 1}}), Error);
  EXPECT_THROW(add({0, 1}, {{3, 1}, {1, 1}}), Error);
  EXPECT_THROW(add({0, 1}, {{1, 1}, {1, 1}}), Error);
  EXPECT_THROW(add({0, 1}, {{1, 0}}), Error);
  EXPECT_THROW(add({0, 1}, {{__builtin_nan(""), 1}}), Error);
}

}  // namespace
}  // namespace fernwood::stream
