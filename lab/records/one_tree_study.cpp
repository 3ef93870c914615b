// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/records/one_tree_study.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/draw.h"
#include "fernwood/core/progress.h"
#include "fernwood/records/train_records.h"
#include "lab/records/strategies.h"
#include "shell/interrupt.h"

namespace fernwood::lab {

namespace {

constexpr std::size_t kDistinctRecords = 16384, kCopies = 4;  // an image of 256 x 256 pixels

/// The table's records, repeated in a different order each time, as in the paper's script; row-major.
std::vector<float> paper_records(const records::RecordTable& table) {
  const std::size_t width = table.values.cols();
  std::vector<float> values;
  for (std::uint32_t round = 0; values.size() < kDistinctRecords * width; ++round)
    for (const std::size_t i : drawn_order(table.values.rows(), 1, round))
      if (values.size() < kDistinctRecords * width)
        values.insert(values.end(), table.values.row(i), table.values.row(i) + width);
  const std::vector<float> once = values;
  for (std::size_t copy = 1; copy < kCopies; ++copy) values.insert(values.end(), once.begin(), once.end());
  return values;
}

std::shared_ptr<void> host_memory(Device device, std::size_t size_bytes) {
  if (!device.is_cpu()) return pinned_memory(device, size_bytes);
  constexpr std::align_val_t kAlignment{64};  // a cache line
  return {::operator new(size_bytes, kAlignment), [](void* memory) { ::operator delete(memory, kAlignment); }};
}

/// Records and output classes in memory from and to which a device copies fast.
struct HostBatch {
  HostBatch(Device device, const records::RecordView& records)
      : values(host_memory(device, records.num_records * records.num_attributes * sizeof(float))),
        classes(host_memory(device, records.num_records * sizeof(std::int32_t))),
        view(records) {
    std::memcpy(values.get(), records.data, records.num_records * records.num_attributes * sizeof(float));
    view.data = static_cast<const float*>(values.get());
  }
  std::shared_ptr<void> values, classes;
  records::RecordView view;
};

RunTimes time_outer(records::RecordEvaluator& evaluator, const HostBatch& batch, int repeat,
                    const std::vector<std::int32_t>& expected, const Way& way) {
  auto* classes = static_cast<std::int32_t*>(batch.classes.get());
  evaluator.classify(batch.view, classes);
  std::vector<double> seconds;
  for (int run = 0; run < repeat; ++run) {
    apps::throw_if_interrupted();
    const double start = seconds_now();
    evaluator.classify(batch.view, classes);
    seconds.push_back(seconds_now() - start);
  }
  check_classes({classes, classes + expected.size()}, expected, way);
  return summarize_times(seconds);
}

void time_device(const records::RecordForest& forest, const records::RecordView& records, Device device,
                 const OneTreeOptions& options, OneTreeStudy& study) {
  const std::vector<std::int32_t> expected = serial_classes(forest, records);
  const HostBatch batch(device, records);
  const records::KeptRecords kept = records::keep_records(device, batch.view);
  for (const Way& way : ways_for(forest, device, options.timing.with_compiled)) {
    const auto evaluator = make_evaluator(forest, way.strategy, way.values, device, 1);
    const RunTimes outer = time_outer(*evaluator, batch, options.timing.repeat, expected, way);
    const RunTimes inner = time_kept(*evaluator, kept, options.timing.repeat, expected, way);
    study.times.push_back({device, way.name(), records.record_step == 1, outer, inner});
  }
}

/// Records sorted by their leaves, or in their original order.
std::vector<float> in_order(const records::RecordForest& forest, const records::RecordView& records, bool ordered) {
  std::vector<std::size_t> order(records.num_records);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto leaf_of = [&](std::size_t i) {
    return records::find_leaf_of(forest.trees[0].nodes,
                                 [&](std::uint16_t attribute) { return records.at(i, attribute); });
  };
  if (ordered) std::ranges::stable_sort(order, {}, leaf_of);
  std::vector<float> values;
  for (const std::size_t i : order)
    values.insert(values.end(), records.data + i * records.record_step,
                  records.data + i * records.record_step + records.num_attributes);
  return values;
}

double kept_us(const records::RecordForest& forest, const std::string& strategy, const records::KeptRecords& kept,
               Device device, const std::vector<std::int32_t>& expected) {
  if (!unsupported_reason_for(forest, strategy, records::Values::kFloat, device).empty()) return 0;
  const auto evaluator = make_evaluator(forest, strategy, records::Values::kFloat, device, 0);
  return time_kept(*evaluator, kept, 50, expected, {strategy}).least * 1e6;
}

OneTreeCase compare(const std::string& shape, const records::RecordForest& forest, const records::RecordView& records,
                    bool ordered, Device device) {
  const std::vector<float> values = in_order(forest, records, ordered);
  const records::RecordView view = records::records_by_rows(values.data(), records.num_records, records.num_attributes);
  const std::vector<std::int32_t> expected = serial_classes(forest, view);
  const records::KeptRecords kept = records::keep_records(device, view);
  OneTreeCase compared{shape, ordered, static_cast<int>(forest.trees[0].nodes.size() / 2)};
  compared.mean_depth = mean_depth(forest, view);
  compared.bound = speculation_bound(compared.mean_depth);
  compared.data_parallel_us = kept_us(forest, "table-constant", kept, device, expected);
  compared.speculative_us = kept_us(forest, "speculative", kept, device, expected);
  compared.warp_us = kept_us(forest, "speculative-warp", kept, device, expected);
  return compared;
}

/// Trees from flat to deep, with records whose attribute 0 reaches all leaves equally often, ordered or not.
std::vector<OneTreeCase> sweep_shapes(const records::RecordForest& grown, const records::RecordView& records,
                                      Device device) {
  std::vector<float> uniform(records.num_records * records.num_attributes);
  for (std::size_t i = 0; i < uniform.size(); ++i)
    uniform[i] = draw(2, RngStream::kScene, 0, 0, static_cast<std::uint32_t>(i)).unit(0);
  const records::RecordView spread =
      records::records_by_rows(uniform.data(), records.num_records, records.num_attributes);
  std::vector<OneTreeCase> cases;
  for (const bool ordered : {false, true}) {
    cases.push_back(compare("grown", grown, records, ordered, device));
    for (int levels = 2; levels <= 6; ++levels) {
      const int tests = (1 << levels) - 1;
      cases.push_back(compare("balanced", balanced_tree(levels, records.num_attributes), spread, ordered, device));
      cases.push_back(compare("chain", chain_tree(tests, records.num_attributes), spread, ordered, device));
    }
  }
  return cases;
}

}  // namespace

double speculation_bound(double mean_depth) { return 2 * mean_depth / (1 + std::log2(mean_depth)); }

OneTreeStudy run_one_tree_study(const records::RecordTable& table, const OneTreeOptions& options, ThreadPool& pool,
                                const ProgressCallback& progress) {
  records::RecordTrainOptions training;
  training.trees = 1;
  training.max_leaves = options.leaves;
  const records::RecordForest forest = records::train_records(table, training, pool);
  const std::vector<float> values = paper_records(table);
  const std::size_t width = table.values.cols();
  const records::RecordView rows = records::records_by_rows(values.data(), values.size() / width, width);
  const std::vector<float> columns = stored_by_columns(rows);
  OneTreeStudy study{options, rows.num_records, width, forest.trees[0].nodes.size(), forest.trees[0].depth(), {}, {}};
  progress(0, 4);
  time_device(forest, rows, Device{}, options, study);
  progress(1, 4);
  time_device(forest, records::records_by_columns(columns.data(), rows.num_records, width), Device{}, options, study);
  progress(2, 4);
  if (const Device device = options.timing.chosen_device(); !device.is_cpu()) {
    time_device(forest, rows, device, options, study);
    progress(3, 4);
    study.cases = sweep_shapes(forest, rows, device);
  }
  progress(4, 4);
  return study;
}

}  // namespace fernwood::lab
