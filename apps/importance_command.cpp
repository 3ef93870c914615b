// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "apps/commands.h"
#include "apps/shell/console.h"
#include "apps/shell/options.h"
#include "fernwood/forest/model_file.h"
#include "fernwood/report/evaluation.h"

namespace fernwood::apps {

namespace {

struct ImportanceArguments {
  DatasetArguments dataset;
  std::filesystem::path model;
  std::uint64_t seed = evaluate::kExchangeSeed;
  int threads = 0;
  bool json = false;
};

void run(const ImportanceArguments& arguments) {
  const forest::Forest forest = forest::load_forest(arguments.model);
  const dataset::Dataset dataset = arguments.dataset.open(true, "test");
  ThreadPool pool(arguments.threads);
  ProgressBar bar;
  evaluate::ImportanceReport report;
  report.model = arguments.model.string();
  report.dataset = dataset.folder().string();
  report.permutation =
      evaluate::permutation_importance(forest, dataset, arguments.seed, pool, bar.counter("labelling"));
  report.gain = evaluate::gain_importance(forest);
  bar.clear();
  std::cout << (arguments.json ? report::importance_json(report)
                               : report::importance_table(report, use_color(STDOUT_FILENO)));
}

}  // namespace

void add_importance_command(CLI::App& app) {
  auto arguments = std::make_shared<ImportanceArguments>();
  CLI::App* command = app.add_subcommand("importance", "Measure which channels a forest needs")->fallthrough();
  command->add_option("--model", arguments->model, "Model file")->required()->option_text("FILE");
  arguments->dataset.add_to(*command);
  command->add_option("--seed", arguments->seed, "Which frames exchange channels")
      ->check(check_not_negative)
      ->option_text("N (4711)");
  command->add_option("-j,--threads", arguments->threads, "CPU threads; 0: all")->option_text("N (0)");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("\nExample:\n  fernwood importance --model rooms.fernwood --data rooms/test --max-frames 50");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::apps
