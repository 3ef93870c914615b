// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The forest as CUDA C++ with thresholds as immediates, one thread for each record; Penha et al.: IF and no-IF. The
// code of a tree is that of the CPU's strategies (generated_code.h).
#include "core/cuda/launch.cuh"
#include "lab/records/cuda/compiled_kernel.h"
#include "lab/records/generated_code.h"
#include "lab/records/strategies.h"
#include "records/cuda/gpu_forest.cuh"
#include "records/cuda/gpu_strategy.h"

namespace fernwood::lab {

using namespace records;

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksPerMultiprocessor = 8;  // this number of threads runs at once; each walks many records
// Compiling this number of tests takes some seconds; the time grows faster than the number.
constexpr std::size_t kMaxIfTests = 10240, kMaxNoIfTests = 2048;

class Generated : public GpuStrategy {
 public:
  Generated(const EvaluationModel& model, CodeStyle style)
      : kernel_(kernel_code(model, style), kKernelName, kThreads) {}

  void evaluate(const RecordView& records, const records::Found& found, const cuda::Stream& stream) override {
    std::int32_t* classes = found.numbers;
    const float* values = records.data;
    unsigned long long record_step = records.record_step, attribute_step = records.attribute_step;
    unsigned long long num_records = records.num_records;
    void* arguments[] = {&values, &record_step, &attribute_step, &num_records, &classes};
    const unsigned at_once = cuda::num_multiprocessors() * kBlocksPerMultiprocessor;
    kernel_.launch(std::min(at_once, cuda::blocks_for(records.num_records, kThreads)), stream, arguments);
  }

 private:
  CompiledKernel kernel_;
};

std::unique_ptr<RecordEvaluator> make_generated(const StrategyRequest& request, CodeStyle style) {
  cuda::use_gpu(request.device.gpu);
  return evaluate_on_gpu(request, std::make_unique<Generated>(*request.model, style));
}

OptionSentence generated_unsupported(const EvaluationModel& model, std::size_t most_tests) {
  if (!has_one_sum(model)) return "it is for one tree or for two classes";
  if (num_tests(model.forest) > most_tests)
    return "its " + std::to_string(num_tests(model.forest)) + " tests exceed the " + std::to_string(most_tests) +
           " that are compiled in reasonable time";
  return "";
}

}  // namespace

std::vector<Strategy> compiled_gpu_strategies() {
  return {
      {"gpu-if-else", true, false,
       [](const EvaluationModel& model, Values, Device) { return generated_unsupported(model, kMaxIfTests); },
       [](const StrategyRequest& request) { return make_generated(request, CodeStyle::kIfElse); }},
      {"gpu-no-if", true, false,
       [](const EvaluationModel& model, Values, Device) { return generated_unsupported(model, kMaxNoIfTests); },
       [](const StrategyRequest& request) { return make_generated(request, CodeStyle::kNoIf); }},
  };
}

}  // namespace fernwood::lab
