// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/option_text.h"

#include "fernwood/search/data_search.h"

namespace fernwood::search {

namespace {

const std::vector<TextOption<DataSearchOptions>>& text_rows() {
  using O = DataSearchOptions;
  static const std::vector<TextOption<O>> kRows = {
      text_option<O>(
          "trials", [](O & o) -> auto& { return o.race.trials; }),
      text_option<O>(
          "minutes", [](O & o) -> auto& { return o.race.minutes; }),
      text_option<O>(
          "generation", [](O & o) -> auto& { return o.race.generation; }),
      text_option<O>(
          "seed", [](O & o) -> auto& { return o.race.seed; }),
      text_option<O>(
          "level", [](O & o) -> auto& { return o.race.level; }),
      text_option<O>(
          "frame-ms", [](O & o) -> auto& { return o.race.frame_ms; }),
      text_option<O>(
          "train-seconds", [](O & o) -> auto& { return o.race.train_seconds; }),
      {"unraced",
       [](const std::string& text, O& o) {
         if (parse_flag("unraced", text)) o.race.do_not_race();
       }},
      choice_option<O>(
          "objective", [](O & o) -> auto& { return o.objective; }, kObjectives),
      text_option<O>(
          "blocks", [](O & o) -> auto& { return o.blocks; }),
      text_option<O>(
          "held-out", [](O & o) -> auto& { return o.held_out; })};
  return kRows;
}

}  // namespace

void set_options(const OptionTexts& texts, DataSearchOptions& options) {
  for (const auto& [name, text] : texts) set_option(text_rows(), name, text, options);
}

std::vector<std::string> option_names() { return names_of(text_rows()); }

}  // namespace fernwood::search
