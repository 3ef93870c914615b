// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/evaluator.h"

#include "records/strategy.h"

namespace fernwood {

std::unique_ptr<RecordEvaluator> make_record_evaluator(const RecordForest& forest, const EvaluatorOptions& options) {
  const Strategy& strategy = find_strategy(options.strategy == "auto" ? "serial" : options.strategy);
  return make_evaluator(strategy, {make_evaluation_model(forest), options.values, choose_device(options.device).device,
                                   options.threads, options.reductions});
}

}  // namespace fernwood
