// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/option_text.h"

#include "fernwood/records/evaluator.h"

namespace fernwood::records {

namespace {

const std::vector<TextOption<EvaluatorOptions>>& evaluator_rows() {
  using O = EvaluatorOptions;
  static const std::vector<TextOption<O>> kRows = {text_option<O>(
                                                       "strategy", [](O & o) -> auto& { return o.strategy; }),
                                                   choice_option<O>(
                                                       "values", [](O & o) -> auto& { return o.values; }, kValues),
                                                   text_option<O>(
                                                       "device", [](O & o) -> auto& { return o.device; }),
                                                   text_option<O>(
                                                       "threads", [](O & o) -> auto& { return o.threads; }),
                                                   text_option<O>(
                                                       "remember", [](O & o) -> auto& { return o.remember; })};
  return kRows;
}

}  // namespace

void set_options(const OptionTexts& texts, EvaluatorOptions& options) {
  for (const auto& [name, text] : texts) set_option(evaluator_rows(), name, text, options);
}

std::vector<std::string> evaluator_option_names() { return names_of(evaluator_rows()); }

}  // namespace fernwood::records
