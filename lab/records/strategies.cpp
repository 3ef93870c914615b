// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/records/strategies.h"

#include <algorithm>

#include "fernwood/core/error.h"

namespace fernwood::lab {

#if !FERNWOOD_HAS_CUDA
std::vector<records::Strategy> gpu_strategies() { return {}; }
std::vector<records::Strategy> compiled_gpu_strategies() { return {}; }
std::shared_ptr<void> pinned_memory(Device device, std::size_t) {
  throw Error(ErrorKind::kDevice, to_string(device) + ": this build has no CUDA; configure with -DFERNWOOD_CUDA=ON");
}
#endif

records::StrategyTable all_strategies(bool with_compiled) {
  std::vector<records::Strategy> rows = records::product_strategies().rows();
  rows.push_back(gather_strategy());
  std::ranges::move(gpu_strategies(), std::back_inserter(rows));
  if (with_compiled) {
    std::ranges::move(compiled_strategies(), std::back_inserter(rows));
    std::ranges::move(compiled_gpu_strategies(), std::back_inserter(rows));
  }
  return records::StrategyTable(std::move(rows));
}

records::StrategyTable strategies_for(const records::RecordForest& forest, bool with_compiled) {
  return forest.has_classes() ? all_strategies(with_compiled) : records::product_strategies();
}

records::SharedModel model_for(const records::RecordForest& forest) {
  return records::make_evaluation_model(
      forest, forest.has_classes() ? records::RequestedOutput::kClass : records::RequestedOutput::kValues);
}

OptionSentence unsupported_reason_for(const records::RecordForest& forest, const std::string& strategy,
                                      records::Values values, Device device) {
  return records::why_unsupported(strategies_for(forest, true).find(strategy), *model_for(forest), values, device);
}

std::unique_ptr<records::RecordEvaluator> make_evaluator(const records::RecordForest& forest,
                                                         const std::string& strategy, records::Values values,
                                                         Device device, int threads) {
  return strategies_for(forest, true).make_evaluator({model_for(forest), strategy, values, device, threads});
}

}  // namespace fernwood::lab
