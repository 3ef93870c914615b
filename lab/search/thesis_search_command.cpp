// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>

#include "apps/shell/frame_options.h"
#include "fernwood/core/file.h"
#include "fernwood/forest/forest.h"
#include "fernwood/report/evaluation.h"
#include "lab/commands.h"
#include "lab/search/thesis_search.h"
#include "shell/command.h"
#include "shell/interrupt.h"
#include "shell/options.h"
#include "shell/race_options.h"

namespace fernwood::lab {

namespace {

struct ThesisSearchArguments {
  apps::DatasetArguments dataset;
  std::filesystem::path out;
  std::size_t trials = 160;
  std::uint64_t seed = 4711;
  train::TrainResources resources;
  static OptionTable<ThesisSearchArguments> table();  ///< Options of the random search.

  void add_to(CLI::App& command) {
    dataset.add_to(command);
    command.add_option("--out", out, "Folder for the journal, the model and a page")->required()->option_text("DIR");
    apps::add_table(command, *this);
    apps::add_device_options(command, resources);
  }
};

constexpr std::array kThesisSearchRows = {
    option<&ThesisSearchArguments::trials>("trials", "Configurations to draw").in(from_to(1, 100000)),
    option<&ThesisSearchArguments::seed>("seed", "Random seed; the same seed gives the same search"),
};
OptionTable<ThesisSearchArguments> ThesisSearchArguments::table() { return kThesisSearchRows; }

void run(const ThesisSearchArguments& arguments) {
  check_options(ThesisSearchArguments::table(), arguments);
  const dataset::Dataset dataset = arguments.dataset.open(true, "train");
  make_folder(arguments.out);
  train::TrainOptions thesis;
  for (const train::Preset& preset : train::presets())
    if (preset.name == "thesis") thesis = preset.options;
  tune::ForestSearchOptions options = thesis_search(thesis, arguments.trials, arguments.seed);
  options.resources = arguments.resources;
  options.race.folder = arguments.out;
  tune::ForestSearch found;
  apps::show_race(arguments.out,
                  [&](const search::SearchHooks& hooks) { found = tune::search_forest(dataset, options, hooks); });
  forest::save_forest(found.forest, arguments.out / "best.fernwood", NamedBy::kFernwood);
  write_file_atomically(arguments.out / "thesis_search.html", NamedBy::kFernwood, thesis_search_page(found));
  write_file_atomically(arguments.out / "search.json", NamedBy::kFernwood, report::search_json(found));
  std::cout << thesis_search_table(found);
}

}  // namespace

void add_thesis_search_command(CLI::App& app) {
  apps::add_command<ThesisSearchArguments>(
      app, {.name = "thesis-search",
            .summary = "The parameter search of the CURFIL thesis: Table 5.1, Figure 5.4",
            .example = "fernwood-lab thesis-search --data nyu/train --out thesis_search",
            .run = run});
}

}  // namespace fernwood::lab
