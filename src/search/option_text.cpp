// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/option_text.h"

#include "fernwood/search/data_search.h"

namespace fernwood::search {

void set_options(const OptionTexts& texts, DataSearchOptions& options) {
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
  for (const auto& [name, text] : texts) set_option(kRows, name, text, options);
}

}  // namespace fernwood::search
