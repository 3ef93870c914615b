// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/text.h"
#include "fernwood/report/evaluation.h"
#include "fernwood/search/report.h"
#include "fernwood/tune/search_forest.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"
#include "shell/race_options.h"

namespace fernwood::apps {

namespace {

struct SearchArguments {
  DatasetArguments dataset;
  encoder::EncoderOptions encoder;
  RaceArguments race;
  tune::ForestSearchOptions options;
  train::PresetChoice preset;
  OptionTexts train;  ///< Options that override the preset.

  void add_to(CLI::App& command) {
    dataset.add_to(command);
    race.add_to(command, options);
    add_row(command, preset, "preset",
            "First configuration of the race, and values of options that the space does not name");
    add_rows(command, train::TrainOptions(), append_to(train), {"backbone", "backbone-reduction"});
    add_table(command, encoder);
    add_device_options(command, options.resources);
  }
  void finish() {
    choose_training(options, nullptr);
    race.finish(options);
    options.check();
  }
  void choose_training(tune::ForestSearchOptions& chosen, const dataset::Dataset* frames) const {
    OptionTexts texts = train;
    texts.emplace_back("preset", preset.preset);
    train::set_options(texts, frames, chosen.train, chosen.resources);
    chosen.train.seed = chosen.race.seed;
  }
};

void run(const SearchArguments& arguments) {
  const RaceArguments& race = arguments.race;
  const dataset::Dataset dataset =
      encoded(arguments.dataset.open(true, "train", /*tells=*/false), open_encoder(arguments.encoder));
  tune::ForestSearchOptions options = arguments.options;
  arguments.choose_training(options, &dataset);
  race.make_out({{"--backbone", options.train.backbone_file()}});
  tune::ForestSearch found;
  show_race(race.out, [&](const search::SearchHooks& hooks) { found = tune::search_forest(dataset, options, hooks); });
  warn_each(texts_of(found.race.warnings));
  report::write_search(race.out, found, arguments.preset.preset);
  if (race.json) {
    std::cout << report::search_json(found);
    return;
  }
  std::cout << report::search_table(found, use_color(stdout)) << "\n";
  const search::SearchFiles files = search::search_files(race.out);
  print() << model_line(files.model) << "\nnext    fernwood evaluate --model " << shell_word(files.model)
          << " --config " << shell_word(files.config) << " --data DIR\n";
}

}  // namespace

void add_search_command(CLI::App& app) {
  add_command<SearchArguments>(
      app, {.name = "search",
            .summary = "Search for the most accurate options by racing",
            .example = "fernwood search --data rooms/train --out rooms_search --max-latency-ms 30 --minutes 10\n"
                       "The same command continues after an interruption.",
            .dependents = {kEncoderDependents},
            .finish = &SearchArguments::finish,
            .run = run});
}

}  // namespace fernwood::apps
