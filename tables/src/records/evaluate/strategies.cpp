// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "records/evaluate/evaluation_model.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

namespace {

std::vector<Strategy> product_rows() {
  std::vector<Strategy> table = {
      // name, on a GPU, has ranks, unsupported_reason, maker
      {"serial", false, false, nullptr, make_serial},
      {"interval", false, false, interval_unsupported, make_interval},
      {"layered", false, true, always_supported, make_layered},
      {"bit-mask", false, true, bit_mask_unsupported, make_bit_mask},
      {"interleaved", false, true, always_supported, make_interleaved},
      {"tree-parallel", false, false, always_supported, make_tree_parallel},
  };
  std::ranges::move(gpu_strategies(), std::back_inserter(table));
  return table;
}

}  // namespace

#if !FERNWOOD_HAS_CUDA
std::vector<Strategy> gpu_strategies() { return {}; }
KeptRecords keep_on_gpu(Device device, const RecordView&) {
  throw Error(ErrorKind::kDevice, "records cannot be brought to " + to_string(device) +
                                      ": this build has no CUDA; configure with -DFERNWOOD_CUDA=ON");
}
#endif

void check_attributes(const RecordView& records, std::size_t num_attributes) {
  FW_CHECK(records.num_attributes == num_attributes, Data,
           "the records have " << records.num_attributes << " attributes, and the model asks for " << num_attributes
                               << "; pass records of the same kind as the model was trained on");
}

std::string to_string(Values values) { return values == Values::kFloat ? "float" : "ranks"; }

const StrategyTable& product_strategies() {
  static const StrategyTable table(product_rows());
  return table;
}

const Strategy& StrategyTable::find(const std::string& name) const {
  const auto found = std::ranges::find(rows_, name, [](const Strategy& each) { return each.name; });
  if (found != rows_.end()) return *found;
  std::vector<std::string_view> names = {"auto"};
  for (const Strategy& strategy : rows_) names.push_back(strategy.name);
  const std::string_view nearest = nearest_name(name, names);
  throw Error(ErrorKind::kUsage, "there is no strategy \"" + name + "\"" +
                                     (nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?") +
                                     " (there are " + join(names) + ")");
}

OptionSentence classes_only_unsupported(const EvaluationModel& model) {
  return model.wanted == RequestedOutput::kClass ? "" : "it finds classes, and values are asked for";
}

OptionSentence why_unsupported(const Strategy& strategy, const EvaluationModel& model, Values values, Device device) {
  if (strategy.on_gpu && device.is_cpu())
    return "it is for GPUs, and the device is the CPU; use " + named_option("device", "cuda");
  if (!strategy.on_gpu && !device.is_cpu())
    return "it is for the CPU, and the device is a GPU; use " + named_option("device", "cpu");
  if (values == Values::kRanks && !strategy.has_ranks)
    return "it takes values as they are; use " + named_option("values", "float");
  if (values == Values::kRanks && !model.ranks_unsupported.empty()) return model.ranks_unsupported;
  if (strategy.unsupported_reason == nullptr) return "";
  if (!model.flat_unsupported.empty()) return model.flat_unsupported;
  return strategy.unsupported_reason(model, values, device);
}

std::string describe_request(const StrategyRequest& request) {
  return request.strategy + ", " + to_string(request.values) + ", on " + to_string(request.device);
}

std::unique_ptr<RecordEvaluator> StrategyTable::make_evaluator(const StrategyRequest& request) const {
  const Strategy& strategy = find(request.strategy);
  const OptionSentence unsupported_reason = why_unsupported(strategy, *request.model, request.values, request.device);
  FW_CHECK(unsupported_reason.empty(), Usage,
           "strategy " << strategy.name << " cannot evaluate this forest: " << unsupported_reason);
  return strategy.make(request);
}

}  // namespace fernwood::records
