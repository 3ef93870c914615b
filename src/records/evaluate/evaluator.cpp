// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/evaluator.h"

#include <new>

#include "fernwood/core/error.h"
#include "records/evaluate/auto_evaluator.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

namespace {
constexpr std::align_val_t kAlignment{64};  // a cache line
}

KeptRecords keep_records(Device device, const RecordView& records) {
  return device.is_cpu() ? KeptRecords{device, records, nullptr} : keep_on_gpu(device, records);
}

std::shared_ptr<void> host_memory(Device device, std::size_t size_bytes) {
  if (!device.is_cpu()) return pinned_memory(device, size_bytes);
  return {::operator new(size_bytes, kAlignment), [](void* memory) { ::operator delete(memory, kAlignment); }};
}

void check_kept(const KeptRecords& records, Device device) {
  FW_CHECK(records.device == device, Usage,
           "the records are kept on " << to_string(records.device) << ", and the evaluator works on "
                                      << to_string(device) << "; keep them there");
}

std::unique_ptr<RecordEvaluator> make_record_evaluator(const RecordForest& forest, const EvaluatorOptions& options) {
  FW_CHECK(options.threads >= 0, Usage, "--threads is " << options.threads << "; give 0 for all, or how many");
  FW_CHECK(options.reductions >= 1, Usage, "--reductions is " << options.reductions << "; give 1 or more");
  const StrategyRequest request = {make_evaluation_model(forest),        options.strategy, options.values,
                                   choose_device(options.device).device, options.threads,  options.reductions};
  return options.strategy == "auto" ? make_auto_evaluator(request, options.remember) : make_evaluator(request);
}

}  // namespace fernwood::records
