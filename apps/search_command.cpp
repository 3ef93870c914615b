// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <memory>

#include "apps/commands.h"
#include "apps/shell/console.h"
#include "apps/shell/interrupt.h"
#include "apps/shell/options.h"
#include "apps/shell/workers.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/text.h"
#include "fernwood/forest/model_file.h"
#include "fernwood/report/search.h"
#include "fernwood/search/search_forest.h"

namespace fernwood::apps {

namespace {

struct SearchArguments {
  DatasetArguments dataset;
  search::ForestSearchOptions options;
  std::string preset = "balanced";
  std::filesystem::path out, space, propose;
  int workers = 1;
  bool json = false;
};

std::string progress_text(const search::SearchProgress& now) {
  std::string text = "generation " + std::to_string(now.generation + 1) + ", block " + std::to_string(now.block + 1) +
                     " of " + std::to_string(now.num_blocks) + ", " + std::to_string(now.trials_alive) + " of " +
                     std::to_string(now.trials) + " alive";
  if (!now.leaders.empty())
    text += ", trial " + std::to_string(now.leaders.front().trial) + " leads with loss " +
            format_text("%.4f", now.leaders.front().loss);
  return text;
}

search::ForestSearch search(const SearchArguments& arguments, const dataset::Dataset& dataset) {
  ProgressBar bar;
  search::SearchHooks hooks;
  hooks.stop = interrupt_token();
  hooks.progress = [&](const search::SearchProgress& now) { bar.show("racing", progress_text(now), now.done); };
  try {
    return search::search_forest(dataset, arguments.options, hooks);
  } catch (const Error& failure) {
    if (failure.kind() != ErrorKind::kInterrupted) throw;
    throw Error(ErrorKind::kInterrupted, "the search was interrupted; what it found is kept in " +
                                             (arguments.out / "journal.jsonl").string() +
                                             ", and the same command goes on from there");
  }
}

void write_results(const search::ForestSearch& found, const SearchArguments& arguments) {
  const std::filesystem::path& out = arguments.out;
  forest::save_forest(found.forest, out / "best.fernwood");
  write_file_atomically(out / "best.toml",
                        [&](std::ostream& file) { file << search::winner_config(found, arguments.preset); });
  write_file_atomically(out / "search.html", [&](std::ostream& file) { file << report::search_page(found); });
  write_file_atomically(out / "search.json", [&](std::ostream& file) { file << report::search_json(found); });
}

void run(SearchArguments arguments) {
  search::ForestSearchOptions& options = arguments.options;
  std::vector<std::string> names;
  for (const train::Preset& preset : train::presets()) names.emplace_back(preset.name);
  options.train = train::presets()[find_name("--preset", arguments.preset, names)].options;
  options.train.seed = options.race.seed;
  options.race.folder = arguments.out;
  if (!arguments.space.empty()) {
    options.space_toml = read_text(arguments.space);
    options.space_file = arguments.space.string();
  }

  if (!arguments.propose.empty()) options.race.propose = search::read_proposals(arguments.propose);
  options.check();
  FW_CHECK(arguments.workers >= 1 && arguments.workers <= 1000, Usage,
           "--workers is " << arguments.workers << "; give 1 to 1000");
  const dataset::Dataset dataset = arguments.dataset.open(true, "train");
  make_folder(arguments.out);
  const WorkerPlace place = worker_place();
  options.resources.device = device_of_worker(options.resources.device, place.local_rank);
  if (arguments.workers > 1 && options.resources.threads == 0)
    options.resources.threads = std::max(1, ThreadPool(0).num_threads() / arguments.workers);
  if (place.rank > 0) return search::race_forests(dataset, options, {.progress = {}, .stop = interrupt_token()});
  Workers workers(arguments.workers);
  const search::ForestSearch found = search(arguments, dataset);
  for (const std::string& warning : found.warnings) spdlog::warn(warning);
  for (const std::string& warning : found.race.warnings) spdlog::warn(warning);
  write_results(found, arguments);
  if (arguments.json) {
    std::cout << report::search_json(found);
    return;
  }
  const std::filesystem::path model = arguments.out / "best.fernwood", config = arguments.out / "best.toml";
  std::cout << report::search_table(found, use_color(STDOUT_FILENO)) << "\nmodel   " << model.string() << " ("
            << format_bytes(std::filesystem::file_size(model)) << ", checksum " << model_checksum(model)
            << ")\nnext    fernwood evaluate --model " << model.string() << " --config " << config.string()
            << " --data DIR\n";
}

}  // namespace

void add_search_command(CLI::App& app) {
  auto arguments = std::make_shared<SearchArguments>();
  search::ForestSearchOptions& options = arguments->options;
  search::SearchOptions& race = options.race;
  CLI::App* command =
      app.add_subcommand("search", "Find the options that give the most accurate forest, by racing")->fallthrough();
  arguments->dataset.add_to(*command);
  command->add_option("--out", arguments->out, "Folder for the journal, the model, its options and a page")
      ->required()
      ->option_text("DIR");
  add_number(*command, "--trials", race.trials, "Settings to train; 0: as many as --minutes allow");
  add_number(*command, "--minutes", race.minutes, "End the race after so long; 0: no limit");
  add_number(*command, "--frame-ms", race.frame_ms,
             "Milliseconds that preparing and labelling a frame may take; 0: no limit");
  add_number(*command, "--train-seconds", race.train_seconds, "Seconds that a training may take; 0: no limit");
  command
      ->add_option_function<std::string>(
          "--objective",
          [&options](const std::string& word) {
            options.objective = parse_name("--objective", word, search::kObjectives);
          },
          "What is to be high: pixel accuracy, average class accuracy, or their mean")
      ->option_text("mean*|pixel|class");
  command->add_option("--space", arguments->space, "TOML file that changes what is searched: see docs/search.md")
      ->option_text("FILE");
  command->add_option("--preset", arguments->preset, "What races first, and what the space does not name")
      ->option_text("fast|balanced*|best|thesis");
  add_number(*command, "--blocks", options.blocks, "Parts of the frames, each held back in turn");
  add_number(*command, "--held-out", options.held_out, "Share of the frames that no race sees");
  add_number(*command, "--level", race.level, "Error of the test that drops settings, over all its looks");
  add_number(*command, "--generation", race.generation, "Settings proposed at once");
  add_number(*command, "--seed", race.seed, "Same seed, same search");
  command->add_option("--propose", arguments->propose, "File of settings to race in place of own proposals")
      ->option_text("FILE");
  add_number(*command, "--workers", arguments->workers,
             "Processes of this machine that share the race, each with a GPU of its own while there are enough");
  add_device_options(*command, options.resources.device, options.resources.threads);
  add_json_flag(*command, arguments->json);
  command->footer(
      "\nExample:\n  fernwood search --data rooms/train --out rooms_search --frame-ms 30 --minutes 10\n"
      "The same command goes on after an interruption, and several at a time share the work.");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::apps
