// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// SHAP values of many records, in three steps: the patterns of records in all groups of some trees, the rows of those
// in groups with many patterns (those of other groups are computed once), and their sums, which each record adds up in
// the order of trees and groups.
#include "records/explain/gpu_shap.h"

#include <algorithm>
#include <utility>

#include "core/cuda/buffer.h"
#include "core/cuda/launch.cuh"
#include "records/explain/shap_formula.h"

namespace fernwood::records {

namespace {

constexpr unsigned kShapThreads = 128;
/// Limits of the tables of rows: bits of a pattern, which are also the most elements of a path, and bytes.
constexpr std::uint32_t kMaxTableBits = 10;
constexpr std::size_t kMaxTableBytes = std::size_t{1} << 30;
/// Memory of a worker for what is found of records, beside what one tree needs for kShapThreads of them.
constexpr std::size_t kMaxScratchBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxRowThreads = std::size_t{1} << 17;

/// A ShapForest in the memory of a GPU.
struct ShapForestView {
  const ShapTree* trees;
  std::size_t num_sums;  ///< Effects of an output.
  const ShapStep* steps;
  const ShapGroup* groups;
  const std::uint32_t* slots;
  const ShapLeaf* leaves;
  const ShapElement* elements;
  const double* leaf_values;
  const double* const* points;
  const double* const* weights;
  const std::size_t* first_number;  ///< [group] As in ShapTables, else kNone.
  double* tables;
  const std::uint32_t* untabled;  ///< Groups without tables.
  const std::size_t* first_row;   ///< [index in untabled + 1] Elements of the rows before.

