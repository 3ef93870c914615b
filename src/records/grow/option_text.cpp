// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/option_text.h"

#include "fernwood/records/train_records.h"

namespace fernwood::records {

namespace {

const std::vector<TextOption<RecordTrainOptions>>& training_rows() {
  using O = RecordTrainOptions;
  static const std::vector<TextOption<O>> kRows = {
      text_option<O>(
          "trees", [](O & o) -> auto& { return o.trees; }),
      text_option<O>(
          "max-depth", [](O & o) -> auto& { return o.max_depth; }),
      text_option<O>(
          "max-leaves", [](O & o) -> auto& { return o.max_leaves; }),
      text_option<O>(
          "min-samples", [](O & o) -> auto& { return o.min_samples; }),
      text_option<O>(
          "min-leaf-samples", [](O & o) -> auto& { return o.min_leaf_samples; }),
      choice_option<O>(
          "criterion", [](O & o) -> auto& { return o.criterion; }, kCriteria),
      text_option<O>(
          "attributes-per-split", [](O & o) -> auto& { return o.attributes_per_split; }),
      {"bootstrap", [](const std::string& text, O& o) { o.bootstrap = parse_flag("bootstrap", text); }},
      text_option<O>(
          "seed", [](O & o) -> auto& { return o.seed; })};
  return kRows;
}

}  // namespace

void set_options(const OptionTexts& texts, RecordTrainOptions& options) {
  for (const auto& [name, text] : texts) set_option(training_rows(), name, text, options);
}

std::vector<std::string> train_option_names() { return names_of(training_rows()); }

}  // namespace fernwood::records
