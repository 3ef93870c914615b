// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <new>

#include "fernwood/core/timer.h"
#include "records/strategy.h"

namespace fernwood {

namespace {

constexpr std::align_val_t kAlignment{64};

class CpuEvaluator : public RecordEvaluator {
 public:
  CpuEvaluator(const StrategyRequest& request, std::unique_ptr<CpuStrategy> strategy, std::shared_ptr<ThreadPool> pool)
      : request_(request), strategy_(std::move(strategy)), pool_(std::move(pool)) {}

  void classify(const RecordView& records, std::int32_t* classes) override {
    check_attributes(records, request_.model->forest.attributes.size());
    const std::size_t block_size = strategy_->block_size();
    const std::size_t num_blocks = (records.num_records + block_size - 1) / block_size;
    const auto classify_block = [&](std::size_t block, int worker) {
      const std::size_t begin = block * block_size, count = std::min(block_size, records.num_records - begin);
      strategy_->classify(records.part(begin, count), classes + begin, worker);
    };
    if (num_blocks == 1 || pool_->num_threads() == 1)  // waking threads would take longer
      for (std::size_t block = 0; block < num_blocks; ++block) classify_block(block, 0);
    else
      pool_->for_each(num_blocks, classify_block);
  }

  void keep(const RecordView& records) override {
    kept_ = records;
    kept_classes_.assign(records.num_records, 0);
  }
  double classify_kept() override {
    const double start = seconds_now();
    classify(kept_, kept_classes_.data());
    return seconds_now() - start;
  }
  void kept_classes(std::int32_t* classes) override { std::ranges::copy(kept_classes_, classes); }

  std::string explain() const override { return describe_request(request_) + "\n"; }

  std::shared_ptr<void> host_memory(std::size_t size_bytes) override {
    return {::operator new(size_bytes, kAlignment), [](void* memory) { ::operator delete(memory, kAlignment); }};
  }

 private:
  StrategyRequest request_;
  std::unique_ptr<CpuStrategy> strategy_;
  std::shared_ptr<ThreadPool> pool_;
  RecordView kept_;
  std::vector<std::int32_t> kept_classes_;
};

}  // namespace

std::unique_ptr<RecordEvaluator> evaluate_on_cpu(const StrategyRequest& request, std::unique_ptr<CpuStrategy> strategy,
                                                 std::shared_ptr<ThreadPool> pool) {
  return std::make_unique<CpuEvaluator>(request, std::move(strategy), std::move(pool));
}

}  // namespace fernwood
