// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/evaluator.h"

namespace fernwood::records {

namespace {

using Evaluated = EvaluatorOptions;

constexpr std::array kEvaluatorRows = {
    option<&Evaluated::strategy>(
        "strategy", "Evaluation strategy, see docs/reference/records.md; auto: the fastest on the first records")
        .takes("NAME"),
    choice_option<kValues, &Evaluated::values>("values",
                                               "Compare attribute values as floats, or as ranks among thresholds"),
    option<&Evaluated::device>("device", "Device: auto, cpu, cuda or cuda:N").takes("NAME"),
    option<&Evaluated::threads>("threads", "CPU threads; 0: all").abbreviated('j'),
    option<&Evaluated::remember>("remember", "Cache the choice of auto on disk"),
    option<&Evaluated::iterations>("iterations",
                                   "Evaluate the first N iterations of boosting, or trees of a forest; 0: all"),
};

}  // namespace

OptionTable<EvaluatorOptions> EvaluatorOptions::table() { return kEvaluatorRows; }

void set_options(const OptionTexts& texts, EvaluatorOptions& options) {
  for (const auto& [name, text] : texts) set_option(name, text, options);
}

}  // namespace fernwood::records
