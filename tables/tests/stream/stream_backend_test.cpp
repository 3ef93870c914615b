// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_backend.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "devices.h"
#include "fernwood/core/error.h"
#include "records/grow/split.h"
#include "stream/noise_values.h"

namespace fernwood::stream {
namespace {

/// Size and shape of the records of a test.
struct Load {
  std::uint32_t num_records = 0;
  std::size_t num_attributes = 1, num_classes = 2, num_slots = 1;
  std::size_t bins = 64;
  float unknown = 0;  ///< Share of unknown values.
  bool by_columns = false;
};

/// Random records in random leaves. The skew of attributes grows with their index; every fifth has fewer bins.
struct Records {
  explicit Records(const Load& load) : load(load), values(load.num_records, load.num_attributes) {
    layout.num_attributes = load.num_attributes, layout.num_classes = load.num_classes;
    for (std::size_t a = 0; a < load.num_attributes; ++a) add_attribute(static_cast<std::uint32_t>(a));
    for (std::uint32_t i = 0; i < load.num_records; ++i)
      labels.push_back(static_cast<std::int32_t>(noise(1000, i) % load.num_classes % (1 + noise(1001, i) % 7)));
    nodes.push_back({0, ~0});
    for (std::size_t leaf = 0; nodes.size() < 2 * load.num_slots - 1; ++leaf) {
      const auto index = static_cast<std::uint32_t>(leaf);
      nodes[leaf] = {0.1f + 0.3f * noise_values(2000 + index, 1, 0, 1)[0], static_cast<std::int32_t>(nodes.size()),
                     static_cast<std::uint16_t>(noise(3000, index) % load.num_attributes),
                     static_cast<std::uint16_t>(noise(3001, index) % 2)};
      nodes.insert(nodes.end(), 2, {});
    }
    std::int32_t slot = 0;
    for (records::RecordNode& node : nodes)
      if (node.is_leaf()) node.child = ~slot, ++slot;
    if (load.num_slots > 2) nodes.back().child = ~std::numeric_limits<std::int32_t>::max();  // not counted
  }

  void add_attribute(std::uint32_t a) {
    const std::vector<float> column = noise_values(a, load.num_records, 0, 1);
    for (std::uint32_t i = 0; i < load.num_records; ++i) {
      float value = column[i];
      for (std::uint32_t power = 0; power < a % 4; ++power) value *= column[i];
      const bool is_known = noise(500 + a, i) >= static_cast<std::uint32_t>(load.unknown * 4e9f);
      values(i, a) = is_known ? value : __builtin_nanf("");
    }
    const std::size_t num_bins = a % 5 == 4 ? std::max<std::size_t>(2, load.bins / 3) : load.bins;
    for (std::size_t b = 1; b < num_bins; ++b)
      layout.grid.edges.push_back(static_cast<float>(b) / static_cast<float>(num_bins));
    layout.grid.starts.push_back(static_cast<std::uint32_t>(layout.grid.edges.size()));
  }

  std::int32_t leaf_of(std::size_t i) const {
    std::int32_t node = 0;
    while (!nodes[static_cast<std::size_t>(node)].is_leaf()) {
      const records::RecordNode& test = nodes[static_cast<std::size_t>(node)];
      const float value = values(i, test.attribute);
      const bool left = is_nan(value) ? test.nan_left != 0 : value <= test.threshold;
      node = test.child + (left ? 0 : 1);
    }
    const std::int32_t slot = nodes[static_cast<std::size_t>(node)].leaf_index();
    return slot == std::numeric_limits<std::int32_t>::max() ? -1 : slot;
  }
  std::size_t bin_at(std::size_t i, std::size_t a) const {
    const auto edges = layout.grid.edges_of(a);
    if (is_nan(values(i, a))) return edges.size() + 1;
    return static_cast<std::size_t>(std::ranges::count_if(edges, [&](float edge) { return edge < values(i, a); }));
  }

