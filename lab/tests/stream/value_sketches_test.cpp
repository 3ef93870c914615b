// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/stream/value_sketches.h"

#include <cmath>

#include "core/messages.h"
#include "lab/stream/ben_haim.h"
#include "stream/leaf_sketches_laws.h"

namespace fernwood::stream {

INSTANTIATE_TEST_SUITE_P(OfTheExperiments, EveryLeafSketch,
                         testing::Values(lab::exact_leaf_sketches(), lab::ben_haim_leaf_sketches()),
                         [](const auto& maker) { return maker.param.exact ? "exact" : "ben_haim"; });

}  // namespace fernwood::stream

namespace fernwood::lab {
namespace {

using stream::Cells;
using stream::CountedRecords;
using stream::Counts;
using stream::kInfinity;
using stream::LeafSketches;
using stream::LeafSketchMaker;
using stream::noise_values;

/// One attribute, two classes, one slot.
class OneColumn {
 public:
  OneColumn(const LeafSketchMaker& maker, int bins) : sketches_(maker.make(bins)) {
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
  OneColumn column(exact_leaf_sketches(), 2);
  column.count({3, -0.0f, 0, -kInfinity, 3, kInfinity}, {0, 0, 1, 1, 0, 0});
  column.expect({-kInfinity, 1.5f, 3}, {0, 1, 1, 1, 2, 0, 1, 0});
  column.count({1, -1}, {1, 1});
  column.expect({-kInfinity, -0.5f, 0.5f, 2, 3}, {0, 1, 0, 1, 1, 1, 0, 1, 2, 0, 1, 0});
}

TEST(ExactValues, AreSortedAlikeWhateverTheirNumber) {
  for (const std::uint32_t n : {15u, 1000u, 20000u}) {
    std::vector<float> values = noise_values(9, n, -4, 8);
    OneColumn column(exact_leaf_sketches(), 2);
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
    OneColumn(exact_leaf_sketches(), 2).add(bytes);
  };
  add({key(kInfinity, 1), key(-kInfinity, 0), std::uint64_t{UINT32_MAX} << 32});
  EXPECT_THROW(add({key(1, 2)}), Error);
  EXPECT_THROW(add({key(kInfinity, 1) + (std::uint64_t{1} << 32)}), Error);
  EXPECT_THROW(add({key(-kInfinity, 1) - (std::uint64_t{1} << 32)}), Error);
}

TEST(BenHaimBins, PartTheValuesOfAllClassesAndCountEachClassByItsOwnHistogram) {
  // Bins (0, 2), (1, 4), (2, 2): the first quarter ends where 1 + (2 + m) / 2 z = 2 with m = 2 + 2 z, so z = sqrt(2) -
  // 1.
  const double root = std::sqrt(2.0);
  OneColumn(ben_haim_leaf_sketches(), 4)
      .count({0, 0, 1, 1, 1, 1, 2, 2}, std::vector<std::int32_t>(8, 0))
      .expect({static_cast<float>(root - 1), 1, static_cast<float>(3 - root)}, {2, 0, 2, 0, 2, 0, 2, 0});
  // Bins (0, 4) and (1, 4) of both classes, separated at 0, 0.5 and 1; each class counts its own bin entirely on one
  // side, so nothing remains beyond 1.
  OneColumn(ben_haim_leaf_sketches(), 4)
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
    OneColumn(ben_haim_leaf_sketches(), 2).add(bytes);
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
}  // namespace fernwood::lab