  FW_HD ShapRowArgs args_of(const ShapTree& tree, const ShapGroup& group, ShapEffects effects) const {
    ShapRowArgs args = {};
    args.leaves = {leaves + group.first_leaf, group.num_leaves};
    args.elements = elements;
    args.leaf_values = leaf_values;
    args.width = tree.width;
    args.num_sums = num_effects(effects, group.num_slots);
    args.points = points;
    args.weights = weights;
    return args;
  }
};

struct TableGroup {
  std::uint32_t tree, group;
};

/// A block for each table, a thread for each pattern.
template <ShapEffects kEffects>
__global__ void find_tables_kernel(ShapForestView forest, const TableGroup* tables) {
  const TableGroup table = tables[blockIdx.x];
  const ShapGroup group = forest.groups[table.group];
  const ShapRowArgs args = forest.args_of(forest.trees[table.tree], group, kEffects);
  const std::size_t row_size = args.width * args.num_sums;
  double pairs[kEffects == ShapEffects::kPairs ? kMaxTableBits * (kMaxTableBits - 1) / 2 : 1];
  for (std::size_t pattern = threadIdx.x; pattern < std::size_t{1} << group.num_bits; pattern += kShapThreads)
    find_shap_row<kEffects>(args, pattern, {forest.tables + forest.first_number[table.group] + pattern * row_size, 1},
                            {pairs, 1});
}

/// Some trees, with their groups.
struct TreeChunk {
  std::size_t first_tree, num_trees, first_group, num_groups, first_untabled, num_untabled;
};

/// Some records, with memory for what is found of them in a chunk.
struct ShapRecords {
  const float* values;  ///< [column][padded]
  double* sums;         ///< [output][effect][padded]
  std::size_t padded, first, count;
  std::uint64_t* levels;    ///< [tree][level][record]
  std::uint64_t* patterns;  ///< [group][record]
  double* rows;             ///< [element][record] Of groups without tables, one after another.
  double* pairs;            ///< [pair][thread of find_rows_kernel]
};

/// A thread for each record and tree.
__global__ void find_patterns_kernel(ShapForestView forest, TreeChunk chunk, ShapRecords records,
                                     std::size_t num_levels) {
  const std::size_t i = std::size_t{blockIdx.x} * kShapThreads + threadIdx.x;
  if (i >= records.count) return;
  const ShapTree tree = forest.trees[chunk.first_tree + blockIdx.y];
  std::uint64_t* const levels = records.levels + blockIdx.y * num_levels * records.count + i;
  levels[0] = ~std::uint64_t{0};
  for (std::size_t s = tree.first_step; s < tree.first_step + tree.num_steps; ++s) {
    const ShapStep step = forest.steps[s];
    const float value = records.values[step.column * records.padded + records.first + i];
    const std::uint64_t pattern = narrowed_pattern(levels[step.from_level * records.count], value, step.threshold,
                                                   step.nan_left, step.left_mask, step.right_mask);
    levels[step.to_level * records.count] = pattern;
    if (step.group >= 0)
      records.patterns[(static_cast<std::size_t>(step.group) - chunk.first_group) * records.count + i] = pattern;
  }
}

/// A thread computes rows of several records and groups. @param tree_of  [group] Index of its tree.
template <ShapEffects kEffects>
__global__ void find_rows_kernel(ShapForestView forest, TreeChunk chunk, ShapRecords records,
                                 const std::uint32_t* tree_of) {
  const std::size_t thread = std::size_t{blockIdx.x} * kShapThreads + threadIdx.x;
  const std::size_t num_threads = std::size_t{gridDim.x} * kShapThreads;
  for (std::size_t item = thread; item < chunk.num_untabled * records.count; item += num_threads) {
    const std::size_t u = chunk.first_untabled + item / records.count, i = item % records.count;
    const std::size_t g = forest.untabled[u], first_row = forest.first_row[u] - forest.first_row[chunk.first_untabled];
    const ShapRowArgs args = forest.args_of(forest.trees[tree_of[g]], forest.groups[g], kEffects);
    find_shap_row<kEffects>(args, records.patterns[(g - chunk.first_group) * records.count + i],
                            {records.rows + first_row * records.count + i, records.count},
                            {records.pairs + thread, num_threads});
  }
}

/// A thread for each record.
template <ShapEffects kEffects>
__global__ void add_rows_kernel(ShapForestView forest, TreeChunk chunk, ShapRecords records) {
  const std::size_t i = std::size_t{blockIdx.x} * kShapThreads + threadIdx.x;
  if (i >= records.count) return;
  double* untabled = records.rows + i;
  for (std::size_t t = chunk.first_tree; t < chunk.first_tree + chunk.num_trees; ++t) {
    const ShapTree tree = forest.trees[t];
    double* const of_tree = records.sums + tree.first_output * forest.num_sums * records.padded + records.first + i;
    for (std::size_t g = tree.first_group; g < tree.first_group + tree.num_groups; ++g) {
      const ShapGroup group = forest.groups[g];
      const std::size_t row_size = tree.width * num_effects(kEffects, group.num_slots);
      StridedDoubles row = {untabled, records.count};
      if (forest.first_number[g] != ShapTables::kNone) {
        const std::uint64_t pattern = records.patterns[(g - chunk.first_group) * records.count + i];
        row = {forest.tables + forest.first_number[g] + pattern * row_size, 1};
      } else {
        untabled += row_size * records.count;
      }
      const std::uint32_t* const slots = forest.slots + group.first_slot;
      std::size_t next = 0;
      for (std::size_t k = 0; k < tree.width; ++k) {
        double* const sums = of_tree + k * forest.num_sums * records.padded;
        for (std::size_t slot = 0; slot < group.num_slots; ++slot) {
          if constexpr (kEffects == ShapEffects::kPlayers)
            sums[slots[slot] * records.padded] += row[next++];
          else
            for (std::size_t other = 0; other < slot; ++other)
              sums[pair_place(slots[other], slots[slot]) * records.padded] += row[next++];
        }
      }
    }
  }
}

template <ShapEffects kEffects>
class CudaShap : public GpuShap {
 public:
  CudaShap(const ShapForest& forest, int gpu, int num_workers) : forest_(forest), gpu_(gpu) {
    const std::size_t table_bytes = std::min(kMaxTableBytes, gpu_memory(gpu).free_bytes / 4);
    cuda::use_gpu(gpu_);
    for (int w = 0; w < num_workers; ++w) workers_.push_back(std::make_unique<Worker>());
    const cuda::Stream stream;
    cuda::upload(forest.trees, trees_, stream);
    cuda::upload(forest.steps, steps_, stream);
    cuda::upload(forest.groups, groups_, stream);
    cuda::upload(forest.slots, slots_, stream);
    cuda::upload(forest.leaves, leaves_, stream);
    cuda::upload(forest.elements, elements_, stream);
    cuda::upload(forest.leaf_values, leaf_values_, stream);
    upload_rules(stream);
    choose_tables(table_bytes, stream);
  }