  Load load;
  CountLayout layout;
  Array2<float> values;
  std::vector<std::int32_t> labels;
  std::vector<records::RecordNode> nodes;
};

Array2<std::uint64_t> plain_totals(const Records& records) {
  Array2<std::uint64_t> totals(records.load.num_slots, records.load.num_classes);
  for (std::size_t i = 0; i < records.labels.size(); ++i)
    if (const std::int32_t slot = records.leaf_of(i); slot >= 0)
      ++totals(static_cast<std::size_t>(slot), static_cast<std::size_t>(records.labels[i]));
  return totals;
}

/// Reference counts: [slot][attribute][bin][class].
std::vector<std::uint32_t> plain_counts(const Records& records, AttributeRange attributes) {
  const Grid& grid = records.layout.grid;
  std::vector<std::size_t> starts = {0};
  for (std::size_t a = attributes.begin; a < attributes.end; ++a)
    starts.push_back(starts.back() + (grid.num_bins(a) + 1) * records.load.num_classes);
  std::vector<std::uint32_t> counts(records.load.num_slots * starts.back());
  for (std::size_t i = 0; i < records.labels.size(); ++i) {
    const std::int32_t slot = records.leaf_of(i);
    if (slot < 0) continue;
    for (std::size_t a = attributes.begin; a < attributes.end; ++a)
      ++counts[static_cast<std::size_t>(slot) * starts.back() + starts[a - attributes.begin] +
               records.bin_at(i, a) * records.load.num_classes + static_cast<std::size_t>(records.labels[i])];
  }
  return counts;
}

std::vector<std::uint32_t> numbers_of(const Bytes& bytes) {
  std::vector<std::uint32_t> numbers(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

/// Reference for best_split(): tries all splits one after another.
template <typename Terms>
records::Split plain_split(const Records& records, const std::uint32_t* cells, std::size_t attribute,
                           std::int64_t min_leaf_samples) {
  const std::size_t num_classes = records.load.num_classes, num_bins = records.layout.grid.num_bins(attribute);
  const auto count_in = [&](std::size_t bin) {
    return std::accumulate(cells + bin * num_classes, cells + (bin + 1) * num_classes, std::int64_t{0});
  };
  records::Split best;
  best.attribute = static_cast<std::uint16_t>(attribute);
  const auto try_end = [&](std::size_t end, bool unknown_left) {
    std::int64_t num_left = 0, num_right = 0, sum_left = 0, sum_right = 0;
    for (std::size_t c = 0; c < num_classes; ++c) {
      std::int64_t left = 0, right = 0;
      for (std::size_t bin = 0; bin <= num_bins; ++bin)
        (bin == num_bins ? unknown_left : bin <= end) ? left += cells[bin * num_classes + c]
                                                      : right += cells[bin * num_classes + c];
      num_left += left, num_right += right;
      sum_left += Terms{}.term(left), sum_right += Terms{}.term(right);
    }
    if (num_left < min_leaf_samples || num_right < min_leaf_samples) return;
    const double purity = Terms{}.purity(sum_left, num_left) + Terms{}.purity(sum_right, num_right);
    if (!(purity > best.purity)) return;
    best.purity = purity, best.unknown_left = unknown_left;
    std::size_t last = end;
    while (last + 2 < num_bins && count_in(last + 1) == 0) ++last;
    best.rank = static_cast<std::uint32_t>((end + last) / 2);
    best.threshold = end + 1 < num_bins ? records.layout.grid.edges_of(attribute)[best.rank] : kInfinity;
  };
  for (std::size_t end = 0; end + 1 < num_bins; ++end) try_end(end, false);
  if (count_in(num_bins) == 0) return best;
  try_end(num_bins - 1, false);
  for (std::size_t end = 0; end + 1 < num_bins; ++end) try_end(end, true);
  return best;
}

std::vector<LeafSearch> plain_search(const Records& records, const StreamOptions& options) {
  const std::size_t num_attributes = records.load.num_attributes, num_classes = records.load.num_classes;
  const std::vector<std::uint32_t> counts = plain_counts(records, {0, num_attributes});
  std::vector<LeafSearch> found(records.load.num_slots);
  const std::uint32_t* cells = counts.data();
  for (LeafSearch& leaf : found)
    for (std::size_t a = 0; a < num_attributes; ++a) {
      const std::size_t num_bins = records.layout.grid.num_bins(a);
      const records::Split split =
          options.criterion == records::Criterion::kGini
              ? plain_split<records::GiniTerms>(records, cells, a, options.min_leaf_samples)
              : plain_split<records::EntropyFormula>(records, cells, a, options.min_leaf_samples);
      // Attributes are in ascending order, so that the first of equal splits is kept.
      leaf.second = std::max(leaf.second, std::min(split.purity, leaf.best.purity));
      if (split.purity > leaf.best.purity) {
        leaf.best = split;
        leaf.left.assign(num_classes, 0);
        for (std::size_t c = 0; c < num_classes; ++c)
          for (std::size_t bin = 0; bin <= num_bins; ++bin)
            if (bin == num_bins ? split.unknown_left : bin <= split.rank) leaf.left[c] += cells[bin * num_classes + c];
      }
      cells += (num_bins + 1) * num_classes;
    }
  return found;
}

class StreamBackendOn : public DeviceTest {
 protected:
  /// Counts the records in a new backend.
  void count(const Records& records, AttributeRange attributes) {
    StreamWork work;
    work.device = to_string(GetParam());
    backend_ = make_stream_backend(options_, work, pool_);
    backend_->reset(records.layout, records.load.num_slots);
    slots_.resize(records.load.num_slots);
    std::iota(slots_.begin(), slots_.end(), std::size_t{0});
    held_ = hold(records);
    totals_ = Array2<std::uint64_t>(records.load.num_slots, records.load.num_classes);
    backend_->navigate(*held_, records.nodes, totals_);
    backend_->update(*held_, attributes);
    backend_->merge(slots_, attributes);
  }

  std::unique_ptr<HeldRecords> hold(const Records& records) {
    if (!records.load.by_columns)
      return backend_->hold(
          records::records_by_rows(records.values.data(), records.values.rows(), records.values.cols()), records.labels,
          {});
    std::vector<float> columns;
    for (std::size_t a = 0; a < records.values.cols(); ++a)
      for (std::size_t i = 0; i < records.values.rows(); ++i) columns.push_back(records.values(i, a));
    return backend_->hold(records::records_by_columns(columns.data(), records.values.rows(), records.values.cols()),
                          records.labels, {});
  }

  std::vector<std::uint32_t> take(AttributeRange attributes) {
    Bytes bytes;
    backend_->take(slots_, attributes, bytes);
    return numbers_of(bytes);
  }

  void expect_counts(const Load& load, AttributeRange attributes) {
    const Records records(load);
    count(records, attributes);
    EXPECT_EQ(totals_, plain_totals(records));
    EXPECT_EQ(take(attributes), plain_counts(records, attributes));
  }
  void expect_counts(const Load& load) { expect_counts(load, {0, load.num_attributes}); }

  void expect_searches(const Load& load) {
    const Records records(load);
    count(records, {0, load.num_attributes});
    const std::vector<LeafSearch> found = backend_->search(slots_, totals_, {0, load.num_attributes});
    const std::vector<LeafSearch> expected = plain_search(records, options_);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t s = 0; s < found.size(); ++s) {
      ASSERT_EQ(found[s].best.purity, expected[s].best.purity) << "slot " << s;
      ASSERT_EQ(found[s].second, expected[s].second) << "slot " << s;
      ASSERT_EQ(found[s].left, expected[s].left) << "slot " << s;
      if (!found[s].best.found()) continue;
      ASSERT_EQ(found[s].best.attribute, expected[s].best.attribute) << "slot " << s;
      ASSERT_EQ(found[s].best.threshold, expected[s].best.threshold) << "slot " << s;
      ASSERT_EQ(found[s].best.unknown_left, expected[s].best.unknown_left) << "slot " << s;
    }
  }

  StreamOptions options_;
  ThreadPool pool_{3};
  std::unique_ptr<StreamBackend> backend_;
  std::unique_ptr<HeldRecords> held_;
  std::vector<std::size_t> slots_;
  Array2<std::uint64_t> totals_;
};
INSTANTIATE_TEST_SUITE_P(EveryDevice, StreamBackendOn, testing::ValuesIn(cpu_and_gpus()), name_of_device);

TEST_P(StreamBackendOn, CountsEachValueOnceWhateverTheShapes) {
  expect_counts({.num_records = 1});
  expect_counts({.num_records = 33, .num_attributes = 70, .num_classes = 3, .num_slots = 3, .unknown = 0.2f});
  expect_counts({.num_records = 20000, .num_attributes = 3});
  expect_counts({.num_records = 20000, .num_attributes = 7, .num_slots = 9, .bins = 255, .unknown = 0.1f});
  expect_counts({.num_records = 5000, .num_attributes = 5, .num_classes = 26, .num_slots = 12, .by_columns = true});
  expect_counts({.num_records = 30000, .num_attributes = 4, .num_classes = 5, .num_slots = 700, .bins = 20});
}

TEST_P(StreamBackendOn, CountsOnlyTheAttributesAskedFor) {
  expect_counts({.num_records = 9000, .num_attributes = 11, .num_slots = 4}, {3, 8});
  const Records records({.num_records = 9000, .num_attributes = 11, .num_slots = 4});
  count(records, {3, 8});
  const std::vector<std::uint32_t> others = take({0, 3});
  EXPECT_EQ(others, std::vector<std::uint32_t>(others.size(), 0));
}

TEST_P(StreamBackendOn, CountsSlotsThatFitNoSharedMemoryBesideThoseThatDo) {
  expect_counts({.num_records = 60000, .num_attributes = 2, .num_classes = 4, .num_slots = 150, .bins = 255});
  expect_counts({.num_records = 3000, .num_attributes = 2, .num_classes = 900, .num_slots = 2, .bins = 100});
}

TEST_P(StreamBackendOn, AddsRoundsAndForgetsSlotsThatAreCleared) {
  const Records records({.num_records = 4000, .num_attributes = 3, .num_slots = 5});
  const AttributeRange all{0, 3};
  count(records, all);
  backend_->resize(8);
  backend_->clear(std::vector<std::size_t>{2});
  backend_->update(*held_, all);
  backend_->merge(slots_, all);
  std::vector<std::uint32_t> expected = plain_counts(records, all);
  const std::size_t slot_cells = expected.size() / 5;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (i / slot_cells != 2) expected[i] *= 2;
  EXPECT_EQ(take(all), expected);
  slots_ = {5, 6, 7};
  EXPECT_EQ(take(all), std::vector<std::uint32_t>(3 * slot_cells, 0));
}

TEST_P(StreamBackendOn, TakesWhatAnotherAdds) {
  const Records records({.num_records = 4000, .num_attributes = 6, .num_slots = 5, .unknown = 0.3f});
  count(records, {0, 6});
  const std::vector<std::uint32_t> expected = plain_counts(records, {2, 5});
  Bytes bytes = {1, 2, 3, 4};  // as after another message
  backend_->take(slots_, {2, 5}, bytes);
  EXPECT_EQ(backend_->add(slots_, {2, 5}, bytes, 4), bytes.size());
  EXPECT_EQ(backend_->add(slots_, {2, 5}, bytes, 4), bytes.size());
  std::vector<std::uint32_t> twice = expected;
  for (std::uint32_t& number : twice) number *= 2;
  EXPECT_EQ(take({2, 5}), twice);
  EXPECT_EQ(take({2, 5}), std::vector<std::uint32_t>(expected.size(), 0));
  bytes.pop_back();
  EXPECT_THROW(backend_->add(slots_, {2, 5}, bytes, 4), Error);
}

TEST_P(StreamBackendOn, GoesOnFromWhereRecordsAre) {
  Records records({.num_records = 3000, .num_attributes = 4, .num_classes = 3, .num_slots = 6, .unknown = 0.1f});
  count(records, {0, 4});
  // The leaf of slot 1 is split; its children use slots 1 and 0, and the other leaves are no longer counted.
  std::vector<records::RecordNode>& nodes = records.nodes;
  for (records::RecordNode& node : nodes)
    if (node.is_leaf() && node.leaf_index() != 1) node.child = ~std::numeric_limits<std::int32_t>::max();
  const auto leaf = static_cast<std::size_t>(
      std::ranges::find_if(nodes, [](const records::RecordNode& n) { return n.is_leaf() && n.leaf_index() == 1; }) -
      nodes.begin());
  nodes[leaf] = {0.4f, static_cast<std::int32_t>(nodes.size()), 1, 1};
  nodes.push_back({0, ~1});
  nodes.push_back({0, ~0});
  std::ranges::fill(totals_, 0);
  backend_->navigate(*held_, nodes, totals_);
  EXPECT_EQ(totals_, plain_totals(records));
}

TEST_P(StreamBackendOn, FindsTheSplitsThatTryingAllFinds) {
  expect_searches({.num_records = 3000, .num_attributes = 6, .num_slots = 9});
  expect_searches({.num_records = 3000, .num_attributes = 6, .num_slots = 9, .bins = 255, .unknown = 0.2f});
  expect_searches({.num_records = 2000, .num_attributes = 40, .num_classes = 5, .num_slots = 5, .bins = 20});
  expect_searches({.num_records = 2000, .num_attributes = 3, .num_classes = 26, .num_slots = 200, .unknown = 0.05f});
  expect_searches({.num_records = 300, .num_attributes = 3, .num_slots = 4, .bins = 100, .unknown = 0.9f});
  expect_searches({.num_records = 500, .num_attributes = 2, .num_classes = 3000, .num_slots = 3, .bins = 2});
}

TEST_P(StreamBackendOn, FindsTheSplitsOfEntropyThatTryingAllFinds) {
  options_.criterion = records::Criterion::kEntropy;
  expect_searches({.num_records = 3000, .num_attributes = 6, .num_slots = 9});
  expect_searches({.num_records = 2000, .num_attributes = 5, .num_classes = 26, .num_slots = 9, .unknown = 0.1f});
}

TEST_P(StreamBackendOn, LeavesNoSideWithFewerRecordsThanAskedFor) {
  options_.min_leaf_samples = 40;
  expect_searches({.num_records = 2000, .num_attributes = 4, .num_slots = 20, .unknown = 0.1f});
}

TEST_P(StreamBackendOn, FindsNothingWhereAllRecordsAreOfOneBin) {
  const Records records({.num_records = 50, .num_attributes = 2, .bins = 2});
  Records same = records;
  std::ranges::fill(same.values, 0.25f);
  count(same, {0, 2});
  const std::vector<LeafSearch> found = backend_->search(slots_, totals_, {0, 2});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].best.found());
  EXPECT_TRUE(found[0].left.empty());
}

TEST_P(StreamBackendOn, HoldsNoRecords) { expect_counts({.num_records = 0, .num_attributes = 2}); }

TEST(Division, PartsCoverAllOnceAndEvenly) {
  for (std::size_t count = 0; count < 40; ++count)
    for (std::size_t parts = 1; parts < 12; ++parts) {
      std::size_t at = 0;
      for (std::size_t i = 0; i < parts; ++i) {
        const AttributeRange range = part_of(count, i, parts);
        EXPECT_EQ(range.begin, at);
        EXPECT_GE(range.size(), count / parts);
        EXPECT_LE(range.size(), (count + parts - 1) / parts);
        at = range.end;
      }
      EXPECT_EQ(at, count);
    }
}

/// Each part of the records of each attribute must be counted once, and each attribute searched once.
TEST(Division, OfRanksCountsAndSearchesEverythingOnce) {
  for (const Parallel parallel : {Parallel::kData, Parallel::kFeature, Parallel::kDataFeature})
    for (std::size_t num_ranks = 1; num_ranks <= 12; ++num_ranks)
      for (const std::size_t num_attributes : {1, 2, 5, 54}) {
        const Division ranks = divide_among_ranks(parallel, num_ranks);
        ASSERT_EQ(ranks.record_parts * ranks.attribute_parts, num_ranks);
        Array2<int> counted(ranks.record_parts, num_attributes);
        std::vector<int> owned(num_attributes);
        for (std::size_t rank = 0; rank < num_ranks; ++rank) {
          const RankShare share = share_of(rank, ranks, num_attributes);
          for (std::size_t a = share.counted.begin; a < share.counted.end; ++a) ++counted(share.record_part, a);
          for (std::size_t a = share.owned.begin; a < share.owned.end; ++a) ++owned[a];
          EXPECT_GE(share.owned.begin, share.counted.begin);
          EXPECT_LE(share.owned.end, share.counted.end);
        }
        EXPECT_THAT(std::vector<int>(counted.begin(), counted.end()), testing::Each(1));
        EXPECT_THAT(owned, testing::Each(1));
      }
}

}  // namespace
}  // namespace fernwood::stream
