// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/evaluator.h"

#include "fernwood/core/error.h"
#include "records/auto_evaluator.h"
#include "records/strategy.h"

namespace fernwood {

std::unique_ptr<RecordEvaluator> make_record_evaluator(const RecordForest& forest, const EvaluatorOptions& options) {
  FW_CHECK(options.threads >= 0, Usage, "--threads is " << options.threads << "; give 0 for all, or how many");
  FW_CHECK(options.reductions >= 1, Usage, "--reductions is " << options.reductions << "; give 1 or more");
  const StrategyRequest request = {make_evaluation_model(forest),        options.strategy, options.values,
                                   choose_device(options.device).device, options.threads,  options.reductions};
  return options.strategy == "auto" ? make_auto_evaluator(request, options.remember) : make_evaluator(request);
}

}  // namespace fernwood
