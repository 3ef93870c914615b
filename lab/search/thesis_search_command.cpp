// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "apps/shell/console.h"
#include "apps/shell/interrupt.h"
#include "apps/shell/options.h"
#include "fernwood/core/file.h"
#include "fernwood/forest/model_file.h"
#include "fernwood/report/search.h"
#include "lab/commands.h"
#include "lab/search/thesis_search.h"

namespace fernwood::lab {

namespace {

struct ThesisSearchArguments {
  apps::DatasetArguments dataset;
  std::filesystem::path out;
  std::size_t trials = 160;
  std::uint64_t seed = 4711;
  train::TrainResources resources;
};

void run(const ThesisSearchArguments& arguments) {
  const dataset::Dataset dataset = arguments.dataset.open(true, "train");
  make_folder(arguments.out);
  train::TrainOptions thesis;
  for (const train::Preset& preset : train::presets())
    if (preset.name == "thesis") thesis = preset.options;
  search::ForestSearchOptions options = thesis_search(thesis, arguments.trials, arguments.seed);
  options.resources = arguments.resources;
  options.race.folder = arguments.out;
  apps::ProgressBar bar;
  search::SearchHooks hooks;
  hooks.stop = apps::interrupt_token();
  hooks.progress = [&](const search::SearchProgress& now) {
    if (now.after.empty()) return bar.show("searching", "trial " + std::to_string(now.trials), now.done);
    bar.show("finishing", now.after, now.done);
  };
  const search::ForestSearch found = search::search_forest(dataset, options, hooks);
  bar.clear();
  forest::save_forest(found.forest, arguments.out / "best.fernwood");
  write_file_atomically(arguments.out / "thesis_search.html",
                        [&](std::ostream& file) { file << thesis_search_page(found); });
  write_file_atomically(arguments.out / "search.json", [&](std::ostream& file) { file << report::search_json(found); });
  std::cout << thesis_search_table(found);
}

}  // namespace

void add_thesis_search_command(CLI::App& app) {
  auto arguments = std::make_shared<ThesisSearchArguments>();
  CLI::App* command =
      app.add_subcommand("thesis-search", "The parameter search of the CURFIL thesis: Table 5.1, Figure 5.4")
          ->fallthrough();
  arguments->dataset.add_to(*command);
  command->add_option("--out", arguments->out, "Folder for the journal, the model and a page")
      ->required()
      ->option_text("DIR");
  apps::add_number(*command, "--trials", arguments->trials, "Settings to draw");
  apps::add_number(*command, "--seed", arguments->seed, "Same seed, same search");
  apps::add_device_options(*command, arguments->resources.device, arguments->resources.threads);
  command->footer("\nExample:\n  fernwood-lab thesis-search --data nyu/train --out thesis_search");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::lab
