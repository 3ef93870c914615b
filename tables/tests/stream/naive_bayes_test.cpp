// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/naive_bayes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fernwood/core/error.h"
#include "stream/noise_values.h"

namespace fernwood::stream {
namespace {

/// For each attribute, `count` edges at 0.5, 1.5, ...
Grid whole_edges(std::initializer_list<int> counts) {
  Grid grid;
  for (const int count : counts) {
    for (int i = 0; i < count; ++i) grid.edges.push_back(static_cast<float>(i) + 0.5f);
    grid.starts.push_back(static_cast<std::uint32_t>(grid.edges.size()));
  }
  return grid;
}

/// Values of record i: whole numbers, some of them unknown.
std::vector<float> values_of(std::uint32_t i) {
  return {static_cast<float>(noise(1, i) % 4), static_cast<float>(noise(2, i) % 64),
          noise(3, i) % 5 == 0 ? __builtin_nanf("") : static_cast<float>(noise(4, i) % 3)};
}
std::int32_t label_of(std::uint32_t i) {
  return static_cast<std::int32_t>((noise(1, i) % 4 + noise(2, i) % 64 / 20 + noise(5, i) % 3) % 3);
}

/// Classifiers of a tree; split() adds a test at the root: attribute 1 is at most 20.
class NaiveBayesOf : public testing::Test {
 protected:
  NaiveBayesOf() : tree_({.num_classes = 3}) {
    tree_.add_counts(0, std::vector<std::uint64_t>{100, 100, 100});
    bayes_.follow(CountLayout{3, 3, whole_edges({3, 63, 2})});
    bayes_.follow(tree_);
  }
  void count(std::uint32_t begin, std::uint32_t end, std::size_t node, std::int32_t only_label = -1) {
    for (std::uint32_t i = begin; i < end; ++i) {
      std::uint8_t bins[3];
      bayes_.find_bins(values_of(i).data(), bins);
      if (only_label < 0 || only_label == label_of(i)) bayes_.learn(node, bins, label_of(i));
    }
  }
  std::int32_t classify(std::size_t node, std::uint32_t i) const {
    std::uint8_t bins[3];
    bayes_.find_bins(values_of(i).data(), bins);
    return bayes_.classify(node, bins);
  }
  void split() {
    records::Split split;
    split.attribute = 1, split.threshold = 20;
    tree_.split(0, split, std::vector<std::uint64_t>{50, 30, 10}, std::vector<std::uint64_t>{100, 100, 100});
  }

