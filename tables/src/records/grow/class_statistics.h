// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "records/grow/finish_tree.h"
#include "records/grow/sample.h"
#include "records/grow/split.h"

namespace fernwood::records {

// Growing a tree and searching for its splits is the same for classes and for targets; only the statistics of samples
// differ: ClassStatistics here, TargetStatistics in target_statistics.h. Both have
//   Cell      a sum over samples, one or several for each value of an attribute; weight_of() is the samples' weight
//   Totals    of a node; cells_of() returns the cells that determine its leaf value
//   Memory    scratch memory of a sweep
//   sweep()   moves cells from the right side of a test to the left and finds the best position
//   key_of()  32 bits of a sample that are sorted along with the rank of its value; with_cell() decodes them

/// Counts of classes, evaluated by GiniTerms or EntropyTerms.
template <typename Terms>
class ClassStatistics {
 public:
  using Cell = std::uint32_t;        ///< Weight of the samples of a class.
  using Totals = std::vector<Cell>;  ///< [class]
  struct Memory {
    std::vector<std::int64_t> left, right;  ///< [class]
  };
  /// Consecutive samples are counted in separate lanes: incrementing one counter twice in a row stalls the processor,
  /// which is frequent with few counters.
  static constexpr std::size_t kLanes = 4;

  ClassStatistics(std::size_t num_classes, int fraction_bits, Terms terms)
      : num_classes_(num_classes), fraction_bits_(fraction_bits), terms_(std::move(terms)) {}

  std::size_t num_cells() const { return num_classes_; }
  static std::size_t cell_index(const Sample& sample) { return sample.label; }
  static Cell cell_of(const Sample& sample) { return sample.weight; }
  static std::int64_t weight_of(Cell cell) { return cell; }
  /// Whether counting cells for all values takes no more steps than sorting.
  bool counts_values(std::size_t num_values, std::size_t num_samples) const {
    return num_values * num_classes_ <= num_samples;
  }

  static std::uint32_t key_of(const Sample& sample, std::size_t) {
    return std::uint32_t{sample.label} << 16 | sample.weight;
  }
  /// Calls take(index of a cell, its increment). @param key  key_of() one of the samples.
  template <typename Take>
  static void with_cell(std::uint32_t key, std::span<const Sample>, const Take& take) {
    take(key >> 16, Cell{key & 0xffff});
  }

  Totals totals_of(std::span<const Sample> samples) const {
    Totals totals(num_classes_);
    for (const Sample& sample : samples) totals[sample.label] += sample.weight;
    return totals;
  }
  static std::span<const Cell> cells_of(const Totals& totals) { return totals; }
  static std::int64_t weight_of(const Totals& totals) {
    return std::accumulate(totals.begin(), totals.end(), std::int64_t{0});
  }
  static bool is_pure(const Totals& totals) {
    return std::ranges::count(totals, 0u) + 1 == static_cast<std::ptrdiff_t>(totals.size());
  }
  /// Purity, as of one side of a split.
  double purity(const Totals& totals) const {
    std::int64_t sum = 0;
    for (const Cell count : totals) sum += terms_.term(count);
    return terms_.purity(sum, weight_of(totals));
  }

  Sweep<Terms> sweep(const Totals& totals, std::int64_t min_leaf_samples, Memory& memory) const {
    Sweep<Terms> sweep(terms_, min_leaf_samples, memory.left, memory.right);
    sweep.start(std::span<const Cell>(totals));
    return sweep;
  }

  /// @param cells_of_node  cells_of_node(node) points to the cells of a leaf.
  template <typename CellsOfNode>
  RecordTree finish(const std::vector<RecordNode>& nodes, const std::vector<double>& covers,
                    const CellsOfNode& cells_of_node) const {
    return finish_tree(nodes, covers, num_classes_, fraction_bits_, cells_of_node);
  }

 private:
  std::size_t num_classes_;
  int fraction_bits_;
  Terms terms_;
};

}  // namespace fernwood::records
