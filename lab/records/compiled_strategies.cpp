// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The forest as C++ (generated_code.h), compiled and loaded: Penha et al.
#include "lab/records/compiler.h"
#include "lab/records/generated_code.h"
#include "lab/records/strategies.h"
#include "records/evaluate/answer_sums.h"

namespace fernwood::lab {

using records::EvaluationModel;
using records::RecordEvaluator;
using records::RecordView;
using records::SharedModel;
using records::Strategy;
using records::StrategyRequest;
using records::Values;

namespace {

// Larger forests would take minutes to compile.
constexpr std::size_t kMaxBranches = 60000, kMaxChoices = 256;
constexpr std::uint32_t kMaxNested = 200;  // compilers accept 256

class Compiled : public records::CpuStrategy {
 public:
  Compiled(const SharedModel& model, const std::string& source, const std::string& optimisation, int num_threads)
      : model_(model),
        code_(source, {optimisation}),
        trees_(static_cast<const TreeCode*>(code_.find(kTreesName))),
        sums_(model->flat),
        scratch_(static_cast<std::size_t>(num_threads)) {
    for (Scratch& each : scratch_) {
      each.answers.resize(block_size());
      each.sums.resize(block_size() * sums_.bytes());
    }
  }

  void evaluate(const RecordView& block, const records::Found& found, int worker) override {
    Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
    const std::size_t count = block.num_records;
    sums_.begin(count, scratch.sums.data());
    for (std::size_t t = 0; t < model_->flat.trees.size(); ++t) {
      trees_[t](block.data, block.record_step, block.attribute_step, count, scratch.answers.data());
      sums_.add(t, scratch.answers.data(), count, scratch.sums.data(), found);
    }
    sums_.finish(scratch.sums.data(), count, found);
  }

 private:
  struct Scratch {
    std::vector<std::int32_t> answers;
    records::AlignedVector<std::byte> sums;
  };

  SharedModel model_;
  CompiledCode code_;
  const TreeCode* trees_;
  records::AnswerSums sums_;
  std::vector<Scratch> scratch_;
};

std::unique_ptr<RecordEvaluator> make(const StrategyRequest& request, const std::string& source,
                                      const std::string& optimisation) {
  auto pool = std::make_shared<ThreadPool>(request.threads);
  return records::evaluate_on_cpu(
      request, std::make_unique<Compiled>(request.model, source, optimisation, pool->num_threads()), pool);
}

/// Why a forest with more than `most_tests` tests, or for another reason, cannot be compiled.
OptionSentence unsupported_reason(const EvaluationModel& model, std::size_t most_tests) {
  const std::size_t count = records::num_tests(model.forest);
  if (count > most_tests)
    return "the forest has " + std::to_string(count) + " tests, and code for more than " + std::to_string(most_tests) +
           " takes too long to compile; use --strategy layered";
  if (find_compiler().empty()) return "there is no C++ compiler; install g++ or clang++, or set CXX";
  return "";
}

std::unique_ptr<RecordEvaluator> make_if_else(const StrategyRequest& request) {
  return make(request, forest_code(*request.model, CodeStyle::kIfElse), "-O2");
}
std::unique_ptr<RecordEvaluator> make_no_if(const StrategyRequest& request) {
  return make(request, forest_code(*request.model, CodeStyle::kNoIf), "-O3");
}

OptionSentence if_else_unsupported(const EvaluationModel& model, Values, Device) {
  if (model.flat.depth > kMaxNested)
    return "a tree has " + std::to_string(model.flat.depth) + " levels, and compilers nest no more than " +
           std::to_string(kMaxNested) + "; use --strategy layered";
  return unsupported_reason(model, kMaxBranches);
}
OptionSentence no_if_unsupported(const EvaluationModel& model, Values, Device) {
  return unsupported_reason(model, kMaxChoices);
}

}  // namespace

std::vector<Strategy> compiled_strategies() {
  return {
      {"if-else", false, false, if_else_unsupported, make_if_else},
      {"no-if", false, false, no_if_unsupported, make_no_if},
  };
}

}  // namespace fernwood::lab