  StreamTree tree_;
  NaiveBayes bayes_;
};

TEST_F(NaiveBayesOf, ChoosesTheClassOfTheFormula) {
  count(0, 2000, 0);
  std::uint32_t counts[3][10][3] = {}, totals[3] = {};  // 4, 8 and 3 bins, and one for unknown values
  const auto bin_in = [](std::size_t a, float value) -> std::size_t {
    constexpr std::size_t kBins[] = {4, 8, 3};
    if (std::isnan(value)) return kBins[a];
    return a == 1 ? static_cast<std::size_t>(value) / 8 : static_cast<std::size_t>(value);
  };
  for (std::uint32_t i = 0; i < 2000; ++i) {
    ++totals[label_of(i)];
    for (std::size_t a = 0; a < 3; ++a) ++counts[a][bin_in(a, values_of(i)[a])][label_of(i)];
  }
  int num_sure = 0;
  for (std::uint32_t i = 2000; i < 3000; ++i) {
    double sums[3];
    for (std::size_t c = 0; c < 3; ++c) {
      sums[c] = std::log(totals[c] + 1.0);
      constexpr double kBins[] = {5, 9, 4};
      for (std::size_t a = 0; a < 3; ++a)
        sums[c] += std::log((counts[a][bin_in(a, values_of(i)[a])][c] + 1.0) / (totals[c] + kBins[a]));
    }
    const auto best = std::max_element(sums, sums + 3);
    if (std::count_if(sums, sums + 3, [&](double sum) { return sum > *best - 1e-5; }) > 1) continue;
    ++num_sure;
    ASSERT_EQ(classify(0, i), best - sums) << i;
  }
  EXPECT_GT(num_sure, 900);
}

TEST_F(NaiveBayesOf, TheForestClassifiesAsTheLeaves) {
  count(0, 500, 0);
  split();
  bayes_.follow(tree_);
  count(500, 900, 2);
  for (const std::vector<std::uint8_t>& uses : {std::vector<std::uint8_t>{0, 1, 1}, {0, 0, 1}, {0, 1, 0}}) {
    records::RecordForest forest = bayes_.make_forest(tree_, uses);
    forest.classes = {"0", "1", "2"}, forest.attributes = {"a", "b", "c"};
    records::check_records(forest, "forest");
    ASSERT_EQ(forest.trees.size(), 3u);
    for (std::uint32_t i = 0; i < 1000; ++i) {
      const std::vector<float> values = values_of(i);
      const std::size_t leaf = values[1] <= 20 ? 1 : 2;
      const auto expected =
          uses[leaf] ? classify(leaf, i)
                     : static_cast<std::int32_t>(largest_class(tree_.counts(static_cast<std::int32_t>(leaf))));
      std::int32_t sums[3];
      records::sum_trees(forest, values.data(), sums);
      ASSERT_EQ(records::choose_class(forest.link, sums, 3), expected) << i;
    }
  }
}

TEST_F(NaiveBayesOf, ChildrenBeginWithTheirShares) {
  count(0, 3000, 0);
  split();
  EXPECT_EQ(bayes_.follow(tree_), std::vector<std::int32_t>{0});
  EXPECT_EQ(bayes_.follow(tree_), std::vector<std::int32_t>());  // reported once
  EXPECT_TRUE(bayes_.knows(0) && bayes_.knows(1) && bayes_.knows(2));
  // Class 0 is more frequent on the left, class 2 on the right.
  std::size_t of_class[3][3] = {};
  for (std::uint32_t i = 0; i < 1000; ++i)
    for (const std::size_t leaf : {1u, 2u}) ++of_class[leaf][classify(leaf, i)];
  EXPECT_GT(of_class[1][0], of_class[2][0]);
  EXPECT_GT(of_class[2][2], of_class[1][2]);
}

TEST_F(NaiveBayesOf, MoreClassesLeaveWhatWasCounted) {
  count(0, 1000, 0, 1);
  count(0, 1000, 0, 2);
  std::vector<std::int32_t> before;
  for (std::uint32_t i = 0; i < 300; ++i) before.push_back(classify(0, i));
  bayes_.follow(CountLayout{3, 9, whole_edges({3, 63, 2})});
  EXPECT_EQ(bayes_.num_classes(), 9u);
  for (std::uint32_t i = 0; i < 300; ++i) EXPECT_EQ(classify(0, i), before[i]);
}

TEST_F(NaiveBayesOf, IsReadBackAndRefusesWhatItCannotBe) {
  count(0, 400, 0);
  Bytes bytes;
  Packer packer(bytes);
  bayes_.pack(packer);
  NaiveBayes other;
  Unpacker unpacker(bytes);
  const CountLayout layout{3, 3, whole_edges({3, 63, 2})};
  other.unpack(unpacker, layout, 1);
  Bytes again;
  Packer other_packer(again);
  other.pack(other_packer);
  EXPECT_EQ(again, bytes);
  Unpacker of_fewer(bytes);
  EXPECT_THROW(other.unpack(of_fewer, layout, 0), Error);
  Unpacker of_others(bytes);
  EXPECT_THROW(other.unpack(of_others, {2, 3, whole_edges({3, 63})}, 1), Error);
}

}  // namespace
}  // namespace fernwood::stream
