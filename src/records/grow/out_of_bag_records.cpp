// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/grow/out_of_bag_records.h"

#include <algorithm>
#include <atomic>

namespace fernwood::records {

namespace {
/// Records whose sums stay in a processor's cache while tree after tree comes by.
constexpr std::size_t kBlock = 1024;
}  // namespace

OutOfBag::OutOfBag(bool wanted, std::size_t num_trees, std::size_t num_records)
    : seen_(wanted ? num_trees : 0, std::vector<bool>(num_records)) {}

void OutOfBag::note(std::size_t tree, std::span<const Sample> samples) {
  if (seen_.empty()) return;
  for (const Sample& sample : samples) seen_[tree][sample.record] = true;
}

std::optional<double> OutOfBag::accuracy(const RecordForest& forest, const RecordTable& table, ThreadPool& pool) const {
  if (seen_.empty()) return {};
  const std::size_t num_records = table.values.rows(), num_classes = forest.classes.size();
  std::atomic<std::size_t> num_right = 0, num_asked = 0;
  pool.for_each((num_records + kBlock - 1) / kBlock, [&](std::size_t block, int) {
    const std::size_t begin = block * kBlock, end = std::min(begin + kBlock, num_records);
    Array2<std::int32_t> sums(end - begin, num_classes);
    std::vector<bool> asked(end - begin);
    for (std::size_t t = 0; t < seen_.size(); ++t)
      for (std::size_t i = begin; i < end; ++i) {
        if (seen_[t][i]) continue;
        const RecordTree& tree = forest.trees[t];
        const float* const record = table.values.row(i);
        const auto leaf = static_cast<std::size_t>(
            find_leaf_of(tree.nodes, [&](std::uint16_t attribute) { return record[attribute]; }));
        for (std::size_t c = 0; c < num_classes; ++c) sums(i - begin, c) += tree.leaf_values(leaf, c);
        asked[i - begin] = true;
      }
    for (std::size_t i = begin; i < end; ++i) {
      if (!asked[i - begin]) continue;
      ++num_asked;
      num_right += choose_class(forest.link, sums.row(i - begin), num_classes) == table.labels[i];
    }
  });
  if (num_asked == 0) return {};
  return static_cast<double>(num_right) / static_cast<double>(num_asked);
}

}  // namespace fernwood::records
