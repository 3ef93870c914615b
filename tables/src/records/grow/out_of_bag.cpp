// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/grow/out_of_bag.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "fernwood/records/value_errors.h"

namespace fernwood::records {

namespace {

/// Records in a block, whose sums stay in a processor's cache for all trees; fewer if there are many classes.
constexpr std::size_t kOutOfBagBlock = 1024, kMaxSums = std::size_t{1} << 22;

}  // namespace

OutOfBag::OutOfBag(bool wanted, std::size_t num_trees, std::size_t num_records)
    : seen_(wanted ? num_trees : 0, std::vector<bool>(num_records)) {}

void OutOfBag::note(std::size_t tree, std::span<const Sample> samples) {
  if (seen_.empty()) return;
  for (const Sample& sample : samples) seen_[tree][sample.record] = true;
}

/// @param leaves_of  leaves_of(tree) holds the values [leaf][output] of its leaves.
/// @param take       take(record, sums [output] over the trees that have not seen it, number of these trees).
template <typename T, typename LeavesOf, typename Take>
void OutOfBag::for_each_record(const RecordForest& forest, const RecordTable& table, ThreadPool& pool,
                               const LeavesOf& leaves_of, const Take& take) const {
  const std::size_t num_records = table.values.rows(), width = forest.num_outputs();
  const std::size_t block_size = std::clamp<std::size_t>(kMaxSums / width, 1, kOutOfBagBlock);
  pool.for_each((num_records + block_size - 1) / block_size, [&](std::size_t block, int) {
    const std::size_t begin = block * block_size, end = std::min(begin + block_size, num_records);
    Array2<T> sums(end - begin, width);
    std::vector<std::size_t> num_asked(end - begin);
    for (std::size_t t = 0; t < seen_.size(); ++t)
      for (std::size_t i = begin; i < end; ++i) {
        if (seen_[t][i]) continue;
        const RecordTree& tree = forest.trees[t];
        const float* const record = table.values.row(i);
        const auto leaf = static_cast<std::size_t>(
            find_leaf_of(tree.nodes, [&](std::uint16_t attribute) { return record[attribute]; }));
        for (std::size_t c = 0; c < width; ++c) sums(i - begin, c) += leaves_of(tree)(leaf, c);
        ++num_asked[i - begin];
      }
    for (std::size_t i = begin; i < end; ++i)
      if (num_asked[i - begin] > 0) take(i, sums.row(i - begin), num_asked[i - begin]);
  });
}

std::optional<double> OutOfBag::accuracy(const RecordForest& forest, const RecordTable& table, ThreadPool& pool) const {
  std::atomic<std::size_t> num_right = 0, num_asked = 0;
  const auto leaves_of = [](const RecordTree& tree) -> const auto& { return tree.leaf_values; };
  for_each_record<std::int32_t>(
      forest, table, pool, leaves_of, [&](std::size_t record, const std::int32_t* sums, std::size_t) {
        ++num_asked;
        num_right += choose_class(forest.link, sums, forest.classes.size()) == table.labels[record];
      });
  if (num_asked == 0) return {};
  return static_cast<double>(num_right) / static_cast<double>(num_asked);
}

std::optional<double> OutOfBag::r2(const RecordForest& forest, const RecordTable& table, ThreadPool& pool) const {
  std::vector<double> predicted(table.targets.size(), std::numeric_limits<double>::quiet_NaN());
  const auto leaves_of = [](const RecordTree& tree) -> const auto& { return tree.float_values; };
  for_each_record<double>(forest, table, pool, leaves_of,
                          [&](std::size_t record, const double* sums, std::size_t num_trees) {
                            predicted[record] = sums[0] / static_cast<double>(num_trees);
                          });
  ValueErrors errors;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    if (!std::isnan(predicted[i])) errors.add(table.targets[i], predicted[i]);
  return errors.r2();
}

std::optional<double> OutOfBag::score(const RecordForest& forest, const RecordTable& table, ThreadPool& pool) const {
  if (seen_.empty()) return {};
  return forest.has_classes() ? accuracy(forest, table, pool) : r2(forest, table, pool);
}

}  // namespace fernwood::records
