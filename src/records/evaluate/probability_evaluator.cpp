// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/records/evaluator.h"
#include "records/evaluate/evaluation_model.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

namespace {

/// Sums as they are defined, for forests that cannot be flattened.
class SerialSums : public CpuStrategy {
 public:
  explicit SerialSums(SharedModel model) : model_(std::move(model)) {}

  std::size_t block_size() const override { return 16; }  // such forests have many outputs

  void classify(const RecordView& block, std::int32_t* sums, int) override {
    std::vector<float> record(block.num_attributes);
    for (std::size_t i = 0; i < block.num_records; ++i) {
      for (std::size_t a = 0; a < record.size(); ++a) record[a] = block.at(i, a);
      sum_trees(model_->forest, record.data(), sums + i * model_->forest.num_outputs());
    }
  }

 private:
  SharedModel model_;
};

std::unique_ptr<CpuStrategy> make_summing_strategy(const SharedModel& model, int num_workers) {
  if (!model->flat_obstacle.empty()) return std::make_unique<SerialSums>(model);
  return make_layered_strategy(model, num_workers);
}

}  // namespace

struct ProbabilityEvaluator::State {
  State(const RecordForest& forest, int threads)
      : model(make_evaluation_model(forest, RequestedOutput::kSums)),
        pool(threads),
        strategy(make_summing_strategy(model, pool.num_threads())),
        sums(static_cast<std::size_t>(pool.num_threads())) {
    for (std::vector<std::int32_t>& each : sums) each.resize(strategy->block_size() * forest.num_outputs());
  }

  /// @param probabilities  Of the block.
  void find(const RecordView& block, float* probabilities, int worker) {
    std::int32_t* found = sums[static_cast<std::size_t>(worker)].data();
    strategy->classify(block, found, worker);
    const RecordForest& forest = model->forest;
    for (std::size_t i = 0; i < block.num_records; ++i)
      probabilities_of(forest, found + i * forest.num_outputs(), probabilities + i * forest.classes.size());
  }

  SharedModel model;
  ThreadPool pool;
  std::unique_ptr<CpuStrategy> strategy;
  std::vector<std::vector<std::int32_t>> sums;  ///< [worker] of a block of records
};

ProbabilityEvaluator::ProbabilityEvaluator(const RecordForest& forest, int threads) {
  const DefaultFloats floats;
  FW_CHECK(threads >= 0, Usage, "--threads is " << threads << "; give 0 for all, or how many");
  state_ = std::make_unique<State>(forest, threads);
}
ProbabilityEvaluator::~ProbabilityEvaluator() = default;

void ProbabilityEvaluator::find(const RecordView& records, float* probabilities) {
  const DefaultFloats floats;
  const RecordForest& forest = state_->model->forest;
  check_attributes(records, forest.attributes.size());
  const std::size_t block_size = state_->strategy->block_size();
  const std::size_t num_blocks = (records.num_records + block_size - 1) / block_size;
  const auto find_block = [&](std::size_t block, int worker) {
    const std::size_t begin = block * block_size;
    const RecordView part = records.part(begin, std::min(block_size, records.num_records - begin));
    state_->find(part, probabilities + begin * forest.classes.size(), worker);
  };
  if (num_blocks == 1)  // waking threads would take longer
    find_block(0, 0);
  else
    state_->pool.for_each(num_blocks, find_block);
}

}  // namespace fernwood::records