  void add_trees(ShapBlock& block, int worker) override {
    cuda::use_gpu(gpu_);
    Worker& own = *workers_[static_cast<std::size_t>(worker)];
    const ShapColumns& columns = block.columns();
    const std::span<double> sums = block.all_sums();
    if (sums.empty()) return;
    own.values.resize(columns.values.size());
    own.sums.resize(sums.size());
    cuda::copy_to_gpu(columns.values.data(), columns.values.size(), own.values.data(), own.stream);
    cuda::copy_to_gpu(std::as_const(sums).data(), sums.size(), own.sums.data(), own.stream);
    for (std::size_t tree = 0; tree < forest_.trees.size();) {
      TreeChunk chunk = {};
      const std::size_t record_bytes = add_chunk(tree, columns.padded, chunk);
      const std::size_t fit = std::max<std::size_t>(kMaxScratchBytes / record_bytes, kShapThreads);
      for (std::size_t first = 0; first < columns.padded; first += fit)
        add(chunk, columns.padded, first, std::min(fit, columns.padded - first), own);
      tree += chunk.num_trees;
    }
    cuda::copy_to_host(std::as_const(own.sums).data(), sums.size(), sums.data(), own.stream);
    own.stream.synchronize();
  }

 private:
  struct Worker {
    cuda::Stream stream;
    cuda::GpuBuffer<float> values;
    cuda::GpuBuffer<std::uint64_t> levels, patterns;
    cuda::GpuBuffer<double> sums, rows, pairs;
  };

  /// Finds the chunk that begins with a tree and fits for all records, at least that tree. @return  Bytes of a record.
  std::size_t add_chunk(std::size_t first, std::size_t num_records, TreeChunk& chunk) const {
    const auto begin = static_cast<std::size_t>(forest_.trees[first].first_group);
    chunk = {first, 0, begin, 0, num_untabled_before_[begin], 0};
    std::size_t bytes = 0;
    while (first + chunk.num_trees < std::min(forest_.trees.size(), first + 65535)) {
      const ShapTree& tree = forest_.trees[first + chunk.num_trees];
      const std::size_t end = tree.first_group + tree.num_groups;
      const std::size_t untabled = num_untabled_before_[end] - chunk.first_untabled;
      const std::size_t rows = first_row_host_[chunk.first_untabled + untabled] - first_row_host_[chunk.first_untabled];
      const std::size_t with = sizeof(double) * ((chunk.num_trees + 1) * forest_.num_levels + (end - begin) + rows);
      if (chunk.num_trees > 0 && with * num_records > kMaxScratchBytes) break;
      bytes = with;
      ++chunk.num_trees;
      chunk.num_groups = end - begin;
      chunk.num_untabled = untabled;
    }
    return bytes;
  }

  /// Adds a chunk to some records.
  void add(const TreeChunk& chunk, std::size_t padded, std::size_t first, std::size_t count, Worker& own) {
    const std::size_t num_rows =
        first_row_host_[chunk.first_untabled + chunk.num_untabled] - first_row_host_[chunk.first_untabled];
    const std::size_t most_threads =
        num_pairs_ > 0 ? std::min(kMaxRowThreads, kMaxScratchBytes / (num_pairs_ * sizeof(double))) : kMaxRowThreads;
    const unsigned row_blocks = cuda::blocks_for(std::min(chunk.num_untabled * count, most_threads), kShapThreads);
    own.levels.resize(chunk.num_trees * forest_.num_levels * count);
    own.patterns.resize(chunk.num_groups * count);
    own.rows.resize(num_rows * count);
    own.pairs.resize(num_pairs_ * row_blocks * kShapThreads);
    const ShapRecords records = {own.values.data(), own.sums.data(),     padded,          first,           count,
                                 own.levels.data(), own.patterns.data(), own.rows.data(), own.pairs.data()};
    const unsigned blocks = cuda::blocks_for(count, kShapThreads);
    cuda::launch("patterns", find_patterns_kernel, dim3(blocks, static_cast<unsigned>(chunk.num_trees)), kShapThreads,
                 0, own.stream, view(), chunk, records, forest_.num_levels);
    cuda::launch("rows", find_rows_kernel<kEffects>, row_blocks, kShapThreads, 0, own.stream, view(), chunk, records,
                 std::as_const(tree_of_).data());
    cuda::launch("SHAP values", add_rows_kernel<kEffects>, blocks, kShapThreads, 0, own.stream, view(), chunk, records);
  }

  void upload_rules(const cuda::Stream& stream) {
    std::vector<double> numbers;
    std::vector<std::size_t> begins;
    for (const GaussRule& rule : gauss_rules(kMaxPathElements / 2))
      for (const std::vector<double>* part : {&rule.points, &rule.weights}) {
        begins.push_back(numbers.size());
        numbers.insert(numbers.end(), part->begin(), part->end());
      }
    cuda::upload(numbers, rule_numbers_, stream);
    std::vector<const double*> points, weights;
    for (std::size_t r = 0; r < begins.size(); r += 2) {
      points.push_back(rule_numbers_.data() + begins[r]);
      weights.push_back(rule_numbers_.data() + begins[r + 1]);
    }
    cuda::upload(points, points_, stream);
    cuda::upload(weights, weights_, stream);
  }

  /// Chooses the groups that have tables, and computes these.
  void choose_tables(std::size_t most_bytes, const cuda::Stream& stream) {
    std::vector<std::size_t> first_number(forest_.groups.size(), ShapTables::kNone);
    std::vector<TableGroup> tables;
    std::vector<std::uint32_t> untabled, tree_of;
    std::size_t size = 0;
    first_row_host_.push_back(0);
    for (std::uint32_t t = 0; t < forest_.trees.size(); ++t) {
      const ShapTree& tree = forest_.trees[t];
      for (std::uint32_t g = tree.first_group; g < tree.first_group + tree.num_groups; ++g) {
        const ShapGroup& group = forest_.groups[g];
        const std::size_t row_size = tree.width * num_effects(kEffects, group.num_slots);
        tree_of.push_back(t);
        num_untabled_before_.push_back(untabled.size());
        if (group.num_bits <= kMaxTableBits && (size + (row_size << group.num_bits)) * sizeof(double) <= most_bytes) {
          first_number[g] = size;
          size += row_size << group.num_bits;
          tables.push_back({t, g});
          continue;
        }
        untabled.push_back(g);
        first_row_host_.push_back(first_row_host_.back() + row_size);
        if constexpr (kEffects == ShapEffects::kPairs)
          num_pairs_ = std::max(num_pairs_, num_effects(kEffects, group.num_slots));
      }
    }
    num_untabled_before_.push_back(untabled.size());
    cuda::upload(first_number, first_number_, stream);
    cuda::upload(untabled, untabled_, stream);
    cuda::upload(tree_of, tree_of_, stream);
    cuda::upload(first_row_host_, first_row_, stream);
    tables_.resize(size);
    cuda::GpuBuffer<TableGroup> uploaded;
    cuda::upload(tables, uploaded, stream);
    cuda::launch("tables of SHAP values", find_tables_kernel<kEffects>, static_cast<unsigned>(tables.size()),
                 kShapThreads, 0, stream, view(), std::as_const(uploaded).data());
    stream.synchronize();
  }

  ShapForestView view() {
    return {trees_.data(),        num_effects(kEffects, forest_.players.size()),
            steps_.data(),        groups_.data(),
            slots_.data(),        leaves_.data(),
            elements_.data(),     leaf_values_.data(),
            points_.data(),       weights_.data(),
            first_number_.data(), tables_.data(),
            untabled_.data(),     first_row_.data()};
  }

  const ShapForest& forest_;
  const int gpu_;
  std::size_t num_pairs_ = 0;                     ///< Of the largest group without a table.
  std::vector<std::size_t> num_untabled_before_;  ///< [group + 1] Groups without tables before it.
  std::vector<std::size_t> first_row_host_;       ///< As first_row_.
  cuda::GpuBuffer<ShapTree> trees_;
  cuda::GpuBuffer<ShapStep> steps_;
  cuda::GpuBuffer<ShapGroup> groups_;
  cuda::GpuBuffer<std::uint32_t> slots_, untabled_, tree_of_;
  cuda::GpuBuffer<ShapLeaf> leaves_;
  cuda::GpuBuffer<ShapElement> elements_;
  cuda::GpuBuffer<double> leaf_values_, rule_numbers_, tables_;
  cuda::GpuBuffer<const double*> points_, weights_;
  cuda::GpuBuffer<std::size_t> first_number_, first_row_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

std::unique_ptr<GpuShap> make_gpu_shap(const ShapForest& forest, ShapEffects effects, Device device, int num_workers) {
  if (effects == ShapEffects::kPlayers)
    return std::make_unique<CudaShap<ShapEffects::kPlayers>>(forest, device.gpu, num_workers);
  return std::make_unique<CudaShap<ShapEffects::kPairs>>(forest, device.gpu, num_workers);
}

}  // namespace fernwood::records
